//===- Names.cpp - Names that exporters lost ------------------------------===//

#include "frontend/weights/Names.h"
#include "frontend/onnx/Metadata.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::frontend;

bool pcc::frontend::isInvented(StringRef name) {
  if (name.contains("::"))
    return true;
  name.consume_front("val_");
  return !name.empty() && llvm::all_of(name, llvm::isDigit);
}

bool pcc::frontend::isParameterName(StringRef name) {
  // Results of nodes are named by paths or by the exporter.
  return name.contains('.') && !name.contains('/') && !name.contains(':');
}

StringRef pcc::frontend::ownerOf(StringRef name) {
  return name.contains('.') ? name.rsplit('.').first : "";
}

StringRef pcc::frontend::leafOf(StringRef name) {
  return name.contains('.') ? name.rsplit('.').second : name;
}

StringRef pcc::frontend::stemOf(StringRef result) {
  auto [stem, number] = result.rsplit('_');
  bool isNumbered = !number.empty() && llvm::all_of(number, llvm::isDigit);
  return isNumbered ? stem : result;
}

std::string pcc::frontend::modulePath(const onnx::NodeProto &node) {
  // The dynamo exporter lists the scopes from the model inwards, then the
  // operator.
  std::string scopes = metadata(node, kNodeMetadata, kScopesKey);
  if (!scopes.empty()) {
    SmallVector<StringRef> list = parseList(scopes);
    return list.size() < 2 ? "" : list[list.size() - 2].str();
  }
  // The TorchScript exporter writes /model/layers.0/mlp/MatMul.
  StringRef name = node.name();
  if (!name.consume_front("/"))
    return "";
  auto [path, op] = name.rsplit('/');
  if (op.empty())
    return "";
  std::string dotted = path.str();
  llvm::replace(dotted, '/', '.');
  return dotted;
}

std::string pcc::frontend::functionOf(const onnx::NodeProto &node) {
  std::string scopes = metadata(node, kNodeMetadata, kScopesKey);
  return scopes.empty() ? "" : parseList(scopes).back().str();
}

bool pcc::frontend::isNameOfTool(StringRef name) {
  return name.starts_with("ortshared_");
}

/// Whether a tool rewrote the graph of a file that the TorchScript exporter
/// wrote. Tools keep the producer's name. They make initializers of Constant
/// nodes, which keep the names of results of nodes, or are named by the tool;
/// ONNX Runtime declares its own operator sets.
static bool wasRewritten(const onnx::ModelProto &model) {
  return llvm::any_of(model.graph().initializer(),
                      [](const onnx::TensorProto &tensor) {
                        StringRef name = tensor.name();
                        return name.starts_with("/") || isNameOfTool(name);
                      }) ||
         llvm::any_of(model.opset_import(), [](const auto &set) {
           return StringRef(set.domain()).starts_with("com.microsoft");
         });
}

/// What wrote a file. A small module has no Constant node, nor any trace of a
/// tool.
static Exporter findExporter(const onnx::ModelProto &model) {
  if (model.producer_name() != "pytorch")
    return Exporter::Other;
  bool hasConstants = false, isOfDynamo = false;
  for (const onnx::NodeProto &node : model.graph().node()) {
    hasConstants |= node.op_type() == "Constant";
    isOfDynamo |= StringRef(node.name()).starts_with("node_");
    if (!metadata(node, kNodeMetadata, kScopesKey).empty())
      return Exporter::Dynamo;
  }
  // Without its metadata, a file of dynamo is as good as another's.
  bool isTorchScript = hasConstants || (!isOfDynamo && !wasRewritten(model));
  return isTorchScript ? Exporter::TorchScript : Exporter::Other;
}

