//===- Sharing.cpp - Parameters that share a tensor of the file -----------===//

#include "frontend/weights/Sharing.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::frontend;

/// The most elements of tensors that the dynamo exporter merges.
static constexpr int64_t kMostMerged = 1024;

static int64_t countElements(const onnx::TensorProto &tensor) {
  int64_t count = 1;
  for (int64_t extent : tensor.dims())
    count *= std::max<int64_t>(1, extent);
  return count;
}

static bool isWithin(StringRef path, StringRef module) {
  return module.empty() || path == module ||
         (path.consume_front(module) && path.starts_with("."));
}

SharingFinder::SharingFinder(const onnx::GraphProto &graph,
                             const NameFinder &names, const TorchExport &module)
    : names(names), module(module) {
  auto note = [&](StringRef name) {
    if (isParameterName(name))
      for (StringRef path = ownerOf(name); !path.empty(); path = ownerOf(path))
        modules.insert(path);
  };
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    note(tensor.name());
    owns[tensor.name()] = names.find(tensor);
  }
  for (const onnx::NodeProto &node : graph.node())
    if (node.op_type() == "Identity" && node.output_size())
      note(node.output(0));
  if (names.exporter() == Exporter::Dynamo) {
    findAliases(graph);
    unread = module.findUnread(graph);
    for (const onnx::TensorProto &tensor : graph.initializer())
      results.insert(tensor.name());
    for (const auto &input : graph.input())
      results.insert(input.name());
    for (const onnx::NodeProto &node : graph.node())
      results.insert(node.output().begin(), node.output().end());
  } else {
    for (const onnx::NodeProto &node : graph.node())
      paths.insert(modulePath(node));
  }
  countCalls(graph);
}

std::string SharingFinder::withoutCallNumbers(StringRef path) const {
  SmallVector<StringRef> parts;
  path.split(parts, '.');
  std::string result;
  for (StringRef part : parts) {
    std::string prefix = result.empty() ? "" : result + ".";
    StringRef stem = stemOf(part);
    std::string first = prefix + stem.str();
    bool isCall = stem != part && !modules.contains(prefix + part.str()) &&
                  (modules.contains(first) || paths.contains(first));
    result = prefix + (isCall ? stem : part).str();
  }
  return result;
}

std::string SharingFinder::scopeOf(const onnx::NodeProto &node) const {
  std::string path = modulePath(node);
  if (names.exporter() != Exporter::Dynamo)
    return withoutCallNumbers(path);
  // The innermost enclosing module that has an alias.
  for (StringRef module = path; !module.empty(); module = ownerOf(module)) {
    auto it = aliases.find(module);
    if (it != aliases.end())
      return it->second + path.substr(module.size());
  }
  return path;
}

/// Records aliases of modules. For example h.0 and h.1 are one module if a
/// tensor named h.1.fc.weight is also read in h.0.fc.
void SharingFinder::findAliases(const onnx::GraphProto &graph) {
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    std::string own = names.find(tensor);
    StringRef owner = ownerOf(own);
    if (!isParameterName(own) || names.usesOf(tensor.name()).size() < 2)
      continue;
    for (const NameFinder::Use &use : names.usesOf(tensor.name())) {
      std::string path = modulePath(*use.node);
      if (isWithin(path, owner) || isWithin(owner, path))
        continue;
      // The common ending of the two paths is within the module.
      StringRef first = path, last = owner;
      while (first.contains('.') && last.contains('.') &&
             leafOf(first) == leafOf(last)) {
        first = ownerOf(first);
        last = ownerOf(last);
      }
      int64_t from, to;
      bool areOfOneList = ownerOf(first) == ownerOf(last) &&
                          !leafOf(first).getAsInteger(10, from) &&
                          !leafOf(last).getAsInteger(10, to);
      // Merged tensors keep the first of their names; a shared tensor has the
      // last.
      if (areOfOneList && from < to)
        aliases[first] = last.str();
    }
  }
}

void SharingFinder::countCalls(const onnx::GraphProto &graph) {
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (!isParameterName(names.find(tensor)) || countElements(tensor) < 2)
      continue;
    llvm::StringMap<int64_t> reads;
    for (const NameFinder::Use &use : names.usesOf(tensor.name()))
      ++reads[scopeOf(*use.node)];
    for (const auto &entry : reads)
      for (StringRef module = entry.getKey(); !module.empty();
           module = ownerOf(module)) {
        auto [it, isNew] = calls.try_emplace(module, entry.getValue());
        if (!isNew)
          it->second = std::min(it->second, entry.getValue());
      }
  }
}

