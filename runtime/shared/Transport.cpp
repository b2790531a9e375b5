//===- Transport.cpp - Communication in shared memory ---------------------===//

#include "runtime/shared/Transport.h"

#include "runtime/shared/Layout.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace pcc;
using namespace pcc::shared;

char *shared::mapOrFail(int64_t offset, int64_t bytes) {
  void *memory = mapJobMemory(offset, bytes);
  if (!memory)
    fail(ExitMemory,
         format("cannot map %lld bytes of the memory that the ranks share: %s",
                static_cast<long long>(bytes), strerror(errno)),
         "each rank maps the arenas of the ranks that it communicates with; "
         "'ulimit -v' limits the sum");
  madvise(memory, bytes, MADV_DONTDUMP); // only a hint
  return static_cast<char *>(memory);
}

SharedTransport::SharedTransport(int own, int ranks, double spinSeconds)
    : own(own), ranks(ranks), spins(spinSeconds), arenas(ranks) {
  Layout layout = {ranks};
  entries = reinterpret_cast<RankEntry *>(
      mapOrFail(layout.entryOffset(), layout.entryBytes()));
}

Bell &SharedTransport::bell() { return entries[own].bell; }

void SharedTransport::ring(int rank) { entries[rank].bell.ring(); }

// The other ranks notice the end of this one.
void SharedTransport::abort(int code) { _exit(code); }

char *SharedTransport::allocateArena(int64_t bytes, char *at) {
  arenaBytes = std::max<int64_t>(bytes, 1);
  arena = static_cast<char *>(mapJobMemory(arenaOffset(own), arenaBytes, at));
  if (!arena)
    return nullptr;
  madvise(arena, arenaBytes, MADV_HUGEPAGE); // only a hint
  arenas[own] = arena;
  entries[own].arenaBytes = arenaBytes;
  return arena;
}

int64_t SharedTransport::offsetOf(const char *memory, int64_t bytes) const {
  int64_t offset = memory - arena;
  if (!arena || offset < 0 || offset + bytes > arenaBytes)
    fail(ExitInternal,
         "a collective or transfer accesses memory outside the arena");
  return offset;
}

char *SharedTransport::addressOf(int rank, int64_t offset) {
  char *&mapped = arenas[rank];
  if (!mapped)
    mapped = mapOrFail(arenaOffset(rank), entries[rank].arenaBytes);
  return mapped + offset;
}
