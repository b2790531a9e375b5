//===- Definitions.h - Each name of a file is defined once ------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_DEFINITIONS_H
#define PCC_FRONTEND_ONNX_DEFINITIONS_H

#include "frontend/onnx/Reader.h"
#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

namespace pcc::frontend {

/// Checks that nodes, inputs and tensors of a graph, and of each of its
/// subgraphs, define each name once; an input may have the name of a tensor,
/// its default. With two definitions, the one that a node reads would be a
/// guess. Errors: a name with two definitions.
mlir::LogicalResult checkDefinitions(mlir::Location file,
                                     const onnx::GraphProto &graph);

/// Removes tensors of strings that nothing reads, such as class names.
void removeUnreadStrings(onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_DEFINITIONS_H
