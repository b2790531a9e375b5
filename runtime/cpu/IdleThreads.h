//===- IdleThreads.h - Threads that have nothing left to do -----*- C++ -*-===//
//
// Open MPI 4 starts threads of its own, which run callbacks of its components,
// and MPI_Finalize unloads the components ahead of the threads. MPI_Init
// itself posts such a callback ("a programming model was declared"). Where a
// program is short and its cores are busy, the thread may not have run between
// the two, and then calls into a library that is gone. So a rank waits, before
// MPI_Finalize, until what Open MPI started sleeps.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_IDLETHREADS_H
#define PCC_RUNTIME_CPU_IDLETHREADS_H

#include <set>

namespace pcc {

/// The kernel's ids of this process's threads; empty where /proc is not there.
std::set<int> threadIds();

/// Waits until none of `threads` runs or is ready to run, for at most so many
/// milliseconds. Returns false if one still is.
bool waitUntilIdle(const std::set<int> &threads, int milliseconds);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_IDLETHREADS_H
