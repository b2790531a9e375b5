//===- MarkedWrites.cpp - Masked writes of one vector ---------------------===//

#include "frontend/onnx/MarkedWrites.h"
#include "frontend/onnx/NodeGraph.h"
#include "llvm/ADT/StringSet.h"

using namespace pcc::frontend;

/// Whether a tensor is one vector, independent of the number of positions.
static bool isVector(const onnx::TensorProto &tensor) {
  for (int i = 0; i + 1 < tensor.dims_size(); ++i)
    if (tensor.dims(i) != 1)
      return false;
  return true;
}

/// The operands of the Where that replaces a ScatterND, if it writes one vector
/// at the positions of a mask.
static std::optional<std::array<std::string, 3>>
choiceOf(const onnx::NodeProto &scatter, const NodeGraph &nodes) {
  const onnx::AttributeProto *reduction = findAttribute(scatter, "reduction");
  if (scatter.op_type() != "ScatterND" || scatter.input_size() != 3 ||
      (reduction && reduction->s() != "none"))
    return std::nullopt;
  const onnx::NodeProto *transposed =
      nodes.producer(scatter.input(1), "Transpose");
  const onnx::NodeProto *places =
      transposed ? nodes.producer(transposed->input(0), "NonZero") : nullptr;
  const onnx::NodeProto *marked =
      places ? nodes.producer(places->input(0), "Expand") : nullptr;
  const onnx::NodeProto *flat = nodes.producer(scatter.input(2), "Reshape");
  const onnx::NodeProto *values =
      flat ? nodes.producer(flat->input(0), "Expand") : nullptr;
  // A shape of one number: the values are flattened.
  const onnx::TensorProto *row =
      flat ? nodes.initializer(flat->input(1)) : nullptr;
  if (!marked || !values || !row || row->dims_size() != 1 || row->dims(0) != 1)
    return std::nullopt;
  // The mask has all dims of x and is repeated along the last one.
  const onnx::NodeProto *shape = nodes.producer(marked->input(1), "Shape");
  const onnx::TensorProto *token = nodes.initializer(values->input(0));
  if (!shape || shape->input(0) != scatter.input(0) ||
      !nodes.producer(marked->input(0), "Unsqueeze") || !token ||
      !isVector(*token))
    return std::nullopt;
  return std::array<std::string, 3>{places->input(0), values->input(0),
                                    scatter.input(0)};
}

static void noteReads(const onnx::NodeProto &node, llvm::StringSet<> &read) {
  for (const std::string &input : node.input())
    read.insert(input);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    for (const onnx::NodeProto &inner : attribute.g().node())
      noteReads(inner, read);
    for (const onnx::ValueInfoProto &output : attribute.g().output())
      read.insert(output.name());
  }
}

/// Removes nodes whose results are not read.
static void removeUnread(onnx::GraphProto &graph) {
  llvm::StringSet<> read;
  for (const onnx::ValueInfoProto &output : graph.output())
    read.insert(output.name());
  auto isRead = [&](const std::string &value) { return read.contains(value); };
  // Operands precede their readers.
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto &node = graph.node(i);
    if (llvm::none_of(node.output(), isRead)) {
      graph.mutable_node()->DeleteSubrange(i, 1);
      continue;
    }
    noteReads(node, read);
  }
}

void pcc::frontend::chooseMarkedWrites(onnx::GraphProto &graph) {
  NodeGraph nodes(graph);
  bool isChanged = false;
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    auto operands = choiceOf(node, nodes);
    if (!operands)
      continue;
    isChanged = true;
    node.set_op_type("Where");
    node.clear_attribute();
    for (auto [i, operand] : llvm::enumerate(*operands))
      node.set_input(i, operand);
  }
  if (isChanged)
    removeUnread(graph);
}
