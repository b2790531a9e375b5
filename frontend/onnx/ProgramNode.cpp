//===- ProgramNode.cpp - A node of the program that dynamo exported -------===//

#include "frontend/onnx/ProgramNode.h"
#include "frontend/onnx/Metadata.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc::frontend;

SmallVector<StringRef> pcc::frontend::namesInProgram(StringRef text) {
  SmallVector<StringRef> names, parts;
  text.split(parts, '%');
  for (StringRef part : ArrayRef(parts).drop_front())
    names.push_back(
        part.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }));
  return names;
}

/// Splits a list in Python's syntax, from `text` up to the closing bracket;
/// `rest` is set to the text after it. Commas within brackets and quotes do not
/// separate elements.
static SmallVector<StringRef> elementsOf(StringRef text, StringRef &rest) {
  SmallVector<StringRef> elements;
  size_t begin = 0, i = 0;
  int depth = 0;
  char quote = 0;
  auto take = [&] {
    StringRef element = text.slice(begin, i).trim();
    if (!element.empty())
      elements.push_back(element);
    begin = i + 1;
  };
  for (; i < text.size() && depth >= 0; ++i) {
    char c = text[i];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth < 0)
        take();
    } else if (c == ',' && depth == 0) {
      take();
    }
  }
  rest = text.substr(i);
  return elements;
}

std::optional<ProgramNode> ProgramNode::of(const onnx::NodeProto &node) {
  std::string text = metadata(node, kNodeMetadata, kProgramNodeKey);
  ProgramNode result;
  auto [head, call] = StringRef(text).split("[target=");
  auto [target, list] = call.split("](args = (");
  if (list.empty() || !head.contains('%'))
    return std::nullopt;
  result.name = namesInProgram(head).front().str();
  target.consume_front("torch.ops.");
  result.target = target.str();
  StringRef rest;
  for (StringRef argument : elementsOf(list, rest))
    result.arguments.push_back(argument.str());
  StringRef keywords = rest.split("kwargs = {").second;
  for (StringRef pair : elementsOf(keywords, rest)) {
    auto [keyword, value] = pair.split(": ");
    result.keywords[keyword.trim("'\" ")] = value.trim().str();
  }
  for (StringRef name : namesInProgram(list))
    result.reads.push_back(name.str());
  return result;
}

StringRef ProgramNode::argument(unsigned i, StringRef keyword) const {
  if (i < arguments.size())
    return arguments[i];
  auto it = keywords.find(keyword);
  return it == keywords.end() ? StringRef() : StringRef(it->second);
}

int64_t ProgramNode::intArgument(unsigned i, StringRef keyword,
                                 int64_t otherwise) const {
  int64_t number;
  return argument(i, keyword).getAsInteger(10, number) ? otherwise : number;
}

LookupGradient pcc::frontend::lookupGradientOf(const onnx::NodeProto &node) {
  LookupGradient result;
  // aten.embedding.default(%weight, %ids, padding_idx, scale_grad_by_freq)
  std::optional<ProgramNode> call = ProgramNode::of(node);
  if (!call || call->getTarget() != "aten.embedding.default")
    return result;
  if (int64_t row = call->intArgument(2, "padding_idx", -1); row >= 0)
    result.paddingRow = row;
  result.isScaled = call->argument(3, "scale_grad_by_freq") == "True";
  return result;
}

TieGradient pcc::frontend::tieGradientOf(const onnx::NodeProto &node) {
  std::optional<ProgramNode> call = ProgramNode::of(node);
  if (!call)
    return TieGradient::Unknown;
  StringRef target = call->getTarget();
  if (target == "aten.max.dim" || target == "aten.min.dim")
    return TieGradient::First;
  if (target == "aten.max.default" || target == "aten.min.default")
    return TieGradient::Shared;
  // Other operators that are exported as a ReduceMax, such as the infinity
  // norm, share the gradient, too.
  if (target != "aten.amax.default" && target != "aten.amin.default")
    return TieGradient::Shared;
  // torch.export also writes amax for adaptive max pooling to one position. If
  // the source line is in a module's forward(), its text tells the two calls
  // apart.
  bool mayPool = call->argument(1, "dim") == "[-2, -1]" &&
                 call->argument(2, "keepdim") == "True";
  std::string source = metadata(node, kNodeMetadata, kStackTraceKey);
  return mayPool && !StringRef(source).contains("amax") ? TieGradient::First
                                                        : TieGradient::Shared;
}

Clamps pcc::frontend::clampsOf(const onnx::NodeProto &node) {
  std::optional<ProgramNode> call = ProgramNode::of(node);
  if (!call || !call->getTarget().starts_with("aten.clamp"))
    return Clamps::Unknown;
  if (!call->getTarget().ends_with(".Tensor"))
    return Clamps::ByNumbers;
  // torch.export turns numbers into tensors.
  StringRef low = call->argument(1, "min"), high = call->argument(2, "max");
  bool isNumber =
      low.starts_with("%scalar_tensor") || high.starts_with("%scalar_tensor");
  return isNumber ? Clamps::ByNumbers : Clamps::ByTensors;
}

bool pcc::frontend::isDeviation(const onnx::NodeProto &node) {
  std::optional<ProgramNode> call = ProgramNode::of(node);
  if (!call)
    return false;
  // torch.export decomposes std() into two nodes. The source line tells it from
  // var().sqrt().
  std::string source = metadata(node, kNodeMetadata, kStackTraceKey);
  bool isOfVariance = call->getTarget() == "aten.sqrt.default" &&
                      call->argument(0).starts_with("%var");
  return call->getTarget().starts_with("aten.std.") ||
         (isOfVariance && StringRef(source).contains("std("));
}

bool pcc::frontend::isDetach(const onnx::NodeProto &node) {
  std::optional<ProgramNode> call = ProgramNode::of(node);
  return node.op_type() == "Identity" && call &&
         (call->getTarget() == "aten.detach.default" ||
          call->getTarget() == "aten.detach_.default");
}
