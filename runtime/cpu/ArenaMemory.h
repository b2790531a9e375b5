//===- ArenaMemory.h - The host memory of an arena --------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CPU_ARENAMEMORY_H
#define PCC_RUNTIME_CPU_ARENAMEMORY_H

#include "runtime/Backend.h"

#include <cstdint>

namespace pcc {

/// Maps zeroed memory of this process for an arena, at `at` unless that is
/// null; null with errno set if it cannot.
char *allocatePrivateArena(int64_t bytes, char *at);

/// Maps zeroed memory for the arena, which the transport can access, if there
/// is one, but for the offloaded range at its beginning. Exits with ExitMemory
/// if this host does not have the memory that its ranks need. All ranks call
/// it.
char *allocateArenaMemory(int64_t bytes, const backend::Offload &offload);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_ARENAMEMORY_H
