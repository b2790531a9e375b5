//===- DiagnosticCode.h - What diagnostics mean to tools --------*- C++ -*-===//
//
// Most diagnostics are only read by people. Those that a tool must tell apart
// carry a code, which is not printed: their words may change.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_DIAGNOSTICCODE_H
#define PCC_DIALECTS_NN_DIAGNOSTICCODE_H

#include "mlir/IR/Diagnostics.h"

namespace pcc::nn {

/// What a tool does about a diagnostic.
enum class DiagnosticCode : int64_t {
  None,
  /// A file has operators that are not supported; a note for each.
  UnsupportedOperators,
  /// Nothing is wrong with the file, but it leaves something open: the first
  /// note names the flag to add.
  MissingFlag,
};

/// Gives a diagnostic a code before it is reported, once.
inline void setCode(mlir::InFlightDiagnostic &diagnostic, DiagnosticCode code) {
  if (mlir::Diagnostic *underlying = diagnostic.getUnderlyingDiagnostic())
    underlying->getMetadata().push_back(
        mlir::DiagnosticArgument(static_cast<int64_t>(code)));
}

/// The code of a diagnostic; None for most.
inline DiagnosticCode getCode(mlir::Diagnostic &diagnostic) {
  for (const mlir::DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() ==
        mlir::DiagnosticArgument::DiagnosticArgumentKind::Integer)
      return static_cast<DiagnosticCode>(argument.getAsInteger());
  return DiagnosticCode::None;
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_DIAGNOSTICCODE_H
