//===- Thread.h - Threads beside the main one -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_THREAD_H
#define PCC_RUNTIME_SUPPORT_THREAD_H

#include <functional>
#include <thread>

namespace pcc {

/// Starts a thread that gets no signals: they are for the main thread, which
/// may be waiting in MPI.
std::thread startThread(std::function<void()> run);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_THREAD_H
