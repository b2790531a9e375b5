//===- Recompute.cpp - Activation recomputation in backward passes --------===//
//
// Between the forward and the backward pass of a segment run the passes of all
// later segments, and of other microbatches. The activations that wait for a
// backward pass are most of a rank's memory. Some of them follow from others,
// so the backward pass can recompute them just before their use:
//
//     %n = nn.rms_norm %x, %scale            {segment 1}
//     %y = nn.contract %n, %w                {segment 1}
//     ...
//     %m = nn.rms_norm %x, %scale            {segment 1, bwd, recomputed}
//     %dw = nn.contract %m, %dy              {segment 1, bwd}
//
// Here %x is saved and %n is not. The saved values are the minimum cut of the
// graph of a segment's values: between values that must not be recomputed (of
// other segments, or expensive) and values that the backward pass reads. Of
// equal cuts it is the one nearest to the backward pass, which leaves least to
// recompute.
//
// Each clone is placed right before its first use, so that its result is live
// only from there on. Gathered values are not saved either: the backward pass
// has gathers of its own from dist-insert-reshards.
//
//===----------------------------------------------------------------------===//

#include "analysis/Activations.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Pipeline/Cut.h"
#include "passes/Pipeline/Outline.h"
#include "passes/Pipeline/Passes.h"
#include "passes/Training/Entry.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace pcc {
#define GEN_PASS_DEF_PIPERECOMPUTEPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// Gradients of a head that is computed in chunks are made with its loss.
static bool isBackward(Operation *op) {
  return op->hasAttr(nn::kBackwardAttr) && !op->hasAttr(nn::kChunkAttr);
}

namespace {

/// One segment: the values of its forward pass, and which of them are saved for
/// its backward pass.
class SegmentValues {
public:
  SegmentValues(int64_t segment, ArrayRef<Operation *> forward,
                const llvm::DenseSet<Operation *> &activations, bool all)
      : segment(segment), forward(forward), activations(activations), all(all) {
  }

  /// Chooses the values to save.
  void choose();
  /// Clones the ops of the other values into the backward pass, which begins at
  /// `begin`, each right before its first use. Returns the number of clones.
  int64_t clone(Operation *begin);

private:
  bool isRepeatable(Operation *op) const;
  bool isInBackward(Operation *op) const {
    return isBackward(op) && segmentOf(op) == segment;
  }
  bool isUsedBack(Value value) const;
  bool isHandedOverAnyway(Value value) const;
  int addValue(Value value);
  bool isHandedOver(Value value) const {
    auto it = nodes.find(value);
    return it == nodes.end() || cut.test(it->second);
  }

  int64_t segment;
  ArrayRef<Operation *> forward;
  const llvm::DenseSet<Operation *> &activations;
  /// Whether all ops may be recomputed, or only cheap ones.
  bool all;
  Cut graph;
  llvm::MapVector<Value, int> nodes;
  llvm::BitVector cut;
};

struct PipeRecomputePass : pcc::impl::PipeRecomputePassBase<PipeRecomputePass> {
  using PipeRecomputePassBase::PipeRecomputePassBase;
  void runOnOperation() override;
};

} // namespace

/// Whether the backward pass may recompute an op. Cheap ops are memory-bound:
/// no GEMMs, no attention, no collectives, no embeddings. Choices are always
/// saved.
bool SegmentValues::isRepeatable(Operation *op) const {
  // Recomputed scores may differ by rounding, and choose other elements than
  // the forward pass did.
  if (!isMemoryEffectFree(op) || isa<nn::TopKOp>(op))
    return false;
  return all || !(isa<nn::CostInterface, nn::EmbeddingOp>(op) ||
                  isa<dist::DistDialect>(op->getDialect()));
}

bool SegmentValues::isUsedBack(Value value) const {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return isInBackward(user); });
}

/// Whether the backward pass of another segment reads it.
bool SegmentValues::isHandedOverAnyway(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isBackward(user) && segmentOf(user) != segment;
  });
}

