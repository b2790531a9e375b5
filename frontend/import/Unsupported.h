//===- Unsupported.h - Operators the frontend does not know -----*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_UNSUPPORTED_H
#define PCC_FRONTEND_IMPORT_UNSUPPORTED_H

#include "frontend/import/Support.h"
#include "frontend/onnx/Reader.h"

namespace pcc::frontend {

/// All operators of a file and what can be done about those that are not
/// supported, by name.
std::vector<OperatorUse> operatorsOf(const onnx::ModelProto &model);

/// Says that the file's opset is newer than kNewestOpset; "" if it is not.
std::string findNewerThanKnown(const onnx::ModelProto &model);

/// What a user can do about such a file.
inline constexpr llvm::StringLiteral kNewerRemedy =
    "a newer operator may compute something else: export at an opset_version "
    "that pcc knows";

/// Warns of fields of a file that are not read: those of a newer format, and a
/// training algorithm of its own.
void warnOfUnreadFields(mlir::Location loc, const onnx::ModelProto &model);

/// Fails, with one note per operator, if any is not supported or the file's
/// opset is newer than kNewestOpset.
mlir::LogicalResult reportUnsupported(mlir::Location loc,
                                      const onnx::ModelProto &model);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_UNSUPPORTED_H
