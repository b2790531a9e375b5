//===- RowEnds.cpp - States at the last marked position -------------------===//

#include "frontend/RowEnds.h"
#include "frontend/TensorProto.h"
#include "llvm/ADT/StringMap.h"

using namespace pcc::frontend;

namespace {
/// Nodes by what they read and give.
class Graph {
public:
  explicit Graph(onnx::GraphProto &graph) {
    for (onnx::NodeProto &node : *graph.mutable_node()) {
      for (const std::string &input : node.input())
        readers[input].push_back(&node);
      for (const std::string &output : node.output())
        makers[output] = &node;
    }
    for (const onnx::TensorProto &tensor : graph.initializer())
      tensors[tensor.name()] = &tensor;
  }

  /// The only node that reads this one's result, if it is of this kind and
  /// reads it first.
  onnx::NodeProto *only(const onnx::NodeProto &node, llvm::StringRef op) const {
    auto found = readers.find(node.output(0));
    if (found == readers.end() || found->second.size() != 1)
      return nullptr;
    onnx::NodeProto *reader = found->second.front();
    return reader->op_type() == op && reader->input(0) == node.output(0)
               ? reader
               : nullptr;
  }
  /// The whole number that a value is, as an initializer or a Constant.
  std::optional<int64_t> number(const std::string &value) const {
    const onnx::TensorProto *tensor = tensors.lookup(value);
    if (const onnx::NodeProto *maker = makers.lookup(value);
        maker && maker->op_type() == "Constant" && maker->attribute_size() == 1)
      tensor = &maker->attribute(0).t();
    return tensor ? wholeNumber(*tensor) : std::nullopt;
  }

private:
  llvm::StringMap<llvm::SmallVector<onnx::NodeProto *, 1>> readers;
  llvm::StringMap<onnx::NodeProto *> makers;
  llvm::StringMap<const onnx::TensorProto *> tensors;
};
} // namespace

static void setAttribute(onnx::NodeProto &node, llvm::StringRef name) {
  onnx::AttributeProto *attribute = node.add_attribute();
  attribute->set_name(name.str());
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(1);
}

static int64_t attributeOf(const onnx::NodeProto &node, llvm::StringRef name) {
  const onnx::AttributeProto *attribute = findAttribute(node, name);
  return attribute ? attribute->i() : 0;
}

void pcc::frontend::markRowEnds(onnx::GraphProto &graph) {
  Graph nodes(graph);
  for (onnx::NodeProto &places : *graph.mutable_node()) {
    if (places.op_type() != "NonZero")
      continue;
    onnx::NodeProto *turned = nodes.only(places, "Transpose");
    const std::string *read = turned ? &turned->output(0) : nullptr;
    onnx::NodeProto *states = nullptr;
    // The states come first, the places second.
    for (onnx::NodeProto &node : *graph.mutable_node())
      if (read && node.op_type() == "GatherND" && node.input_size() == 2 &&
          node.input(1) == *read)
        states = &node;
    onnx::NodeProto *rows = states ? nodes.only(*states, "Reshape") : nullptr;
    onnx::NodeProto *last = rows ? nodes.only(*rows, "Gather") : nullptr;
    if (!last || attributeOf(*states, "batch_dims") ||
        attributeOf(*last, "axis") != 1 || nodes.number(last->input(1)) != -1)
      continue;
    setAttribute(places, kRowEnds);
    turned->set_op_type("Identity");
    turned->clear_attribute();
    setAttribute(*states, "batch_dims");
  }
}
