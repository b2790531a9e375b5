//===- Constants.h - Constant nodes that may be weights ---------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_CONSTANTS_H
#define PCC_FRONTEND_ONNX_CONSTANTS_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// Whether the elements of a tensor are floats of a type that programs have.
bool isOfFloats(const onnx::TensorProto &tensor);

/// Adds an initializer for each Constant node that may be a weight: its value
/// is a tensor of floats that refers to bytes of a file, of several elements or
/// with a module's name. Some tools write weights as Constant nodes. The nodes
/// stay, so the numbers of all nodes are unchanged.
void liftConstants(onnx::GraphProto &graph);

/// The names of the results of all Constant nodes.
llvm::StringSet<> namesOfConstants(const onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_CONSTANTS_H
