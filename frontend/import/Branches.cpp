//===- Branches.cpp - Branches that shapes decide -------------------------===//
//
// A squeeze of a dim whose extent the exporter does not know becomes an If: one
// branch drops the dim, the other keeps it. When shapes are known so is the
// condition, and the nodes of one branch take the place of the If.
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
    diag.attachNote(file) << "what does not follow from shapes alone is no "
                             "model to train: export by tracing, not scripting";
    return diag;
  }
  for (const onnx::TensorProto &tensor : branch->initializer()) {
    FailureOr<Tensor> loaded = load(file, tensor);
    if (failed(loaded))
      return failure();
    items[tensor.name()].tensor = *loaded;
  }
  // Behind the node itself; names that hold nodes keep them.
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
