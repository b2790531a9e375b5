//===- Definitions.h - What gives each value of a file ----------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_DEFINITIONS_H
#define PCC_FRONTEND_ONNX_DEFINITIONS_H

#include "frontend/onnx/Reader.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

namespace pcc::frontend {

/// Errors: a name stands for two values, of nodes, inputs or tensors, in one
/// graph. Which one a node reads would be a guess.
mlir::LogicalResult checkDefinitions(mlir::Location file,
                                     const onnx::GraphProto &graph);

/// Removes tensors of strings that nothing reads, such as names of classes.
void removeUnreadStrings(onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_DEFINITIONS_H
