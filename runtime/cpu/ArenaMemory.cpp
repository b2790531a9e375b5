//===- ArenaMemory.cpp - The host memory of an arena ----------------------===//

#include "runtime/cpu/ArenaMemory.h"

#include "runtime/cpu/Context.h"
#include "runtime/cpu/Transport.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

using namespace pcc;

// mmap returns zeroed memory.
char *pcc::allocatePrivateArena(int64_t bytes) {
  void *memory =
      mmap(nullptr, std::max<int64_t>(bytes, 1), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return nullptr;
  // Fewer page faults and TLB misses; only a hint.
  madvise(memory, bytes, MADV_HUGEPAGE);
  return static_cast<char *>(memory);
}

char *pcc::allocateArenaMemory(int64_t bytes) {
  requireMemory(bytes);
  Transport *transport = communication::transport();
  char *memory =
      transport ? transport->allocateArena(bytes) : allocatePrivateArena(bytes);
  if (!memory)
    fail(ExitMemory, format("out of memory: cannot allocate the %s this rank "
                            "needs: %s",
                            bytesText(bytes).c_str(), strerror(errno)));
  return memory;
}
