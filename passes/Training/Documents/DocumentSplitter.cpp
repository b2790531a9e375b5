//===- DocumentSplitter.cpp - Masks attention across documents ------------===//

#include "analysis/Axes.h"
#include "analysis/Dependence.h"
#include "analysis/Evaluate.h"
#include "dialects/NN/Roles.h"
#include "passes/Training/Documents/Documents.h"
#include "passes/Training/Entry.h"
#include "passes/Training/Regularity.h"
#include "passes/Training/Visibility.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

using Dependence = LoopTracker::Dependence;

DocumentSplitter::DocumentSplitter(func::FuncOp function, bool keepsPositions)
    : function(function), keepsPositions(keepsPositions), positions(function) {
  length = tensorType(positions.getStarts()).getDimSize(1);
}

LoopTracker &DocumentSplitter::trackerOf(int64_t extent) {
  return trackers
      .try_emplace(extent, "positions", extent, LoopTracker::Numbers::Allowed)
      .first->second;
}

std::pair<LoopTracker *, const Dependence *>
DocumentSplitter::find(Value value) {
  for (auto &[extent, tracker] : trackers)
    if (const Dependence *at = tracker.find(value))
      return {&tracker, at};
  return {nullptr, nullptr};
}

bool DocumentSplitter::hasSamplesAndPositions(Value value) {
  const Dependence *at = trackerOf(length).find(value);
  return at && at->isPerElement(1) &&
         tensorType(value).getShape().take_front(2) ==
             tensorType(positions.getStarts()).getShape();
}

InFlightDiagnostic DocumentSplitter::refuse(Operation *op,
                                            const llvm::Twine &problem) {
  return function.emitError()
         << "--documents: " << nodeName(op) << " " << problem;
}

LogicalResult DocumentSplitter::run() {
  Block &body = function.getBody().front();
  LoopTracker &whole = trackerOf(length);
  for (BlockArgument argument : function.getArguments()) {
    std::optional<unsigned> sequence = dimsOf(argument).sequence;
    if (!sequence || roleOf(argument) == InputRole::Positions ||
        tensorType(argument).getDimSize(*sequence) != length)
      continue;
    whole.start(argument, *sequence);
    if (roleOf(argument) == InputRole::Tokens)
      ofTokens.insert(argument);
  }
  for (auto op : body.getOps<AttentionOp>())
    for (Value operand : {op.getQ(), op.getK(), op.getV()})
      before.insert_range(neededFor(operand));
  bool hasAttention = false;
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (failed(visit(&op)))
      return failure();
    if (auto attention = dyn_cast<AttentionOp>(op))
      hasAttention |= bool(attention.getStarts());
  }
  if (!hasAttention)
    return function.emitError() << "--documents: no attention of the model "
                                   "runs along the sequence";
  if (function->hasAttr(kHasLossAttr))
    return success();
  for (Value output : body.getTerminator()->getOperands())
    if (const Dependence *at = find(output).second;
        at && at->kind == Dependence::Summed && output.getDefiningOp())
      return refuse(output.getDefiningOp(), "is a sum over positions");
  return success();
}

LogicalResult DocumentSplitter::visit(Operation *op) {
  bool depends =
      llvm::any_of(op->getOperands(), [&](Value x) { return find(x).second; });
  if (!depends)
    return success();
  if (llvm::any_of(op->getOperands(),
                   [&](Value x) { return ofTokens.contains(x); }))
    ofTokens.insert(op->result_begin(), op->result_end());
  if (auto attention = dyn_cast<AttentionOp>(op))
    return visitAttention(attention);
  if (auto rope = dyn_cast<RopeOp>(op); rope && failed(visitRope(rope)))
    return failure();
  if (visitShift(op))
    return success();
  // Random numbers are drawn by index.
  if (!keepsPositions && !isa<DropoutOp, RopeOp>(op) &&
      failed(resetOperands(op)))
    return failure();
  return follow(op);
}

