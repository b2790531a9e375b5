//===- Threads.h - The threads of a rank ------------------------*- C++ -*-===//
//
// The threads are libgomp's, which OpenBLAS uses, too: a shared pool, so that
// they never compete. clang emits no calls to libgomp, hence the direct calls.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_HOST_THREADS_H
#define PCC_RUNTIME_HOST_THREADS_H

#include "runtime/Runtime.h"

namespace pcc {

/// Sets the number of threads of all parallel work in this process.
void setThreads(int threads);

/// Returns the number that setThreads() has set.
int getThreads();

/// Calls body(data, part) for part = 0 .. parts - 1, each on its own thread, or
/// several on one if the system starts fewer threads. `parts` must be at most
/// the number of threads. BLAS calls inside run on one thread.
void runParts(int parts, void (*body)(void *data, int part), void *data);

/// Runs a kernel on the work items [0, n), split over at most `threads` threads
/// and at most ceil(n / grain).
void runWorkItems(int threads, pcc_work_items kernel, void *const *args,
                  int64_t n, int64_t grain);

/// This process's share of the cores of its host, which the other processes
/// use, too: `masks` holds the affinity masks of all processes.
int fairThreads(const unsigned char *masks, int64_t maskBytes, int processes,
                int own);

} // namespace pcc

#endif // PCC_RUNTIME_HOST_THREADS_H
