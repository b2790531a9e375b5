//===- Inputs.h - The inputs of a model -------------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_INPUTS_H
#define PCC_FRONTEND_IMPORT_INPUTS_H

#include "frontend/binding/Binder.h"
#include "frontend/import/Import.h"
#include "frontend/import/SharedInputs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::frontend {

/// Creates @forward with an argument for every input of the graph, or a
/// constant if its values follow from how training data is fed. Adds the inputs
/// to `items` and sets `builder` to insert in the body. Inputs named in
/// `options.inputs` are never constants; constant inputs are recorded on the
/// module. Ids have the role "tokens" until assignRoles. Errors: those of
/// bindDims(), a cache of past keys, a name that cannot be a file name.
mlir::FailureOr<mlir::func::FuncOp>
makeForward(mlir::OpBuilder &builder, mlir::Location file,
            const onnx::GraphProto &graph, const ImportOptions &options,
            const BatchDims &batchDims, llvm::StringMap<Item> &items);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_INPUTS_H
