//===- Console.h - Standard output ------------------------------*- C++ -*-===//
//
// A reader that closes its end (| head) or a full disk must not end a run at
// once: the error is recorded, and the run decides.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_TELEMETRY_CONSOLE_H
#define PCC_RUNTIME_TELEMETRY_CONSOLE_H

#include <string>

namespace pcc {

/// Called first in a process. Opens those of the three standard streams that
/// are closed, so that no file of the run gets the descriptor of one and with
/// it all printed text. Ignores SIGPIPE, so that a write to a closed pipe fails
/// instead of ending the process.
void openConsole();

/// Writes the text to standard output without buffering; does nothing after a
/// failure. Waits for a slow reader without a time limit.
void print(const std::string &text);

/// Returns whether print() would not block. For threads other than the main
/// one.
bool isConsoleReady();

/// Returns the errno with which standard output failed, or 0.
int consoleError();

/// Returns whether standard output failed because its reader or terminal is
/// gone, or because it was never open for writing.
bool isConsoleClosed();

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_CONSOLE_H
