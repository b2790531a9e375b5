//===- Unsupported.h - Unsupported operators --------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_UNSUPPORTED_H
#define PCC_FRONTEND_IMPORT_UNSUPPORTED_H

#include "frontend/import/Support.h"
#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// All operators of a file, by name, with remedies for the unsupported ones.
std::vector<OperatorUse> operatorsOf(const onnx::ModelProto &model);

/// A message if the file's opset is newer than kNewestOpset; "" otherwise.
std::string findNewerThanKnown(const onnx::ModelProto &model);

/// The remedy for such a file.
inline constexpr llvm::StringLiteral kNewerRemedy =
    "a newer operator may compute something else: export at an opset_version "
    "that pcc knows";

/// Warns of fields of a file that are not read: fields of a newer format, and a
/// training algorithm.
void warnOfUnreadFields(mlir::Location loc, const onnx::ModelProto &model);

/// Fails if an operator is not supported, with a note for each, or if the
/// file's opset is newer than kNewestOpset.
mlir::LogicalResult reportUnsupported(mlir::Location loc,
                                      const onnx::ModelProto &model);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_UNSUPPORTED_H
