//===- BoundIds.cpp - Notes which ids inputs may hold ---------------------===//

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

/// The least table, or number of classes, that the elements of a value index.
struct Search {
  /// All elements are of one kind, so that parts speak for the whole.
  bool isUniform;
  /// They come from an input of role "tokens".
  bool isTokens;
  int64_t below = 0;
  Operation *by = nullptr;
  /// Nothing but losses reads them.
  bool isOfLoss = true;

  void note(Operation *op, int64_t rows) {
    isOfLoss &= isa<CrossEntropyOp>(op);
    if (!by || rows < below)
      std::tie(below, by) = std::pair(rows, op);
  }
  void follow(Value ids);
};

} // namespace

/// Whether ids are taken only up to a limit, as a clamp does: the table then
/// bounds the limit, and says nothing of the ids.
static bool isLimited(WhereOp where, OpOperand &use) {
  auto compare = where.getCondition().getDefiningOp<CompareOp>();
  if (!compare || compare.getRelation() == Relation::Equal)
    return false;
  // Taken where the limit is above, or not taken where it is below.
  bool isTakenIfTrue = use.getOperandNumber() == 1;
  return (isTakenIfTrue ? compare.getLhs() : compare.getRhs()) == use.get();
}

void Search::follow(Value ids) {
  for (OpOperand &use : ids.getUses()) {
    Operation *op = use.getOwner();
    if (auto lookup = dyn_cast<EmbeddingOp>(op)) {
      // With an offset the table is a part.
      if (lookup.getIds() == ids && !lookup.getOffset())
        note(op, tensorType(lookup.getTable()).getDimSize(0));
    } else if (auto sum = dyn_cast<EmbeddingGradOp>(op)) {
      if (sum.getIds() == ids && !sum.getOffset())
        note(op, tensorType(sum.getDtable()).getDimSize(0));
    } else if (auto loss = dyn_cast<CrossEntropyOp>(op)) {
      if (loss.getTargets() == ids)
        note(op, loss.getClasses());
    } else if (isa<ReshapeOp, TransposeOp, BroadcastOp>(op) ||
               (isUniform && isa<SliceOp, SelectOp, ConcatOp, PadOp>(op))) {
      follow(op->getResult(0));
    } else if (auto where = dyn_cast<WhereOp>(op);
               where && isTokens && use.getOperandNumber() > 0) {
      // Where some are replaced, the others are looked up. Of labels those are
      // replaced that are ignored, whatever they are.
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
    // Other inputs are the runtime's own.
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
    // Of targets it is known by their role.
    IdBound bound{search.below, node, isNamed(*role) && search.isOfLoss};
    function.setArgAttr(index, kIdsAttr, bound.toAttr(&getContext()));
  }
};
} // namespace