LogicalResult DocumentSplitter::follow(Operation *op) {
  for (auto &[extent, tracker] : trackers)
    if (std::string problem = tracker.visit(op); !problem.empty()) {
      InFlightDiagnostic diag = refuse(op, problem);
      diag.attachNote()
          << "documents are masked in attention that pcc recognizes; "
             "other ops must compute each position separately";
      return diag;
    }
  return success();
}

/// Whether a value only hides elements: all of its elements are 0 or very
/// negative.
static bool isMask(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto where = dyn_cast_or_null<WhereOp>(op))
    return isMask(where.getLhs()) && isMask(where.getRhs());
  if (op && (keepsElements(op) || isa<BroadcastOp, CastOp, SliceOp>(op)))
    return isMask(op->getOperand(0));
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  auto elements =
      constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  return elements && llvm::all_of(elements, [](const APFloat &element) {
           return element.isZero() ||
                  element.convertToDouble() <= analysis::kRemovesKey;
         });
}

/// Whether a value is the positions 0, 1, ...
static bool countsPositions(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return roleOf(argument) == InputRole::Positions;
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || tensorType(value).getRank() != 1)
    return false;
  auto elements = cast<DenseIntElementsAttr>(constant.getValue());
  return elements.getNumElements() > 0 && (*elements.begin()).isZero() &&
         (elements.getNumElements() == 1 || stepAlong(value, 0) == 1);
}

/// Whether the bias of an attention hides all keys after a query. Some models
/// have the causal mask in one bias with other terms.
static bool hidesLaterKeys(AttentionOp op) {
  Value bias = op.getBias();
  if (!bias || !countsPositions(op.getQPos()) || !countsPositions(op.getKPos()))
    return false;
  ArrayRef<int64_t> shape = tensorType(bias).getShape();
  Visibility visibility(tensorType(op.getK()).getDimSize(1));
  visibility.add(bias, /*along=*/3, {-1, -1, 0, 1}, Visibility::Removed);
  for (int64_t query = 0; query < shape[2]; ++query)
    for (auto [begin, end] : visibility.at({query, 0}))
      if (end > query + 1)
        return false;
  return shape[2] == tensorType(op.getQ()).getDimSize(1);
}

LogicalResult DocumentSplitter::visitAttention(AttentionOp op) {
  LoopTracker &whole = trackerOf(length);
  // Attention along another dim computes each position alone.
  if (const Dependence *q = whole.find(op.getQ());
      q && q->kind == Dependence::PerElement && q->dim != 1)
    return follow(op);
  for (Value value : {op.getQ(), op.getK(), op.getV()})
    if (!hasSamplesAndPositions(value))
      return refuse(op, "attends to other positions than those of the tokens");
  if (!op.getCausal() && hidesLaterKeys(op))
    op.setCausal(true);
  if (!op.getCausal()) {
    InFlightDiagnostic diag =
        refuse(op, "is attention without a causal mask, so a document would "
                   "see the next one");
    diag.attachNote() << "documents are masked in causal attention only";
    return diag;
  }
  if (Value bias = op.getBias(); bias && !keepsPositions) {
    const Dependence *at = whole.find(bias);
    ArrayRef<int64_t> shape = tensorType(bias).getShape();
    bool varies = (shape[2] > 1 && !isUniformAlong(bias, 2)) ||
                  (shape[3] > 1 && !isUniformAlong(bias, 3));
    if (at ? at->kind != Dependence::PerElement : varies && !isMask(bias)) {
      InFlightDiagnostic diag =
          refuse(op, "has a bias by position, and nothing shows that a "
                     "document's is the same wherever it begins");
      diag.attachNote() << "where it depends on distances alone "
                           "--keep-positions is the same";
      return diag;
    }
  }
  op.getStartsMutable().assign(positions.getStarts());
  for (Value result : op->getResults())
    whole.start(result, 1);
  return success();
}

