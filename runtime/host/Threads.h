//===- Threads.h - The threads of a rank ------------------------*- C++ -*-===//
//
// Threads are libgomp's, which OpenBLAS uses too: one pool for both, so that
// they never compete. clang emits no calls to libgomp, hence the direct ones.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_HOST_THREADS_H
#define PCC_RUNTIME_HOST_THREADS_H

#include "runtime/Runtime.h"

namespace pcc {

/// Sets the number of threads of all parallel work of this process.
void setThreads(int threads);

/// Calls body(data, part) for part = 0 .. parts - 1 on as many threads, parts
/// being at most the number of threads; BLAS calls inside run on one thread.
void runParts(int parts, void (*body)(void *data, int part), void *data);

/// Runs a kernel on [0, n), split over at most so many threads, each of which
/// gets `grain` units at least.
void runUnits(int threads, pcc_units kernel, void *const *args, int64_t n,
              int64_t grain);

/// Cores that this process may run on, as a share with the other processes of
/// the same host: `masks` holds all their affinity masks.
int fairThreads(const unsigned char *masks, int64_t maskBytes, int processes,
                int own);

} // namespace pcc

#endif // PCC_RUNTIME_HOST_THREADS_H
