//===- NodeGraph.h - Producers and readers of values ------------*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_NODEGRAPH_H
#define PCC_FRONTEND_ONNX_NODEGRAPH_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace pcc::frontend {

/// Producers and readers of a graph's values. Valid until a node is added or
/// removed.
class NodeGraph {
public:
  /// Indexes `graph`, which must outlive this.
  explicit NodeGraph(onnx::GraphProto &graph);

  /// The node of kind `op` that produces a value; null if there is none.
  onnx::NodeProto *producer(const std::string &value, llvm::StringRef op) const;
  /// The only reader of this node's first result, if it is of kind `op` and
  /// reads it as operand 0; null otherwise.
  onnx::NodeProto *only(const onnx::NodeProto &node, llvm::StringRef op) const;
  /// The number in an initializer or Constant, as wholeNumber(); nothing for
  /// other values.
  std::optional<int64_t> number(const std::string &value) const;
  /// The initializer of this name; null if there is none.
  const onnx::TensorProto *initializer(const std::string &value) const {
    return tensors.lookup(value);
  }

private:
  llvm::StringMap<llvm::SmallVector<onnx::NodeProto *, 1>> readers;
  llvm::StringMap<onnx::NodeProto *> producers;
  llvm::StringMap<const onnx::TensorProto *> tensors;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_NODEGRAPH_H
