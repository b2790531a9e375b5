//===- NodeGraph.cpp - Producers and readers of values --------------------===//

#include "frontend/onnx/NodeGraph.h"
#include "frontend/onnx/TensorProto.h"

using namespace pcc::frontend;

NodeGraph::NodeGraph(onnx::GraphProto &graph) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (const std::string &input : node.input())
      readers[input].push_back(&node);
    for (const std::string &output : node.output())
      producers[output] = &node;
  }
  for (const onnx::TensorProto &tensor : graph.initializer())
    tensors[tensor.name()] = &tensor;
}

onnx::NodeProto *NodeGraph::producer(const std::string &value,
                                     llvm::StringRef op) const {
  onnx::NodeProto *node = producers.lookup(value);
  return node && node->op_type() == op ? node : nullptr;
}

onnx::NodeProto *NodeGraph::only(const onnx::NodeProto &node,
                                 llvm::StringRef op) const {
  auto found = readers.find(node.output(0));
  if (found == readers.end() || found->second.size() != 1)
    return nullptr;
  onnx::NodeProto *reader = found->second.front();
  return reader->op_type() == op && reader->input(0) == node.output(0)
             ? reader
             : nullptr;
}

std::optional<int64_t> NodeGraph::number(const std::string &value) const {
  const onnx::TensorProto *tensor = initializer(value);
  if (const onnx::NodeProto *constant = producer(value, "Constant");
      constant && constant->attribute_size() == 1)
    tensor = &constant->attribute(0).t();
  return tensor ? wholeNumber(*tensor) : std::nullopt;
}