int SegmentValues::addValue(Value value) {
  int node = graph.addNode(isHandedOverAnyway(value) ? 0 : bytesOf(value));
  nodes[value] = node;
  if (isUsedBack(value))
    graph.addEnd(node);
  return node;
}

void SegmentValues::choose() {
  for (Operation *op : forward) {
    SmallVector<int> operands;
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || !activations.contains(def))
        continue;
      bool isNew = !nodes.contains(operand);
      int node = isNew ? addValue(operand) : nodes.lookup(operand);
      if (isNew)
        graph.addBegin(node);
      operands.push_back(node);
    }
    for (Value result : op->getResults()) {
      int node = addValue(result);
      if (!isRepeatable(op))
        graph.addBegin(node);
      else
        for (int operand : operands)
          graph.addEdge(operand, node);
    }
  }
  cut = graph.find();
}

int64_t SegmentValues::clone(Operation *begin) {
  llvm::DenseSet<Operation *> needed;
  for (Operation *op : llvm::reverse(forward)) {
    bool isNeeded = llvm::any_of(op->getResults(), [&](Value result) {
      if (isHandedOver(result))
        return false;
      return isUsedBack(result) ||
             llvm::any_of(result.getUsers(), [&](Operation *user) {
               return needed.contains(user);
             });
    });
    if (isNeeded)
      needed.insert(op);
  }
  OpBuilder builder(begin);
  IRMapping mapping;
  SmallVector<Operation *> clones;
  for (Operation *op : forward) {
    if (!needed.contains(op))
      continue;
    Operation *copy = builder.clone(*op, mapping);
    copy->removeDiscardableAttr(dist::kIdAttr);
    copy->setAttr(nn::kBackwardAttr, builder.getUnitAttr());
    copy->setAttr(nn::kRecomputedAttr, builder.getUnitAttr());
    clones.push_back(copy);
    for (auto [result, again] :
         llvm::zip(op->getResults(), copy->getResults())) {
      if (isHandedOver(result)) {
        mapping.map(result, result);
        continue;
      }
      result.replaceUsesWithIf(
          again, [&](OpOperand &use) { return isInBackward(use.getOwner()); });
    }
  }
  // As late as possible: it takes memory until its use.
  for (Operation *copy : llvm::reverse(clones)) {
    Operation *first = nullptr;
    for (Operation *user : copy->getUsers())
      if (!first || user->isBeforeInBlock(first))
        first = user;
    copy->moveBefore(first);
  }
  return clones.size();
}

void PipeRecomputePass::runOnOperation() {
  auto microbatch = getOperation().lookupSymbol<func::FuncOp>(nn::kMicrobatch);
  if (kind != "selective" && kind != "full") {
    emitError(getOperation().getLoc())
        << "the kind of recomputation is 'selective' or 'full', not '" << kind
        << "'";
    return signalPassFailure();
  }
  if (!microbatch || microbatch.isExternal())
    return;
  Block &block = microbatch.getBody().front();
  auto activations = findActivations(block);
  /// By segment, in order: its forward pass, and the begin of its backward
  /// pass.
  std::map<int64_t, SmallVector<Operation *>> forward;
  llvm::DenseMap<int64_t, Operation *> begins;
  for (Operation &op : block) {
    std::optional<int64_t> segment = segmentOf(&op);
    if (!segment || !activations.contains(&op))
      continue;
    if (isBackward(&op))
      begins.try_emplace(*segment, &op);
    else
      forward[*segment].push_back(&op);
  }
  int64_t clones = 0;
  // The last segment's backward pass runs next, so all its values are saved. Go
  // backwards: values that one segment saves are available to earlier ones.
  if (!forward.empty())
    forward.erase(std::prev(forward.end()));
  for (auto &[segment, ops] : llvm::reverse(forward)) {
    Operation *begin = begins.lookup(segment);
    if (!begin)
      continue;
    SegmentValues values(segment, ops, activations, kind == "full");
    values.choose();
    clones += values.clone(begin);
  }
  if (!clones)
    emitWarning(microbatch.getLoc()) << "--recompute " << kind
                                     << " changes nothing: no layer saves "
                                        "activations that its backward pass "
                                        "could recompute";
}