LogicalResult DocumentSplitter::visitRope(RopeOp op) {
  if (keepsPositions)
    return success();
  if (!countsPositions(op.getPositions()) ||
      !hasSamplesAndPositions(op.getInput())) {
    InFlightDiagnostic diag =
        refuse(op, "rotates by other positions than 0, 1, ... of the tokens");
    diag.attachNote() << "--keep-positions leaves them as they are";
    return diag;
  }
  op.getPositionsMutable().assign(positions.get());
  if (!find(positions.get()).second)
    trackerOf(length).start(positions.get(), 1);
  return success();
}

LogicalResult DocumentSplitter::resetOperands(Operation *op) {
  auto ruled = dyn_cast<ShardingRuleInterface>(op);
  if (!ruled)
    return success();
  ShardingRule rule = ruled.getShardingRule();
  // The loop of the op that runs along the sequence.
  int loop = -1;
  const Dependence *at = nullptr;
  Value along;
  for (auto [operand, dims] : llvm::zip_equal(op->getOperands(), rule.operands))
    if (const Dependence *own = find(operand).second;
        own && own->kind == Dependence::PerElement &&
        dims[own->dim].size() == 1) {
      loop = dims[own->dim].front();
      at = own;
      along = operand;
    }
  if (!at)
    return success();
  Dependence dependence = *at;
  for (auto [i, dims] : llvm::enumerate(rule.operands)) {
    OpOperand &operand = op->getOpOperand(i);
    auto dim = llvm::find_if(dims, [&](const DimFactors &own) {
      return llvm::is_contained(own, loop);
    });
    if (dim == dims.end() || find(operand.get()).second ||
        isUniformAlong(operand.get(), dim - dims.begin(),
                       stepIn(rule, *dim, loop, dependence.inner)))
      continue;
    std::string problem = "numbers positions";
    if (elementMapOf(op) == ElementMap::Elementwise &&
        find(along).first == &trackerOf(length) && dependence.inner == 1) {
      int64_t batch = analysis::findAxes(along).batch;
      if (!find(positions.get()).second)
        trackerOf(length).start(positions.get(), 1);
      if (batch >= 0 && batch != dependence.dim)
        problem = positions.lookUp(
            operand, batch, dependence.dim, [&](Operation *made) {
              if (llvm::any_of(made->getOperands(),
                               [&](Value x) { return find(x).second; }))
                (void)follow(made);
            });
    }
    if (problem.empty())
      continue;
    InFlightDiagnostic diag = refuse(op, problem);
    diag.attachNote()
        << "positions are reset at each document; --keep-positions "
           "leaves them as they are";
    return diag;
  }
  return success();
}

bool DocumentSplitter::visitShift(Operation *op) {
  if (!isa<SliceOp, PadOp, ConcatOp>(op))
    return false;
  auto [tracker, at] = find(op->getOperand(0));
  if (!at || at->kind != Dependence::PerElement || at->inner != 1)
    return false;
  int64_t dim = at->dim;
  Value result = op->getResult(0);
  int64_t extent = tensorType(result).getDimSize(dim);
  auto slice = dyn_cast<SliceOp>(op);
  int64_t start = slice ? slice.getStarts()[dim] : 0;
  bool isWhole = slice && start == 0 &&
                 extent == tensorType(op->getOperand(0)).getDimSize(dim);
  bool isAlong =
      !isWhole && (!isa<ConcatOp>(op) ||
                   static_cast<int64_t>(cast<ConcatOp>(op).getDim()) == dim);
  if (!isAlong || before.contains(result))
    return false;
  // Targets may be moved to the positions that predict them. What the model
  // computed may only lose its first or last positions, all values the same.
  if (ofTokens.contains(result)) {
    if (!slice || slice.getSteps()[dim] != 1)
      return false;
    auto [known, isNew] = sliceStarts.try_emplace(extent, start);
    if (!isNew && known->second != start)
      return false;
  }
  trackerOf(extent).start(result, dim);
  return true;
}
