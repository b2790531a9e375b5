//===- Detached.h - Where a program detaches values -------------*- C++ -*-===//
//
// detach() is the identity, which the dynamo exporter removes where it
// optimizes. The nodes that read the result still say so:
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

/// The operands that a program's nodes read detached, where the file does not
/// have the node that detaches.
class DetachedReads {
public:
  DetachedReads() = default;
  /// `module`: what the file says of the graph's module.
  DetachedReads(const onnx::GraphProto &graph, const TorchExport &module);

  /// Whether node number `node` of the graph reads operand `i` so.
  bool contains(int64_t node, int64_t i) const {
    return operands.contains({node, i});
  }
  /// The nodes that read something detached, of which the file does not tell
  /// which operand it is.
  llvm::ArrayRef<std::string> getUnknown() const { return unknown; }

private:
  llvm::DenseSet<std::pair<int64_t, int64_t>> operands;
  std::vector<std::string> unknown;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_DETACHED_H
