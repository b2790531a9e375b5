//===- RowEnds.cpp - States at the last marked position -------------------===//

#include "frontend/onnx/RowEnds.h"
#include "frontend/onnx/NodeGraph.h"
#include "frontend/onnx/TensorProto.h"

using namespace pcc::frontend;

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
  NodeGraph nodes(graph);
  for (onnx::NodeProto &places : *graph.mutable_node()) {
    if (places.op_type() != "NonZero")
      continue;
    onnx::NodeProto *transposed = nodes.only(places, "Transpose");
    const std::string *read = transposed ? &transposed->output(0) : nullptr;
    onnx::NodeProto *states = nullptr;
    // Operand 0 are the states, operand 1 the positions.
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
    transposed->set_op_type("Identity");
    transposed->clear_attribute();
    setAttribute(*states, "batch_dims");
  }
}
