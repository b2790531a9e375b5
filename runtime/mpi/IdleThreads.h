//===- IdleThreads.h - Waiting for idle threads -----------------*- C++ -*-===//
//
// Open MPI 4 starts threads that run callbacks of its components, and
// MPI_Finalize unloads the components before it ends the threads. MPI_Init
// itself posts such a callback ("a programming model was declared"). In a short
// program on busy cores, the thread may not have run before MPI_Finalize, and
// then calls into an unloaded library. So before MPI_Finalize a rank waits
// until Open MPI's threads sleep.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MPI_IDLETHREADS_H
#define PCC_RUNTIME_MPI_IDLETHREADS_H

#include <set>

namespace pcc {

/// The kernel's ids of this process's threads; empty without /proc.
std::set<int> threadIds();

/// Waits until none of `threads` is running or ready to run, for at most this
/// many milliseconds. Returns false if one still is.
bool waitUntilIdle(const std::set<int> &threads, int milliseconds);

} // namespace pcc

#endif // PCC_RUNTIME_MPI_IDLETHREADS_H
