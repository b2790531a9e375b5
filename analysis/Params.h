//===- Params.h - What the parameters of a model are ------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_PARAMS_H
#define PCC_ANALYSIS_PARAMS_H

#include "dialects/NN/NN.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::analysis {

/// Erases ops nobody uses, then parameters nobody reads (mask buffers that a
/// fused op replaced among them).
void sweep(mlir::ModuleOp module);

/// Brings the parameters into this order, which is the file's.
void sortParams(mlir::ModuleOp module, llvm::ArrayRef<llvm::StringRef> names);

/// Sets every parameter's initial values by its use: a scale of rank 1 is one,
/// a bias of rank 1 zero, all else is drawn from a normal distribution. Those
/// that are the file's stay so.
void classifyParams(mlir::ModuleOp module);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_PARAMS_H
