//===- Buffers.cpp - Initializers that are no parameters ------------------===//

#include "frontend/Buffers.h"
#include "llvm/ADT/StringSwitch.h"
#include <google/protobuf/unknown_field_set.h>

using namespace mlir;
using namespace pcc::frontend;

std::string pcc::frontend::metadata(const google::protobuf::Message &message,
                                    int field, StringRef key) {
  const auto &unknown = message.GetReflection()->GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const google::protobuf::UnknownField &entry = unknown.field(i);
    if (entry.number() != field ||
        entry.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      continue;
    onnx::StringStringEntryProto pair;
    if (pair.ParseFromString(entry.length_delimited()) && key == pair.key())
      return pair.value();
  }
  return "";
}

/// Whether nothing can be trained through this operator's operand `i`.
static bool stopsGradient(const onnx::NodeProto &node, int i) {
  if (node.op_type() == "Where" || node.op_type() == "Gather" ||
      node.op_type() == "GatherElements")
    return i == (node.op_type() == "Where" ? 0 : 1);
  if (node.op_type() == "Cast") {
    for (const auto &attribute : node.attribute())
      if (attribute.name() == "to")
        switch (attribute.i()) {
        case onnx::TensorProto::FLOAT:
        case onnx::TensorProto::DOUBLE:
        case onnx::TensorProto::FLOAT16:
        case onnx::TensorProto::BFLOAT16:
          return false;
        default:
          return true;
        }
    return false;
  }
  return llvm::StringSwitch<bool>(node.op_type())
      .Cases({"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"},
             true)
      .Cases({"Shape", "Size", "Sin", "Cos", "NonZero", "IsNaN", "IsInf"}, true)
      .Cases({"Ceil", "Floor", "Round", "Sign"}, true)
      .Default(false);
}

llvm::StringSet<> pcc::frontend::findBuffers(const onnx::GraphProto &graph) {
  // From the outputs back, in reverse order of the nodes.
  llvm::StringSet<> alive;
  for (const auto &output : graph.output())
    alive.insert(output.name());
  for (int n = graph.node_size(); n-- > 0;) {
    const onnx::NodeProto &node = graph.node(n);
    if (llvm::none_of(node.output(), [&](const std::string &output) {
          return alive.contains(output);
        }))
      continue;
    for (int i = 0; i < node.input_size(); ++i)
      if (!stopsGradient(node, i))
        alive.insert(node.input(i));
  }
  llvm::StringMap<std::string> kinds;
  constexpr StringRef key = "pkg.torch.export.graph_signature.InputSpec.kind";
  auto note = [&](const google::protobuf::Message &message, int field,
                  StringRef name) {
    std::string kind = metadata(message, field, key);
    if (!kind.empty())
      kinds[name] = kind;
  };
  for (const auto &value : graph.value_info())
    note(value, kValueMetadata, value.name());
  llvm::StringSet<> buffers;
  for (const auto &tensor : graph.initializer()) {
    note(tensor, kTensorMetadata, tensor.name());
    auto kind = kinds.find(tensor.name());
    bool isBuffer =
        kind != kinds.end() && StringRef(kind->second).contains("BUFFER");
    if (isBuffer || !alive.contains(tensor.name()))
      buffers.insert(tensor.name());
  }
  return buffers;
}
