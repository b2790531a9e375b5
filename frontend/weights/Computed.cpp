//===- Computed.cpp - Tensors computed from parameters --------------------===//

#include "frontend/weights/Computed.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;
using namespace pcc::frontend;

/// Whether TorchScript may export a linear layer with this operator.
static bool isOfLinearLayer(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"MatMul", "Add", "Identity"}, true)
      .Default(false);
}

ComputedFinder::ComputedFinder(const onnx::GraphProto &graph,
                               const NameFinder &names)
    : names(names) {
  llvm::StringMap<int64_t> rows;
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (tensor.dims_size() == 2)
      rows[tensor.name()] = tensor.dims(0);
  for (const onnx::NodeProto &node : graph.node()) {
    std::string path = modulePath(node);
    if (!isOfLinearLayer(node.op_type()))
      large.insert(path);
    for (StringRef owner = ownerOf(path); !owner.empty();
         owner = ownerOf(owner))
      large.insert(owner);
    for (const std::string &output : node.output())
      producers[output] = &node;
    if (node.op_type() == "Gather" && node.input_size() &&
        rows.contains(node.input(0)))
      vocabularies.insert(rows[node.input(0)]);
    // The bias in_proj_bias belongs to the node's own module, out_proj.bias to
    // a module in it.
    bool addsBias =
        node.op_type() == "Add" &&
        llvm::any_of(node.input(), [&](const std::string &input) {
          StringRef owner = ownerOf(input);
          return isParameterName(input) &&
                 (owner == path ? StringRef(input).ends_with("_bias")
                                : owner.starts_with(path + "."));
        });
    for (const std::string &input : node.input())
      if (auto it = producers.find(input); addsBias && it != producers.end())
        biased.insert(it->second);
  }
  large.insert("");
}

bool ComputedFinder::isOfLinear(const onnx::TensorProto &tensor) const {
  return llvm::all_of(names.usesOf(tensor.name()),
                      [&](const NameFinder::Use &use) {
                        return !large.contains(modulePath(*use.node)) ||
                               biased.contains(use.node);
                      });
}

bool ComputedFinder::isOfMatMul(const onnx::TensorProto &tensor) const {
  auto isProduct = [](const onnx::NodeProto &node) {
    return llvm::StringSwitch<bool>(node.op_type())
        .Cases({"MatMul", "Gemm", "Einsum", "Conv", "ConvTranspose"}, true)
        .Default(false);
  };
  return llvm::all_of(
      names.usesOf(tensor.name()), [&](const NameFinder::Use &use) {
        if (isProduct(*use.node))
          return true;
        if (use.node->op_type() != "Add")
          return false;
        auto it = producers.find(use.node->input(1 - use.operand));
        return it != producers.end() && isProduct(*it->second) &&
               modulePath(*it->second) == modulePath(*use.node);
      });
}

bool ComputedFinder::isAddedToScores(const onnx::TensorProto &tensor) const {
  int rank = tensor.dims_size();
  if (!rank || !vocabularies.contains(tensor.dims(rank - 1)))
    return false;
  ArrayRef<NameFinder::Use> uses = names.usesOf(tensor.name());
  if (uses.size() != 1 || uses[0].node->op_type() != "Add")
    return false;
  auto it = producers.find(uses[0].node->input(1 - uses[0].operand));
  return it != producers.end() && it->second->op_type() == "MatMul" &&
         modulePath(*it->second) != modulePath(*uses[0].node);
}

std::string ComputedFinder::readerOf(const onnx::TensorProto &tensor) const {
  ArrayRef<NameFinder::Use> uses = names.usesOf(tensor.name());
  return uses.empty() ? "nothing" : "'" + uses[0].node->name() + "'";
}

bool pcc::frontend::isRoot(double number) {
  for (double power : {number * number, std::pow(number, 4)})
    for (double whole : {power, 1 / power}) {
      double rounded = std::round(whole);
      if (number > 0 && rounded >= 2 && rounded <= 4096 &&
          std::fabs(whole - rounded) <= 1e-6 * rounded)
        return true;
    }
  return false;
}
