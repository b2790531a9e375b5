//===- LostBiases.cpp - Biases that an exporter removed -------------------===//

#include "frontend/weights/LostBiases.h"
#include "frontend/onnx/Metadata.h"
#include "frontend/weights/Names.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc::frontend;

/// A parameter's name with torch.export's spelling.
static std::string spell(StringRef name) {
  std::string text = name.lower();
  for (char &c : text)
    if (!llvm::isAlnum(c))
      c = '_';
  return text;
}

/// The bias argument of a call of a layer's function, with torch.export's
/// spelling; "" if it takes none.
static std::string biasOf(StringRef call) {
  StringRef arguments = call.split("(args = (").second;
  SmallVector<StringRef> list;
  arguments.split(list, ", ");
  bool isSumFirst = call.contains("aten.addmm.");
  size_t place = isSumFirst ? 0 : 2;
  if (place >= list.size())
    return "";
  StringRef bias = list[place];
  if (!bias.consume_front("%p_"))
    return "";
  return bias.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; })
      .str();
}

/// The weight of a Gemm or Conv and its number of outputs. Null for other
/// nodes, for a weight that is no initializer, and if the bias would be scaled.
static const onnx::TensorProto *
weightOf(const onnx::NodeProto &node,
         const llvm::StringMap<const onnx::TensorProto *> &tensors,
         int64_t &outputs) {
  const onnx::TensorProto *weight =
      node.input_size() > 1 ? tensors.lookup(node.input(1)) : nullptr;
  if (!weight || weight->dims_size() < 2)
    return nullptr;
  bool isTransposed = node.op_type() == "Conv";
  if (const onnx::AttributeProto *transB = findAttribute(node, "transB"))
    isTransposed = transB->i();
  const onnx::AttributeProto *beta = findAttribute(node, "beta");
  if (beta && beta->f() != 1)
    return nullptr;
  outputs = weight->dims(isTransposed ? 0 : 1);
  bool isKnown = node.op_type() == "Conv" || node.op_type() == "Gemm";
  return isKnown ? weight : nullptr;
}

LostBiases::LostBiases(Model &model, const TorchExport &module) {
  onnx::GraphProto &graph = *model.proto.mutable_graph();
  llvm::StringMap<const onnx::TensorProto *> tensors;
  for (const onnx::TensorProto &tensor : graph.initializer())
    tensors[tensor.name()] = &tensor;
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    bool hasBias = node.input_size() > 2 && !node.input(2).empty();
    if (!wasRewrittenBy(node, "RemoveOptionalBiasFrom") || hasBias)
      continue;
    std::string bias = biasOf(metadata(node, kNodeMetadata, kProgramNodeKey));
    if (bias.empty())
      continue;
    std::string name = module.nameOf("p_" + bias).str();
    if (name.empty()) {
      std::string path = modulePath(node);
      name = path.empty() ? "bias" : path + ".bias";
      if (spell(name) != bias)
        name = bias;
    }
    int64_t outputs = 0;
    const onnx::TensorProto *weight = weightOf(node, tensors, outputs);
    bool isNew = !tensors.contains(name);
    if (!weight || (!isNew && !restored.contains(name))) {
      if (!llvm::is_contained(lost, name))
        lost.push_back(name);
      continue;
    }
    if (isNew) {
      restored.insert(name);
      tensors[name] = model.addZeros(name, weight->data_type(), outputs);
    }
    if (node.input_size() < 3)
      node.add_input(name);
    else
      node.set_input(2, name);
  }
}

Provenance LostBiases::provenanceOf(const onnx::TensorProto &tensor) const {
  Provenance provenance;
  provenance.kind = Provenance::Kind::Parameter;
  provenance.evidence = "removed by the exporter, for it is all zeros";
  provenance.name = tensor.name();
  provenance.isNameProven = true;
  return provenance;
}
