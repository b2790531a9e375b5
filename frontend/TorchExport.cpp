//===- TorchExport.cpp - What torch.export says of a module ---------------===//

#include "frontend/TorchExport.h"
#include "frontend/Metadata.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::frontend;

static constexpr llvm::StringLiteral kSignature =
    "pkg.torch.export.ExportedProgram.graph_signature";
static constexpr llvm::StringLiteral kNode = "pkg.torch.onnx.fx_node";
static constexpr llvm::StringLiteral kFolded =
    "pkg.onnxscript.optimizer.folded_from";

TorchExport::TorchExport(const onnx::GraphProto &graph) {
  std::string text = metadata(graph, kGraphMetadata, kSignature);
  SmallVector<StringRef> lines;
  StringRef(text).split(lines, '\n');
  for (StringRef line : lines) {
    auto [called, rest] = line.split(": ");
    auto [kind, target] = rest.split(" target='");
    StringRef name = target.split('\'').first;
    if (name.empty())
      continue;
    tensors[called.trim()] = {kind.str(), name.str()};
    kinds[name] = kind.str();
  }
}

StringRef TorchExport::kindOf(StringRef name) const {
  auto it = kinds.find(name);
  return it == kinds.end() ? StringRef() : StringRef(it->second);
}

StringRef TorchExport::nameOf(StringRef called) const {
  auto it = tensors.find(called);
  return it == tensors.end() ? StringRef() : StringRef(it->second.name);
}

/// The names behind percent signs in the text of a node; its own is first.
static SmallVector<StringRef> namesIn(StringRef text) {
  SmallVector<StringRef> names, parts;
  text.split(parts, '%');
  for (StringRef part : ArrayRef(parts).drop_front())
    names.push_back(
        part.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }));
  return names;
}

std::vector<StringRef> TorchExport::readsOf(const onnx::NodeProto &node) const {
  std::vector<StringRef> reads;
  std::string text = metadata(node, kNodeMetadata, kNode);
  for (StringRef called : namesIn(text))
    if (auto it = tensors.find(called); it != tensors.end())
      reads.push_back(it->second.name);
  return reads;
}

bool TorchExport::mentions(const onnx::NodeProto &node,
                           StringRef result) const {
  std::string text = metadata(node, kNodeMetadata, kNode);
  return llvm::is_contained(namesIn(text), result);
}

/// The results of sums and products by what torch.export calls them: mul_3.
static bool isArithmetic(StringRef name) {
  auto [stem, number] = name.rsplit('_');
  bool isNumbered = !number.empty() && llvm::all_of(number, llvm::isDigit);
  return llvm::StringSwitch<bool>(isNumbered ? stem : name)
      .Cases({"mul", "div", "add", "sub"}, true)
      .Default(false);
}

std::vector<StringRef>
TorchExport::findDropped(const onnx::GraphProto &graph) const {
  llvm::StringSet<> there, sums;
  for (const onnx::TensorProto &tensor : graph.initializer())
    there.insert(tensor.name());
  for (const auto &value : graph.value_info()) {
    std::string from = metadata(value, kValueMetadata, kFolded);
    SmallVector<StringRef> names;
    StringRef(from).trim("[]").split(names, ',');
    for (StringRef name : names)
      there.insert(name.trim().trim("'\""));
  }
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &output : node.output())
      there.insert(output);
    for (StringRef name : readsOf(node))
      there.insert(name);
    std::string text = metadata(node, kNodeMetadata, kNode);
    SmallVector<StringRef> called = namesIn(text);
    if (called.empty())
      continue;
    there.insert(called.front());
    for (StringRef name : ArrayRef(called).drop_front())
      if (isArithmetic(name))
        sums.insert(name);
  }
  if (llvm::all_of(sums, [&](const auto &entry) {
        return there.contains(entry.getKey());
      }))
    return {};
  std::vector<StringRef> dropped;
  for (const auto &entry : kinds) {
    StringRef name = entry.getKey();
    StringRef leaf = name.contains('.') ? name.rsplit('.').second : name;
    // Those of the library's modules have a dim. What is shared has a second
    // name that nothing reads.
    bool mayBeScalar = leaf != "weight" && leaf != "bias";
    if (entry.getValue() == "PARAMETER" && mayBeScalar && !there.contains(name))
      dropped.push_back(name);
  }
  llvm::sort(dropped);
  return dropped;
}
