//===- Thread.h - Auxiliary threads -----------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_SUPPORT_THREAD_H
#define PCC_RUNTIME_SUPPORT_THREAD_H

#include <functional>
#include <thread>

namespace pcc {

/// Starts a thread with all signals blocked: they go to the main thread.
std::thread startThread(std::function<void()> run);

/// Unblocks SIGBUS for this thread, which reads mapped files and gets it when a
/// file is truncated: see MappedFile::onReadError(). If it were blocked, the
/// signal would end the process without a message.
void unblockReadErrors();

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_THREAD_H
