//===- LostBiases.cpp - Biases that an exporter removed -------------------===//

#include "frontend/LostBiases.h"
#include "frontend/Metadata.h"
#include "frontend/Names.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc::frontend;

/// A parameter's name as torch.export spells it.
static std::string spell(StringRef name) {
  std::string text = name.lower();
  for (char &c : text)
    if (!llvm::isAlnum(c))
      c = '_';
  return text;
}

/// The parameter that a call of a layer's function takes as its bias, as
/// torch.export spells it; "" if it takes none.
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

std::vector<std::string>
pcc::frontend::lostBiases(const onnx::GraphProto &graph) {
  std::vector<std::string> lost;
  for (const onnx::NodeProto &node : graph.node()) {
    std::string rules =
        metadata(node, kNodeMetadata, "pkg.onnxscript.rewriter.rule_name");
    bool hasBias = node.input_size() > 2 && !node.input(2).empty();
    if (!StringRef(rules).contains("RemoveOptionalBiasFrom") || hasBias)
      continue;
    std::string bias =
        biasOf(metadata(node, kNodeMetadata, "pkg.torch.onnx.fx_node"));
    if (bias.empty())
      continue;
    std::string module = modulePath(node);
    std::string name = module.empty() ? "bias" : module + ".bias";
    if (spell(name) != bias)
      name = bias;
    if (!llvm::is_contained(lost, name))
      lost.push_back(name);
  }
  return lost;
}
