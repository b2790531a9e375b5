//===- ModelNames.h - Names that become files and tensors -------*- C++ -*-===//
//
// A model's names of inputs, outputs and parameters name files that a program
// opens and tensors of checkpoints. Who made the model chose them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_IMPORT_MODELNAMES_H
#define PCC_FRONTEND_IMPORT_MODELNAMES_H

#include "mlir/IR/BuiltinOps.h"

namespace pcc::frontend {

/// What a model has arrays for.
enum class Arrays { Inputs, Outputs };

/// Refuses names that no file may have, and two that would be one file.
mlir::LogicalResult checkArrayNames(mlir::Location file, Arrays arrays,
                                    llvm::ArrayRef<llvm::StringRef> names);

/// Refuses names of parameters that no checkpoint can have, and two parameters
/// with one name there.
mlir::LogicalResult checkParamNames(mlir::Location file, mlir::ModuleOp module);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_MODELNAMES_H
