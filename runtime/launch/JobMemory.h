//===- JobMemory.h - The memory that a self-started job shares --*- C++ -*-===//
//
// A program that starts its own ranks shares a file in memory with them. The
// file has no name: its descriptor is inherited, and the kernel frees it when
// the last process ends. It is sparse: a page exists once it was written.
//
//   0                  the status board (StatusBoard.h)
//   kBoardBytes        what the ranks exchange (shared/Transport.h)
//   (r + 1) * 64 TiB   the arena of rank r
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_JOBMEMORY_H
#define PCC_RUNTIME_LAUNCH_JOBMEMORY_H

#include <cstdint>
#include <string>

namespace pcc {

/// The size of the first part of the file.
constexpr int64_t kBoardBytes = int64_t{1} << 20;

/// Creates the memory of a job of so many ranks. Returns an entry "NAME=value",
/// unique to the job, that the processes started from now on have in their
/// environment. Exits with ExitWorld on failure.
std::string createJobMemory(int64_t ranks);

/// Whether this process belongs to such a job, as parent or as rank.
bool hasJobMemory();

/// Maps a part of the memory for reading and writing, at `at` unless that is
/// null. `offset` is a multiple of the page size. Returns null with errno set
/// on failure.
void *mapJobMemory(int64_t offset, int64_t bytes, void *at = nullptr);

/// The offset of a rank's arena.
inline int64_t arenaOffset(int64_t rank) { return (rank + 1) << 46; }

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_JOBMEMORY_H