NameFinder::NameFinder(const onnx::ModelProto &model)
    : wroteIt(findExporter(model)),
      fromTorch(model.producer_name() == "pytorch") {
  const onnx::GraphProto &graph = model.graph();
  for (const onnx::NodeProto &node : graph.node()) {
    bool copies = node.op_type() == "Identity" && node.input_size() == 1 &&
                  node.output_size() == 1;
    if (copies && !isOwnName(node.output(0)))
      roots[node.output(0)] = rootOf(node.input(0)).str();
    for (int i = 0; i < node.input_size() && !copies; ++i)
      uses[rootOf(node.input(i))].push_back({&node, i});
  }
  for (const auto &value : graph.value_info()) {
    std::string from = metadata(value, kValueMetadata, kFoldedFromKey);
    SmallVector<StringRef> names = parseList(from);
    if (!from.empty())
      for (StringRef name : names)
        folded[value.name()].push_back(name.str());
    SmallVector<StringRef> params =
        llvm::to_vector(llvm::make_filter_range(names, isParameterName));
    if (params.size() == 1)
      (names.size() == 1 ? origins : sums)[value.name()] = params[0].str();
  }
}

StringRef NameFinder::rootOf(StringRef tensor) const {
  auto it = roots.find(tensor);
  return it == roots.end() ? tensor : StringRef(it->second);
}

bool NameFinder::isOwnName(StringRef result) const {
  return isParameterName(result) ||
         (wroteIt == Exporter::TorchScript && !isInvented(result) &&
          !result.contains('/'));
}

ArrayRef<NameFinder::Use> NameFinder::usesOf(StringRef tensor) const {
  auto it = uses.find(rootOf(tensor));
  return it == uses.end() ? ArrayRef<Use>() : ArrayRef(it->second);
}

std::optional<ArrayRef<std::string>>
NameFinder::foldedFrom(StringRef tensor) const {
  auto it = folded.find(tensor);
  if (it == folded.end())
    return std::nullopt;
  return ArrayRef(it->second);
}

bool NameFinder::isFolded(const onnx::TensorProto &tensor) const {
  const std::string &name = tensor.name();
  auto found = uses.find(name);
  return tensor.dims_size() == 2 && found != uses.end() &&
         (isInvented(name) || origins.contains(name)) &&
         llvm::all_of(found->second, [](const Use &use) {
           return use.node->op_type() == "MatMul" && use.operand == 1;
         });
}

bool NameFinder::isMadeUpScale(const onnx::TensorProto &tensor) const {
  auto found = uses.find(tensor.name());
  return isInvented(tensor.name()) && !origins.contains(tensor.name()) &&
         found != uses.end() && llvm::all_of(found->second, [](const Use &use) {
           return use.node->op_type() == "LayerNormalization" &&
                  use.operand == 1;
         });
}

std::string NameFinder::byUse(const onnx::NodeProto &node, int i) const {
  std::string path = modulePath(node);
  if (path.empty())
    return "";
  bool isBias = llvm::StringSwitch<bool>(node.op_type())
                    .Cases({"Add", "Sub", "Sum"}, true)
                    .Cases({"Gemm", "LayerNormalization", "Conv"}, i == 2)
                    .Default(false);
  return path + (isBias ? ".bias" : ".weight");
}

std::string NameFinder::find(const onnx::TensorProto &tensor) const {
  const std::string &name = tensor.name();
  if (auto origin = origins.find(name); origin != origins.end())
    return origin->second;
  if (auto sum = sums.find(name); sum != sums.end() && tensor.dims_size() == 1)
    return sum->second;
  auto found = uses.find(name);
  if (!isInvented(name) || found == uses.end())
    return name;
  const Use &use = found->second.front();
  std::string byReader = byRead(*use.node, use.operand);
  return byReader.empty() ? name : byReader;
}

std::string NameFinder::byRead(const onnx::NodeProto &node, int i) const {
  // A bias keeps its name where its weight was folded.
  for (const std::string &result : node.output()) {
    auto readers = uses.find(result);
    if (node.op_type() != "MatMul" || readers == uses.end())
      continue;
    for (const Use &reader : readers->second)
      for (const std::string &other : reader.node->input()) {
        StringRef bias = other;
        if (reader.node->op_type() == "Add" && bias.consume_back(".bias"))
          return bias.str() + ".weight";
      }
  }
  return byUse(node, i);
}
