//===- Detached.cpp - Detached operands -----------------------------------===//

#include "frontend/weights/Detached.h"
#include "frontend/onnx/Metadata.h"
#include "frontend/onnx/ProgramNode.h"
#include "frontend/weights/OperatorNames.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc::frontend;

namespace {
/// The ONNX nodes that one node of the program was exported to.
struct Group {
  ProgramNode call;
  SmallVector<int64_t> nodes;
};

/// Matches names of the program that the file lacks to the operands of ONNX
/// nodes.
class ReadMatcher {
public:
  ReadMatcher(const onnx::GraphProto &graph, const TorchExport &module);

  /// Calls visit(node, operand) for the detached operands of a group's nodes.
  /// False if the file does not tell which they are.
  bool match(const Group &group,
             llvm::function_ref<void(int64_t, int64_t)> visit) const;
  /// Whether the file has a value of this name.
  bool isKnown(StringRef name) const { return known.contains(name); }

private:
  bool matchInOrder(const onnx::NodeProto &node, const Group &group,
                    llvm::function_ref<void(int64_t, int64_t)> visit) const;

  const onnx::GraphProto &graph;
  const TorchExport &module;
  /// Names of results, inputs and constants; and of constants alone.
  llvm::StringSet<> known, held;
};
} // namespace

ReadMatcher::ReadMatcher(const onnx::GraphProto &graph,
                         const TorchExport &module)
    : graph(graph), module(module) {
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    held.insert(tensor.name());
    known.insert(tensor.name());
  }
  for (const auto &input : graph.input())
    known.insert(input.name());
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &output : node.output()) {
      known.insert(output);
      if (node.op_type() == "Constant")
        held.insert(output);
    }
}

bool ReadMatcher::matchInOrder(
    const onnx::NodeProto &node, const Group &group,
    llvm::function_ref<void(int64_t, int64_t)> visit) const {
  ArrayRef<std::string> reads = group.call.getReads();
  if (static_cast<size_t>(node.input_size()) < reads.size())
    return false;
  for (auto [i, name] : llvm::enumerate(reads))
    if (isKnown(name) && name != node.input(i))
      return false;
  for (auto [i, name] : llvm::enumerate(reads))
    if (!isKnown(name) && isDetachResult(name))
      visit(group.nodes.front(), i);
  return true;
}

bool ReadMatcher::match(
    const Group &group,
    llvm::function_ref<void(int64_t, int64_t)> visit) const {
  // The operands from outside the group, and the program's names for them.
  llvm::StringSet<> own;
  for (int64_t number : group.nodes)
    for (const std::string &output : graph.node(number).output())
      own.insert(output);
  llvm::SmallSetVector<StringRef, 4> values, names;
  for (StringRef name : group.call.getReads())
    if (!isKnown(name) && module.nameOf(name).empty())
      names.insert(name);
  for (int64_t number : group.nodes)
    for (const std::string &input : graph.node(number).input())
      if (!input.empty() && !own.contains(input) && !held.contains(input) &&
          !llvm::is_contained(group.call.getReads(), input))
        values.insert(input);
  if (names.size() != values.size())
    return group.nodes.size() == 1 &&
           matchInOrder(graph.node(group.nodes.front()), group, visit);
  for (auto [name, value] : llvm::zip(names, values)) {
    if (!isDetachResult(name))
      continue;
    for (int64_t number : group.nodes)
      for (auto [i, input] : llvm::enumerate(graph.node(number).input()))
        if (input == value)
          visit(number, i);
  }
  return true;
}

DetachedReads::DetachedReads(const onnx::GraphProto &graph,
                             const TorchExport &module) {
  ReadMatcher matcher(graph, module);
  llvm::MapVector<StringRef, Group> groups;
  std::vector<std::string> texts;
  texts.reserve(graph.node_size());
  for (auto [number, node] : llvm::enumerate(graph.node())) {
    const std::string &text =
        texts.emplace_back(metadata(node, kNodeMetadata, kProgramNodeKey));
    // Fast path: most nodes need no parsing.
    if (!StringRef(text).contains("detach"))
      continue;
    std::optional<ProgramNode> call = ProgramNode::of(node);
    if (!call || llvm::none_of(call->getReads(), [&](StringRef name) {
          return isDetachResult(name) && !matcher.isKnown(name);
        }))
      continue;
    auto [it, isNew] = groups.insert({text, Group{*call, {}}});
    it->second.nodes.push_back(number);
  }
  for (const auto &[text, group] : groups)
    if (!matcher.match(group, [&](int64_t node, int64_t i) {
          operands.insert({node, i});
        }))
      unknown.push_back(graph.node(group.nodes.front()).name());
}
