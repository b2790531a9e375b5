//===- Detached.h - Detached operands ---------------------------*- C++ -*-===//
//
// detach() is the identity; the dynamo exporter removes it when it optimizes.
// The metadata of the nodes that read its result still names it:
//
//   Mul(x, y)    %mul : call_function[target=...mul.Tensor](args = (%detach,
//   %y))
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_DETACHED_H
#define PCC_FRONTEND_WEIGHTS_DETACHED_H

#include "frontend/weights/TorchExport.h"
#include "llvm/ADT/DenseMap.h"

namespace pcc::frontend {

/// Operands that the program's nodes read detached although the file lacks the
/// detaching node.
class DetachedReads {
public:
  DetachedReads() = default;
  /// `module`: the module's description in the file.
  DetachedReads(const onnx::GraphProto &graph, const TorchExport &module);

  /// Whether node number `node` of the graph reads operand `i` detached.
  bool contains(int64_t node, int64_t i) const {
    return operands.contains({node, i});
  }
  /// The nodes with a detached operand for which the file does not tell which
  /// operand it is.
  llvm::ArrayRef<std::string> getUnknown() const { return unknown; }

private:
  llvm::DenseSet<std::pair<int64_t, int64_t>> operands;
  std::vector<std::string> unknown;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_DETACHED_H
