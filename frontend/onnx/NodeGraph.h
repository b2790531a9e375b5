//===- NodeGraph.h - The nodes of a model by what they read -----*- C++ -*-===//

#ifndef PCC_FRONTEND_ONNX_NODEGRAPH_H
#define PCC_FRONTEND_ONNX_NODEGRAPH_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace pcc::frontend {

/// Nodes by what they read and give, as long as none is added or removed.
class NodeGraph {
public:
  /// Indexes `graph`, which must outlive this.
  explicit NodeGraph(onnx::GraphProto &graph);

  /// The node of this kind that gives a value; null if another or none does.
  onnx::NodeProto *maker(const std::string &value, llvm::StringRef op) const;
  /// The only node that reads this one's result, if it is of this kind and
  /// reads it first.
  onnx::NodeProto *only(const onnx::NodeProto &node, llvm::StringRef op) const;
  /// The whole number that a value is, as an initializer or a Constant.
  std::optional<int64_t> number(const std::string &value) const;
  /// The initializer that a value is; null if it is none.
  const onnx::TensorProto *initializer(const std::string &value) const {
    return tensors.lookup(value);
  }

private:
  llvm::StringMap<llvm::SmallVector<onnx::NodeProto *, 1>> readers;
  llvm::StringMap<onnx::NodeProto *> makers;
  llvm::StringMap<const onnx::TensorProto *> tensors;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_NODEGRAPH_H
