//===- TorchExport.cpp - The module in a file of torch.export -------------===//

#include "frontend/weights/TorchExport.h"
#include "frontend/onnx/Metadata.h"
#include "frontend/onnx/ProgramNode.h"
#include "frontend/weights/Names.h"
#include "frontend/weights/OperatorNames.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::frontend;

static constexpr llvm::StringLiteral kSignature =
    "pkg.torch.export.ExportedProgram.graph_signature";

TorchExport::TorchExport(const onnx::GraphProto &graph) {
  for (const auto &input : graph.input())
    values.insert(input.name());
  for (const onnx::NodeProto &node : graph.node())
    values.insert(node.output().begin(), node.output().end());
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
    order.push_back(name.str());
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

std::vector<StringRef> TorchExport::readsOf(const onnx::NodeProto &node) const {
  std::vector<StringRef> reads;
  std::string text = metadata(node, kNodeMetadata, kProgramNodeKey);
  for (StringRef called : namesInProgram(text))
    if (auto it = tensors.find(called); it != tensors.end())
      reads.push_back(it->second.name);
  return reads;
}

std::string TorchExport::argumentOf(const onnx::NodeProto &node, int i) const {
  std::string text = metadata(node, kNodeMetadata, kProgramNodeKey);
  SmallVector<StringRef> names = namesInProgram(text);
  // A node that was fused from several has the metadata of the last one.
  bool isNorm = stemOf(functionOf(node)).ends_with("norm");
  bool areSame = isNorm && names.size() == size_t(node.input_size()) + 1;
  return areSame ? names[i + 1].str() : "";
}

int64_t TorchExport::countReads(const onnx::NodeProto &node,
                                StringRef result) const {
  std::string text = metadata(node, kNodeMetadata, kProgramNodeKey);
  return llvm::count(namesInProgram(text), result);
}

bool TorchExport::readsComputed(const onnx::NodeProto &node,
                                const llvm::StringSet<> &results) const {
  std::string text = metadata(node, kNodeMetadata, kProgramNodeKey);
  SmallVector<StringRef> names = namesInProgram(text);
  return !names.empty() &&
         llvm::any_of(ArrayRef(names).drop_front(), [&](StringRef name) {
           return !tensors.contains(name) && !results.contains(name) &&
                  !isMove(name);
         });
}

bool TorchExport::readsNoTensor(const onnx::NodeProto &node) const {
  std::optional<ProgramNode> call = ProgramNode::of(node);
  if (!call || !isKnown())
    return false;
  ArrayRef<std::string> reads = call->getReads();
  int64_t unknown = 0, others = 0;
  for (const std::string &name : reads) {
    if (tensors.contains(name))
      return false;
    unknown += !values.contains(name);
  }
  for (const std::string &input : node.input())
    others += values.contains(input) && !llvm::is_contained(reads, input);
  return unknown <= others;
}

static bool isArithmetic(StringRef result) {
  return llvm::StringSwitch<bool>(stemOf(result))
      .Cases({"mul", "div", "add", "sub"}, true)
      .Default(false);
}

/// Calls `visit` with each folded value and each of its sources.
static void
forEachFolded(const onnx::GraphProto &graph,
              llvm::function_ref<void(StringRef, StringRef)> visit) {
  for (const auto &value : graph.value_info()) {
    std::string from = metadata(value, kValueMetadata, kFoldedFromKey);
    for (StringRef name : parseList(from))
      visit(value.name(), name);
  }
}

llvm::StringSet<> TorchExport::tracesIn(const onnx::GraphProto &graph) const {
  llvm::StringSet<> traces;
  for (const onnx::TensorProto &tensor : graph.initializer())
    traces.insert(tensor.name());
  forEachFolded(graph, [&](StringRef, StringRef from) { traces.insert(from); });
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &output : node.output())
      traces.insert(output);
    for (StringRef name : readsOf(node))
      traces.insert(name);
    std::string text = metadata(node, kNodeMetadata, kProgramNodeKey);
    if (SmallVector<StringRef> called = namesInProgram(text); !called.empty())
      traces.insert(called.front());
  }
  return traces;
}

std::vector<StringRef>
TorchExport::findUnread(const onnx::GraphProto &graph) const {
  return without(tracesIn(graph));
}

std::vector<StringRef>
TorchExport::without(const llvm::StringSet<> &traces) const {
  std::vector<StringRef> unread;
  for (const std::string &name : order)
    if (kindOf(name) == "PARAMETER" && !traces.contains(name))
      unread.push_back(name);
  return unread;
}

/// A name without digits, which number the layers of a model.
static std::string withoutNumbers(StringRef name) {
  std::string rest;
  llvm::copy_if(name, std::back_inserter(rest),
                [](char c) { return !llvm::isDigit(c); });
  return rest;
}

std::vector<StringRef>
TorchExport::paramsOf(const onnx::NodeProto &node) const {
  std::vector<StringRef> params = readsOf(node);
  llvm::erase_if(params,
                 [&](StringRef name) { return kindOf(name) != "PARAMETER"; });
  return params;
}

