//===- Console.h - Standard output ------------------------------*- C++ -*-===//
//
// A reader that goes away (| head) or a full disk must not end a run in the
// middle: what cannot be printed is noted, and the run decides.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_TELEMETRY_CONSOLE_H
#define PCC_RUNTIME_TELEMETRY_CONSOLE_H

#include <string>

namespace pcc {

/// Called first of all. Has the three standard streams open, so that no file
/// of the run gets the number of one with all that is printed, and a write to
/// what nobody reads fail rather than end the process.
void openConsole();

/// Writes the text to standard output, at once; nothing after a failure. Waits
/// for a reader as long as it takes.
void print(const std::string &text);

/// Whether print() would not wait, for another thread than the main one.
bool isConsoleReady();

/// The errno with which standard output failed, or 0.
int consoleError();

/// Whether it failed because nobody reads it any more.
bool isConsoleClosed();

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_CONSOLE_H