int64_t SharingFinder::indexInCall(const onnx::TensorProto &tensor,
                                   const onnx::NodeProto &node, int i) const {
  std::string scope = scopeOf(node);
  int64_t place = 0, reads = 0;
  for (const NameFinder::Use &use : names.usesOf(tensor.name())) {
    if (scopeOf(*use.node) != scope)
      continue;
    if (use.node == &node && use.operand == i)
      place = reads;
    ++reads;
  }
  auto it = calls.find(scope);
  int64_t count = it == calls.end() ? reads : it->second;
  return count < 1 || reads % count ? 0 : place % (reads / count);
}

int64_t SharingFinder::indexInPath(const onnx::TensorProto &tensor,
                                   const onnx::NodeProto &node, int i) const {
  std::string path = modulePath(node);
  int64_t place = 0;
  for (const NameFinder::Use &use : names.usesOf(tensor.name())) {
    if (use.node == &node && use.operand == i)
      break;
    place += modulePath(*use.node) == path;
  }
  return place;
}

bool SharingFinder::isConstant(const onnx::TensorProto &tensor,
                               const onnx::NodeProto &node, int i) const {
  if (names.exporter() != Exporter::Dynamo || countElements(tensor) != 1 ||
      node.input(i) != tensor.name() || names.countUses(tensor.name()) < 2)
    return false;
  // It may be merged with a literal of the program.
  if (module.readsNoTensor(node))
    return true;
  // Functions without parameters that dynamo exports to several nodes.
  std::string function = functionOf(node);
  return llvm::StringSwitch<bool>(stemOf(function))
      .Cases({"gelu", "silu", "mish", "elu", "selu", "celu"}, true)
      .Cases({"leaky_relu", "softplus", "hardswish", "hardsigmoid"}, true)
      .Cases({"scaled_dot_product_attention", "softmax", "var", "std"}, true)
      .Default(false);
}

SharingFinder::OwnRead
SharingFinder::findOwnRead(const onnx::TensorProto &tensor,
                           StringRef own) const {
  StringRef owner = ownerOf(own);
  OwnRead ownRead;
  for (const NameFinder::Use &use : names.usesOf(tensor.name())) {
    std::string scope = scopeOf(*use.node);
    // Prefers a reader in the tensor's own module, then the innermost enclosing
    // module, then the first reader.
    bool isBetter =
        !ownRead.node || (ownRead.scope != owner && scope == owner) ||
        (isWithin(owner, scope) && (!isWithin(owner, ownRead.scope) ||
                                    scope.size() > ownRead.scope.size()));
    if (isBetter)
      ownRead = {scope, use.node, use.operand};
  }
  return ownRead;
}

bool SharingFinder::isStated(const onnx::TensorProto &tensor,
                             const onnx::NodeProto &node, int i) const {
  int64_t before =
      std::count(node.input().begin(), node.input().begin() + i, tensor.name());
  return before < module.countReads(node, tensor.name());
}

std::string SharingFinder::unreadName(const onnx::TensorProto &tensor,
                                      StringRef own,
                                      const onnx::NodeProto &node,
                                      int i) const {
  std::string scope = scopeOf(node);
  size_t place = 0, reads = 0;
  for (const NameFinder::Use &use : names.usesOf(tensor.name())) {
    if (scopeOf(*use.node) != scope || !module.readsOf(*use.node).empty() ||
        isStated(tensor, *use.node, use.operand))
      continue;
    if (use.node == &node && use.operand == i)
      place = reads;
    ++reads;
  }
  // Elements of a ParameterList have the list's name in between.
  int64_t number;
  std::string owner = scope;
  if (!leafOf(own).getAsInteger(10, number))
    owner += (Twine(scope.empty() ? "" : ".") + leafOf(ownerOf(own))).str();
  std::vector<StringRef> candidates;
  for (StringRef name : unread)
    if (ownerOf(name) == owner)
      candidates.push_back(name);
  if (ownerOf(own) == owner && reads == candidates.size() + 1)
    candidates.insert(candidates.begin(), own);
  return candidates.size() == reads ? candidates[place].str() : "";
}

