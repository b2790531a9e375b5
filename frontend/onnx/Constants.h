//===- Constants.h - Constant nodes that may be weights ---------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_CONSTANTS_H
#define PCC_FRONTEND_ONNX_CONSTANTS_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// Whether the elements of a tensor are floats of a type that programs have.
bool isOfFloats(const onnx::TensorProto &tensor);

/// Adds initializers of the names and elements of those Constant nodes that are
/// tensors of floats at a place in the file: tools write weights so. The nodes
/// stay, so that the others keep their numbers.
void liftConstants(onnx::GraphProto &graph);

/// The names of what Constant nodes give.
llvm::StringSet<> namesOfConstants(const onnx::GraphProto &graph);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_CONSTANTS_H
