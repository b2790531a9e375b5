//===- ArenaMemory.cpp - The host memory of an arena ----------------------===//

#include "runtime/cpu/ArenaMemory.h"

#include "runtime/cpu/Context.h"
#include "runtime/cpu/OffloadFile.h"
#include "runtime/cpu/Transport.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace pcc;

// mmap returns zeroed memory.
char *pcc::allocatePrivateArena(int64_t bytes, char *at) {
  void *memory =
      mmap(at, std::max<int64_t>(bytes, 1), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  // Fewer page faults and TLB misses; only a hint.
  madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<char *>(memory);
}

/// Reserves addresses for an arena of two memories; null with errno set if it
/// cannot. Huge pages may back either.
static char *reserveArena(int64_t bytes) {
  const int64_t page = PCC_OFFLOAD_ALIGNMENT;
  void *memory = mmap(nullptr, bytes + 2 * page, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(memory);
  return reinterpret_cast<char *>((begin + page - 1) / page * page);
}

char *pcc::allocateArenaMemory(int64_t bytes, const backend::Offload &offload) {
  bool hasFile = !offload.folder.empty();
  requireMemory(hasFile ? bytes - offload.bytes : bytes);
  auto require = [&](char *memory) {
    if (!memory)
      fail(ExitMemory, format("out of memory: cannot allocate the %s this rank "
                              "needs: %s",
                              bytesText(bytes).c_str(), strerror(errno)));
    return memory;
  };
  char *base = offload.bytes ? require(reserveArena(bytes)) : nullptr;
  char *rest = offload.bytes ? base + offload.bytes : nullptr;
  Transport *transport = communication::transport();
  rest =
      require(transport ? transport->allocateArena(bytes - offload.bytes, rest)
                        : allocatePrivateArena(bytes - offload.bytes, rest));
  if (!offload.bytes)
    return rest;
  if (hasFile)
    mapOffloadFile(base, offload);
  else
    require(allocatePrivateArena(offload.bytes, base));
  return base;
}
