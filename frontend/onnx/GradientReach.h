//===- GradientReach.h - What gradients reach in a graph --------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_GRADIENTREACH_H
#define PCC_FRONTEND_ONNX_GRADIENTREACH_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// The names of values that a gradient of the graph's outputs reaches, as far
/// as operators alone tell: none passes a comparison, or gets to the indices of
/// a lookup. What branches read is taken to be reached. `without`: operators
/// that are not passed, either.
llvm::StringSet<> findReached(const onnx::GraphProto &graph,
                              llvm::ArrayRef<llvm::StringRef> without = {});

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_GRADIENTREACH_H
