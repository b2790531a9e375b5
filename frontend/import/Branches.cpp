//===- Branches.cpp - Branches that depend on shapes ----------------------===//
//
// If the exporter does not know a dim's extent, squeezing it becomes an If: one
// branch drops the dim, the other keeps it. With known shapes the condition is
// known, and the nodes of one branch replace the If.
//
//===----------------------------------------------------------------------===//

#include "analysis/Evaluate.h"
#include "frontend/import/Importer.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;

LogicalResult Importer::takeBranch(int64_t number) {
  auto *nodes = model.proto.mutable_graph()->mutable_node();
  const onnx::NodeProto &node = nodes->Get(number);
  auto condition = items.find(node.input_size() ? node.input(0) : "");
  std::optional<Tensor> known;
  if (condition != items.end())
    known = condition->second.tensor  ? condition->second.tensor
            : condition->second.value ? evaluate(condition->second.value)
                                      : std::nullopt;
  StringRef wanted;
  if (known && known->size() == 1)
    wanted = known->at(int64_t(0)).i ? "then_branch" : "else_branch";
  const onnx::GraphProto *branch = nullptr;
  if (const onnx::AttributeProto *taken = findAttribute(node, wanted))
    branch = &taken->g();
  if (!branch || branch->output_size() != node.output_size()) {
    InFlightDiagnostic diag = emitError(file)
                              << "If '" << node.name()
                              << "': which branch to take is not known at "
                                 "compile time";
    diag.attachNote(file) << "only conditions that follow from shapes are "
                             "supported: export by tracing, not scripting";
    return diag;
  }
  for (const onnx::TensorProto &tensor : branch->initializer()) {
    FailureOr<Tensor> loaded = load(file, tensor);
    if (failed(loaded))
      return failure();
    items[tensor.name()].tensor = *loaded;
  }
  // Inserts after the node. References to existing nodes stay valid.
  int before = nodes->size();
  for (const onnx::NodeProto &inner : branch->node())
    *nodes->Add() = inner;
  for (auto [from, to] : llvm::zip(branch->output(), node.output())) {
    onnx::NodeProto &moved = *nodes->Add();
    moved.set_op_type("Identity");
    moved.set_name(node.name());
    moved.add_input(from.name());
    moved.add_output(to);
  }
  std::rotate(nodes->pointer_begin() + number + 1,
              nodes->pointer_begin() + before, nodes->pointer_end());
  return success();
}
