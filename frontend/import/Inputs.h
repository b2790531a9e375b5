//===- Inputs.h - The inputs of a model -------------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_INPUTS_H
#define PCC_FRONTEND_IMPORT_INPUTS_H

#include "frontend/binding/Binder.h"
#include "frontend/import/Import.h"
#include "frontend/import/SharedInputs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// @forward with an argument for every input of the graph, or a constant where
/// its values follow from how training data is fed; `items` gets what each
/// stands for, and `builder` then stands in the body. What `options.inputs`
/// names is never a constant; what is one is noted on the module. Ids have role
/// "tokens" until assignRoles. Errors: a dim that is not bound, a cache of past
/// keys.
mlir::FailureOr<mlir::func::FuncOp>
makeForward(mlir::OpBuilder &builder, mlir::Location file,
            const onnx::GraphProto &graph, const ImportOptions &options,
            const BatchDims &batchDims, llvm::StringMap<Item> &items);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_INPUTS_H
