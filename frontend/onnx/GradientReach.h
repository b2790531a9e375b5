//===- GradientReach.h - Values that gradients reach ------------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_GRADIENTREACH_H
#define PCC_FRONTEND_ONNX_GRADIENTREACH_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// The names of values that a gradient of the graph's outputs may reach, judged
/// by operators alone: it does not pass a comparison or reach the indices of a
/// lookup. Values that subgraphs read are included. `without`: further
/// operators that gradients do not pass.
llvm::StringSet<> findReached(const onnx::GraphProto &graph,
                              llvm::ArrayRef<llvm::StringRef> without = {});

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_GRADIENTREACH_H
