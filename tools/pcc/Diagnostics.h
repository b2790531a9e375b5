//===- Diagnostics.h - How pcc tells a user what is wrong -------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_DIAGNOSTICS_H
#define PCC_TOOLS_PCC_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include <string>

namespace pcc {

/// Prints every diagnostic of a context as `file: error: message`, naming the
/// ONNX node where the message does not, and remembers whether one of them is
/// our own mistake rather than the user's.
class DiagnosticPrinter {
public:
  /// Prints to standard error until destroyed. `file`: what the command line
  /// called the input; `showRemarks`: remarks are printed, too.
  DiagnosticPrinter(mlir::MLIRContext &context, std::string file,
                    bool showRemarks);
  ~DiagnosticPrinter();
  /// True once an error was printed.
  bool sawError() const { return error; }
  /// True once an op failed its verifier: no user can cause that.
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
