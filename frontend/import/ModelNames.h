//===- ModelNames.h - Names of arrays and checkpoint tensors ----*- C++ -*-===//
//
// The names of a model's inputs, outputs and parameters become names of files
// that a program opens and of tensors in checkpoints. The model's author chose
// them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_IMPORT_MODELNAMES_H
#define PCC_FRONTEND_IMPORT_MODELNAMES_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc::frontend {

/// Whether arrays are inputs or outputs of a model.
enum class Arrays { Inputs, Outputs };

/// Checks that each name can be a file name and that no two arrays have the
/// same file.
mlir::LogicalResult checkArrayNames(mlir::Location file, Arrays arrays,
                                    llvm::ArrayRef<llvm::StringRef> names);

/// Checks that parameters have valid and distinct names in checkpoints, and
/// that no other symbol of a program has the name of a parameter.
mlir::LogicalResult checkParamNames(mlir::Location file, mlir::ModuleOp module);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_MODELNAMES_H
