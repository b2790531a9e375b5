//===- ExpertWeights.cpp - Weights that a router chooses ------------------===//

#include "analysis/ExpertWeights.h"
#include "analysis/Dependence.h"

using namespace mlir;
using namespace pcc::nn;

/// Whether integers are computed from the result of a top_k by integers alone.
static bool isChoice(Value ids) {
  SmallVector<Value> open = {ids};
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!isa<IntegerType>(tensorType(value).getElementType()) ||
        !seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (isa_and_present<TopKOp>(op))
      return true;
    if (op)
      llvm::append_range(open, op->getOperands());
  }
  return false;
}

ParamOp pcc::analysis::expertWeightOf(EmbeddingOp lookup) {
  return isChoice(lookup.getIds()) ? tableParamOf(lookup) : nullptr;
}

ParamOp pcc::analysis::tableParamOf(EmbeddingOp lookup) {
  Value table = lookup.getTable();
  if (!isa<FloatType>(tensorType(table).getElementType()))
    return nullptr;
  while (Operation *op = table.getDefiningOp()) {
    if (auto read = dyn_cast<ReadOp>(op))
      return paramOf(read);
    if (!permutesElements(op) && !isa<CastOp>(op))
      break;
    table = op->getOperand(0);
  }
  return nullptr;
}