std::string SharingFinder::statedName(const onnx::TensorProto &tensor,
                                      StringRef own,
                                      const onnx::NodeProto &node,
                                      int i) const {
  // A computed tensor that the node reads as a result is a tensor of its own.
  if (isStated(tensor, node, i))
    return own.str();
  if (module.kindOf(own).empty())
    return "";
  std::vector<StringRef> reads = module.readsOf(node);
  if (reads.empty())
    return unreadName(tensor, own, node, i);
  if (reads.size() == 1)
    return reads.front().str();
  // The operands that are tensors of the module.
  SmallVector<int> operands;
  for (int k = 0; k < node.input_size(); ++k)
    if (owns.contains(node.input(k)) &&
        (k == i || !module.kindOf(owns.lookup(node.input(k))).empty()))
      operands.push_back(k);
  if (node.op_type() == "LayerNormalization" && operands.size() == reads.size())
    return reads[llvm::find(operands, i) - operands.begin()].str();
  auto take = [&](llvm::function_ref<bool(StringRef)> fits) {
    std::string found;
    if (llvm::count_if(reads, fits) == 1) {
      auto it = llvm::find_if(reads, fits);
      found = it->str();
      reads.erase(it);
    }
    return found;
  };
  // Prefers the operand's own name, then a name with the same last component,
  // then a name that no other tensor of the file has.
  std::string found;
  for (int k : operands) {
    StringRef called = owns.find(node.input(k))->second;
    std::string name = take([&](StringRef read) { return read == called; });
    if (k == i)
      found = name;
  }
  if (found.empty())
    found = take([&](StringRef read) { return leafOf(read) == leafOf(own); });
  if (found.empty())
    found = take([&](StringRef read) {
      return llvm::none_of(
          owns, [&](const auto &entry) { return entry.getValue() == read; });
    });
  return found;
}

SharingFinder::Read SharingFinder::find(const onnx::TensorProto &tensor,
                                        StringRef own,
                                        const onnx::NodeProto &node, int i,
                                        bool isUniform) const {
  if (names.usesOf(tensor.name()).size() < 2)
    return {own.str(), true};
  bool isDirect = node.input(i) == tensor.name();
  if (!isDirect && names.isOwnName(node.input(i)))
    return {own.str(), true};
  bool isComputed = false;
  if (names.exporter() == Exporter::Dynamo && isDirect) {
    // A norm with its own bias may read a computed scale.
    std::string argument = module.argumentOf(node, i);
    bool isOther = !argument.empty() && module.nameOf(argument).empty();
    isComputed = !isStated(tensor, node, i) &&
                 (isOther || module.readsOf(node).empty()) &&
                 module.readsComputed(node, results);
    std::string stated =
        isComputed && isOther ? "" : statedName(tensor, own, node, i);
    if (!stated.empty())
      return {stated, true, isComputed};
  }
  return {guessName(tensor, own, node, i, isUniform), false, isComputed};
}

std::string SharingFinder::guessName(const onnx::TensorProto &tensor,
                                     StringRef own, const onnx::NodeProto &node,
                                     int i, bool isUniform) const {
  bool isDirect = node.input(i) == tensor.name();
  switch (names.exporter()) {
  case Exporter::TorchScript: {
    if (isDirect && !isGeneratedName(tensor.name()))
      return own.str();
    std::string byRead = names.byRead(node, i);
    bool isOfOwner = byRead.empty() || withoutCallNumbers(ownerOf(byRead)) ==
                                           withoutCallNumbers(ownerOf(own));
    int64_t place = isUniform ? indexInPath(tensor, node, i) : 0;
    return (isOfOwner ? own.str() : byRead) +
           (place ? "_" + std::to_string(place) : "");
  }
  case Exporter::Dynamo:
    if (countElements(tensor) > kMostMerged)
      return own.str();
    break;
  case Exporter::Other:
    break;
  }
  int64_t place =
      isUniform && countElements(tensor) > 1 ? indexInCall(tensor, node, i) : 0;
  std::string suffix = place ? "_" + std::to_string(place) : "";
  OwnRead ownRead = findOwnRead(tensor, own);
  std::string scope = scopeOf(node);
  if (scope.empty() || scope == ownRead.scope ||
      (ownRead.scope != ownerOf(own) && isWithin(scope, ownerOf(own))))
    return own.str() + suffix;
  // A parameter that is read in the same way has the same name within its
  // module.
  StringRef inside = own;
  if (ownRead.node->op_type() == node.op_type() && ownRead.operand == i &&
      isParameterName(own) && isWithin(ownerOf(own), ownRead.scope) &&
      (ownRead.scope.empty() || inside.consume_front(ownRead.scope + ".")))
    return scope + "." + inside.str() + suffix;
  StringRef leaf = leafOf(own);
  bool isOfModule = leaf == "weight" || leaf == "bias" ||
                    isGeneratedName(own) ||
                    node.op_type() == "LayerNormalization";
  return (isOfModule ? names.byUse(node, i) : scope + "." + leaf.str()) +
         suffix;
}
