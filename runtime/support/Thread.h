//===- Thread.h - Threads beside the main one -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_THREAD_H
#define PCC_RUNTIME_SUPPORT_THREAD_H

#include <functional>
#include <thread>

namespace pcc {

/// Starts a thread that gets no signals: they are for the main thread, which
/// may be waiting in MPI.
std::thread startThread(std::function<void()> run);

/// Has this thread, which reads mapped files, get the signal of one that is cut
/// short: see MappedFile::onReadError(). Blocked it would end the process.
void takeReadErrors();

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_THREAD_H