std::vector<StringRef> TorchExport::nearestParams(
    const onnx::NodeProto &node,
    const llvm::StringMap<const onnx::NodeProto *> &producers) const {
  const onnx::NodeProto *next = &node;
  while (next) {
    if (std::vector<StringRef> params = paramsOf(*next); !params.empty())
      return params;
    // Follow the only computed operand; these operators also read shapes.
    bool hasShapes = llvm::StringSwitch<bool>(next->op_type())
                         .Cases({"Reshape", "Expand", "Slice"}, true)
                         .Default(false);
    SmallVector<const onnx::NodeProto *> from;
    for (const std::string &input : next->input())
      if (const onnx::NodeProto *producer = producers.lookup(input))
        from.push_back(producer);
    next = from.size() == 1 || (hasShapes && !from.empty()) ? from[0] : nullptr;
  }
  return {};
}

llvm::StringMap<std::vector<StringRef>>
TorchExport::foldedSources(const onnx::GraphProto &graph) const {
  llvm::StringMap<std::vector<StringRef>> sources;
  forEachFolded(graph, [&](StringRef value, StringRef from) {
    if (auto it = kinds.find(from);
        it != kinds.end() && it->second == "PARAMETER")
      sources[value].push_back(it->getKey());
  });
  return sources;
}

std::vector<TorchExport::Dropped>
TorchExport::findMerged(const onnx::GraphProto &graph,
                        const llvm::StringSet<> &traces,
                        ArrayRef<StringRef> unread) const {
  llvm::StringMap<const onnx::NodeProto *> producers;
  std::vector<Dropped> merged;
  auto isNew = [&](StringRef name) {
    return llvm::none_of(merged, [&](Dropped d) { return d.name == name; });
  };
  auto add = [&](StringRef parameter) {
    for (StringRef name : unread)
      if (ownerOf(name) == ownerOf(parameter) && isNew(name))
        return merged.push_back({name, parameter});
  };
  // Two layers with equal weights compute the same from one input.
  auto addLayers = [&](StringRef parameter) {
    for (StringRef name : unread)
      if (withoutNumbers(name) == withoutNumbers(parameter) && isNew(name))
        merged.push_back({name, parameter});
  };
  llvm::StringMap<std::vector<StringRef>> sources = foldedSources(graph);
  for (const onnx::NodeProto &node : graph.node()) {
    for (const std::string &output : node.output())
      producers[output] = &node;
    std::string text = metadata(node, kNodeMetadata, kProgramNodeKey);
    llvm::StringSet<> seen;
    for (StringRef name : namesInProgram(text)) {
      if (traces.contains(name) || tensors.contains(name))
        continue;
      for (const std::string &input : node.input()) {
        const onnx::NodeProto *producer = producers.lookup(input);
        bool isTwice = llvm::count(node.input(), input) > 1;
        bool isOwn =
            llvm::is_contained(namesInProgram(text), input) && !isTwice;
        if ((!producer && !sources.contains(input)) || isOwn ||
            stemOf(input) != stemOf(name) || !seen.insert(name).second)
          continue;
        // The parameter it was merged with is read at this node as well.
        std::vector<StringRef> params = sources.lookup(input);
        if (producer)
          params = isTwice ? paramsOf(*producer)
                           : nearestParams(*producer, producers);
        for (StringRef parameter : params)
          isTwice ? add(parameter) : addLayers(parameter);
      }
    }
  }
  return merged;
}

std::vector<TorchExport::Dropped>
TorchExport::findDropped(const onnx::GraphProto &graph) const {
  llvm::StringSet<> traces = tracesIn(graph);
  std::vector<StringRef> unread = without(traces);
  if (unread.empty())
    return {};
  std::vector<Dropped> dropped = findMerged(graph, traces, unread);
  bool lacksSums = false;
  for (const onnx::NodeProto &node : graph.node()) {
    std::string text = metadata(node, kNodeMetadata, kProgramNodeKey);
    lacksSums |= llvm::any_of(namesInProgram(text), [&](StringRef name) {
      return isArithmetic(name) && !traces.contains(name);
    });
  }
  for (StringRef name : unread) {
    // Weights and biases of the library's modules have dims. A shared tensor
    // has a second name that no node names.
    StringRef leaf = leafOf(name);
    bool mayBeScalar = leaf != "weight" && leaf != "bias";
    bool isKnown =
        llvm::any_of(dropped, [&](Dropped d) { return d.name == name; });
    if (lacksSums && mayBeScalar && !isKnown)
      dropped.push_back({name, ""});
  }
  return dropped;
}

std::string TorchExport::lostSmoothing(const onnx::NodeProto &node) const {
  StringRef op = node.op_type();
  if (op != "SoftmaxCrossEntropyLoss" && op != "NegativeLogLikelihoodLoss")
    return "";
  // aten.cross_entropy_loss.default(%x, %labels, None, 1, -100, 0.1)
  std::optional<ProgramNode> call = ProgramNode::of(node);
  if (!call || !call->getTarget().starts_with("aten.cross_entropy_loss."))
    return "";
  StringRef text = call->argument(5, "label_smoothing");
  double smoothing = 0;
  bool isLost = !text.getAsDouble(smoothing) && smoothing > 0;
  return isLost ? text.str() : "";
}
