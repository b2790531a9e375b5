//===- Diagnostics.h - Printing of diagnostics ------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIAGNOSTICS_H
#define PCC_TOOLS_PCC_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include <string>

namespace pcc {

/// Prints every diagnostic of a context as `file: error: message`, with the
/// ONNX node if the message does not contain it. Remembers whether one of them
/// is an internal error of the compiler.
class DiagnosticPrinter {
public:
  /// Prints to standard error until destroyed. `file` is the input's name on
  /// the command line. `showRemarks`: prints remarks, too.
  DiagnosticPrinter(mlir::MLIRContext &context, std::string file,
                    bool showRemarks);
  ~DiagnosticPrinter();
  /// Whether an error was printed.
  bool sawError() const { return error; }
  /// Whether an error had the form of emitOpError: an op failed its verifier or
  /// a pass's check, which no input should cause.
  bool sawInternalError() const { return internalError; }

private:
  void print(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext &context;
  std::string file;
  bool showRemarks;
  bool error = false, internalError = false;
  mlir::DiagnosticEngine::HandlerID handler;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_DIAGNOSTICS_H
