//===- Params.h - What the parameters of a model are ------------*- C++ -*-===//

#ifndef PCC_FRONTEND_PARAMS_H
#define PCC_FRONTEND_PARAMS_H

#include "dialects/NN/NN.h"
#include "frontend/Reader.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::frontend {

/// Erases ops nobody uses, then parameters nobody reads (mask buffers that a
/// fused op replaced among them).
void sweep(mlir::ModuleOp module);

/// Orders the parameters as the file does.
void sortParams(mlir::ModuleOp module, const onnx::GraphProto &graph);

/// Sets every parameter's initial values by its use: a scale of rank 1 is one,
/// a bias of rank 1 zero, all else is drawn from a normal distribution.
void classifyParams(mlir::ModuleOp module);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_PARAMS_H
