//===- BoundIds.cpp - Bounds the ids of inputs ----------------------------===//

#include "analysis/IdBound.h"
#include "dialects/NN/Location.h"
#include "passes/Training/Entry.h"
#include "passes/Training/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNBOUNDIDSPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// Finds the smallest table, or number of classes, that a value's elements
/// index.
struct Search {
  /// All elements have the same meaning, so a bound of some holds for all.
  bool isUniform;
  /// The ids come from an input of role "tokens".
  bool isTokens;
  int64_t below = 0;
  Operation *by = nullptr;
  /// Only losses index with them.
  bool isOfLoss = true;

  void note(Operation *op, int64_t rows) {
    isOfLoss &= isa<CrossEntropyOp>(op);
    if (!by || rows < below)
      std::tie(below, by) = std::pair(rows, op);
  }
  void follow(Value ids);
};

} // namespace

/// Whether ids are used only up to a limit, as by a clamp. The table then
/// bounds the limit and does not restrict the ids.
static bool isLimited(WhereOp where, OpOperand &use) {
  auto compare = where.getCondition().getDefiningOp<CompareOp>();
  if (!compare || compare.getRelation() == Relation::Equal)
    return false;
  // Selected where the ids are at most the limit, or not selected where the
  // limit is at most the ids.
  bool isTakenIfTrue = use.getOperandNumber() == 1;
  return (isTakenIfTrue ? compare.getLhs() : compare.getRhs()) == use.get();
}

void Search::follow(Value ids) {
  for (OpOperand &use : ids.getUses()) {
    Operation *op = use.getOwner();
    if (auto lookup = dyn_cast<EmbeddingOp>(op)) {
      // With an offset the table is a shard.
      if (lookup.getIds() == ids && !lookup.getOffset())
        note(op, tensorType(lookup.getTable()).getDimSize(0));
    } else if (auto sum = dyn_cast<EmbeddingGradOp>(op)) {
      if (sum.getIds() == ids && !sum.getOffset())
        note(op, tensorType(sum.getDtable()).getDimSize(0));
    } else if (auto loss = dyn_cast<CrossEntropyOp>(op)) {
      if (loss.getTargets() == ids)
        note(op, loss.getClasses());
    } else if (keepsElements(op) || (isUniform && movesElements(op))) {
      follow(op->getResult(0));
    } else if (auto where = dyn_cast<WhereOp>(op);
               where && isTokens && use.getOperandNumber() > 0) {
      // Token ids that are not replaced are looked up. Labels are not followed:
      // replaced labels are ignored and may have any value.
      if (!isLimited(where, use))
        follow(op->getResult(0));
    } else if (auto cast = dyn_cast<CastOp>(op)) {
      if (isa<IntegerType>(tensorType(cast.getResult()).getElementType()))
        follow(cast);
    }
  }
}

namespace {
struct NNBoundIdsPass : pcc::impl::NNBoundIdsPassBase<NNBoundIdsPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (BlockArgument argument : function.getArguments())
        bound(function, argument);
  }

  void bound(func::FuncOp function, BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    std::optional<InputRole> role = roleOf(argument);
    // The runtime provides the other inputs.
    if (!role || !isFromDataset(*role))
      return;
    Search search{/*isUniform=*/!isNamed(*role),
                  /*isTokens=*/role == InputRole::Tokens};
    search.follow(argument);
    if (!search.by)
      return;
    StringRef node = sourceNode(search.by->getLoc());
    if (node.empty())
      node = search.by->getName().getStringRef();
    // For targets the role already implies `of_loss`.
    IdBound bound{search.below, node, isNamed(*role) && search.isOfLoss};
    function.setArgAttr(index, kIdsAttr, bound.toAttr(&getContext()));
  }
};
} // namespace
