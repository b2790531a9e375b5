//===- DiagnosticCode.h - Machine-readable codes of diagnostics -*- C++ -*-===//
//
// Diagnostics that a tool must distinguish carry a code, which is not printed.
// So their wording may change.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_DIAGNOSTICCODE_H
#define PCC_DIALECTS_NN_DIAGNOSTICCODE_H

#include "mlir/IR/Diagnostics.h"

namespace pcc::nn {

/// The code of a diagnostic that a tool distinguishes.
enum class DiagnosticCode : int64_t {
  None,
  /// A file has unsupported operators; there is a note for each.
  UnsupportedOperators,
  /// The file is valid but does not determine an option: the first note names
  /// the flag to add.
  MissingFlag,
};

/// Attaches a code to a diagnostic that is not yet reported. Call at most once.
inline void setCode(mlir::InFlightDiagnostic &diagnostic, DiagnosticCode code) {
  if (mlir::Diagnostic *underlying = diagnostic.getUnderlyingDiagnostic())
    underlying->getMetadata().push_back(
        mlir::DiagnosticArgument(static_cast<int64_t>(code)));
}

/// The code of a diagnostic; None if it has none.
inline DiagnosticCode getCode(mlir::Diagnostic &diagnostic) {
  for (const mlir::DiagnosticArgument &argument : diagnostic.getMetadata())
    if (argument.getKind() ==
        mlir::DiagnosticArgument::DiagnosticArgumentKind::Integer)
      return static_cast<DiagnosticCode>(argument.getAsInteger());
  return DiagnosticCode::None;
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_DIAGNOSTICCODE_H
