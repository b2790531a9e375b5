//===- GradientReach.cpp - Values that gradients reach --------------------===//

#include "frontend/onnx/GradientReach.h"
#include "runtime/support/DType.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

static bool isFloatCast(const onnx::NodeProto &node) {
  const onnx::AttributeProto *to = findAttribute(node, "to");
  if (!to)
    return true;
  int32_t dtype = dtypeOfONNX(to->i());
  return dtype >= 0 && isFloat(dtype);
}

/// Whether no gradient flows to operand `i` of this node.
static bool stopsGradient(const onnx::NodeProto &node, int i) {
  StringRef op = node.op_type();
  if (op == "Cast")
    return !isFloatCast(node);
  return llvm::StringSwitch<bool>(op)
      .Cases({"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"},
             true)
      .Cases({"Shape", "Size", "NonZero", "IsNaN", "IsInf"}, true)
      .Cases({"Ceil", "Floor", "Round", "Sign", "Range", "OneHot"}, true)
      .Case("Where", i == 0)
      .Cases({"Gather", "GatherElements", "GatherND"}, i == 1)
      .Cases({"Clip", "Dropout", "Reshape", "Expand", "Tile"}, i > 0)
      .Cases({"Slice", "TopK", "Resize"}, i > 0)
      .Case("Pad", i == 1)
      .Case("BatchNormalization", i > 2)
      .Default(false);
}

/// Adds the names that the subgraphs of a node read.
static void addCaptured(const onnx::NodeProto &node, llvm::StringSet<> &alive) {
  for (const auto &attribute : node.attribute())
    for (const onnx::NodeProto &inner : attribute.g().node()) {
      for (const std::string &input : inner.input())
        alive.insert(input);
      addCaptured(inner, alive);
    }
}

llvm::StringSet<> pcc::frontend::findReached(const onnx::GraphProto &graph,
                                             ArrayRef<StringRef> without) {
  llvm::StringSet<> alive;
  for (const auto &output : graph.output())
    alive.insert(output.name());
  for (int n = graph.node_size(); n-- > 0;) {
    const onnx::NodeProto &node = graph.node(n);
    if (llvm::none_of(node.output(), [&](const std::string &output) {
          return alive.contains(output);
        }))
      continue;
    bool isPassed = !llvm::is_contained(without, StringRef(node.op_type()));
    for (int i = 0; isPassed && i < node.input_size(); ++i)
      if (!stopsGradient(node, i))
        alive.insert(node.input(i));
    addCaptured(node, alive);
  }
  return alive;
}
