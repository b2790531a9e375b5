//===- Params.h - Order and initial values of parameters --------*- C++ -*-===//

#ifndef PCC_ANALYSIS_PARAMS_H
#define PCC_ANALYSIS_PARAMS_H

#include "dialects/NN/NN.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::analysis {

/// Erases dead ops, then parameters that no op reads, such as mask buffers that
/// a fused op replaced.
void eraseUnused(mlir::ModuleOp module);

/// Sorts the parameters into the order of `names`, which is the file's.
void sortParams(mlir::ModuleOp module, llvm::ArrayRef<llvm::StringRef> names);

/// Sets the initial value of every parameter by its use: 1 for scales and 0 for
/// biases of rank below 2, a normal distribution for all others. Parameters
/// with `init file` are not changed.
void classifyParams(mlir::ModuleOp module);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_PARAMS_H
