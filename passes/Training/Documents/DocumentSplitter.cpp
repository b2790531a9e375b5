//===- DocumentSplitter.cpp - Masks attention across documents ------------===//

#include "analysis/Axes.h"
#include "dialects/NN/Roles.h"
#include "passes/Training/Documents/Documents.h"
#include "passes/Training/Documents/ScoreMasks.h"
#include "passes/Training/Entry.h"
#include "passes/Training/Regularity.h"

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

/// The values that attentions depend on by their queries, keys and values
/// (`layers`), and those that they depend on by biases of scores alone.
static void findParts(Block &body, llvm::DenseSet<Value> &layers,
                      llvm::DenseSet<Value> &scores) {
  auto collect = [](SmallVector<Value> work, llvm::DenseSet<Value> &found,
                    bool hasBiases) {
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!found.insert(value).second)
        continue;
      Operation *op = value.getDefiningOp();
      auto attention = dyn_cast_or_null<AttentionOp>(op);
      if (attention && !hasBiases)
        work.append({attention.getQ(), attention.getK(), attention.getV()});
      else if (op)
        llvm::append_range(work, op->getOperands());
    }
  };
  SmallVector<Value> operands, biases;
  for (auto op : body.getOps<AttentionOp>()) {
    operands.append({op.getQ(), op.getK(), op.getV()});
    if (op.getBias())
      biases.push_back(op.getBias());
  }
  collect(operands, layers, /*hasBiases=*/false);
  collect(biases, scores, /*hasBiases=*/true);
  for (Value value : layers)
    scores.erase(value);
}

/// Adds the inputs that have a token's value for each position, and checks that
/// the targets of the model's own loss are known.
LogicalResult DocumentSplitter::startInputs() {
  ArrayRef<int64_t> tokens = tensorType(positions.getStarts()).getShape();
  bool hasTargets = false, hasOthers = false;
  for (BlockArgument argument : function.getArguments()) {
    std::optional<InputRole> role = roleOf(argument);
    ArrayRef<int64_t> shape = tensorType(argument).getShape();
    std::optional<unsigned> sequence = dimsOf(argument).sequence;
    if (role == InputRole::Data && !sequence && shape.size() >= 2 &&
        shape.take_front(2) == tokens)
      sequence = 1;
    bool isSequence = sequence && shape[*sequence] == length;
    if (role == InputRole::Targets || role == InputRole::Labels) {
      hasTargets |= isSequence;
      hasOthers |= !isSequence;
    }
    if (!isSequence || role == InputRole::Positions)
      continue;
    trackerOf(length).start(argument, *sequence);
    shifts.start(argument);
  }
  if (!hasOthers && (hasTargets || !function->hasAttr(kHasLossAttr)))
    return success();
  InFlightDiagnostic diag = function.emitError()
                            << "--documents: the targets of the model's own "
                               "loss are not known, so those after the end of "
                               "a document would count";
  diag.attachNote() << "targets are recognized if they are the classes of a "
                       "cross-entropy, [batch, sequence]; --loss causal-lm "
                       "attaches a loss to the logits";
  return diag;
}

LogicalResult DocumentSplitter::run() {
  Block &body = function.getBody().front();
  if (failed(startInputs()))
    return failure();
  findParts(body, ofLayers, ofScores);
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
  SmallVector<Value> along;
  bool depends = false;
  for (Value operand : op->getOperands()) {
    const Dependence *at = find(operand).second;
    depends |= at != nullptr;
    if (at && at->kind == Dependence::PerElement)
      along.push_back(operand);
  }
  if (!depends)
    return success();
  bool isShift = findShift(op).has_value();
  if (std::string problem =
          shifts.visit(op, along, isShift ? *findShift(op) : 0);
      !problem.empty())
    return refuse(op, problem);
  if (auto attention = dyn_cast<AttentionOp>(op))
    return visitAttention(attention);
  if (isShift) {
    const Dependence *at = find(op->getOperand(0)).second;
    int64_t dim = at->dim;
    trackerOf(tensorType(op->getResult(0)).getDimSize(dim))
        .start(op->getResult(0), dim);
    return success();
  }
  if (auto rope = dyn_cast<RopeOp>(op); rope && failed(visitRope(rope)))
    return failure();
  if (failed(follow(op)))
    return failure();
  // Random numbers are drawn by index; attention checks the biases of scores.
  bool isOfScores = llvm::any_of(op->getResults(),
                                 [&](Value x) { return ofScores.contains(x); });
  if (isOfScores)
    noteNumbered(op);
  return keepsPositions || isOfScores || isa<DropoutOp, RopeOp>(op)
             ? success()
             : resetOperands(op);
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

/// Follows the values of scores that depend on tokens and on their positions.
void DocumentSplitter::noteNumbered(Operation *op) {
  Value along;
  bool isNumbered = !findNumbered(op, along).empty() ||
                    llvm::any_of(op->getOperands(), [&](Value x) {
                      return numberedScores.contains(x);
                    });
  if (isNumbered)
    numberedScores.insert(op->result_begin(), op->result_end());
}

/// Whether a bias, or a term of it, has no other values in a document that
/// begins later, except those of a mask.
bool DocumentSplitter::isFreeOfPositions(Value bias) {
  ArrayRef<int64_t> shape = tensorType(bias).getShape();
  auto isUniform = [&](int64_t dim) {
    return shape[dim] == 1 || isUniformAlong(bias, dim);
  };
  auto [tracker, at] = find(bias);
  if (isMask(bias))
    return true;
  if (!at)
    return isUniform(2) && isUniform(3);
  bool isRow = at->isPerElement(2) && isUniform(3),
       isColumn = at->isPerElement(3) && isUniform(2);
  if ((isRow || isColumn) && !numberedScores.contains(bias))
    return true;
  Operation *op = bias.getDefiningOp();
  if (auto sum = dyn_cast_or_null<SumOp>(op))
    return llvm::all_of(sum.getInputs(),
                        [&](Value term) { return isFreeOfPositions(term); });
  if (auto where = dyn_cast_or_null<WhereOp>(op))
    return (isMask(where.getLhs()) || isMask(where.getRhs())) &&
           isFreeOfPositions(where.getLhs()) &&
           isFreeOfPositions(where.getRhs());
  return false;
}

LogicalResult DocumentSplitter::checkBias(AttentionOp op) {
  if (!isFreeOfPositions(op.getBias())) {
    InFlightDiagnostic diag =
        refuse(op, "has a bias by position, and nothing shows that a "
                   "document's is the same wherever it begins");
    diag.attachNote() << "where it depends on distances alone --keep-positions "
                         "is the same";
    return diag;
  }
  if (hidesByDistance(op))
    return success();
  InFlightDiagnostic diag =
      refuse(op, "hides other keys in a document that begins later");
  diag.attachNote() << "--keep-positions masks by the index in the sample";
  return diag;
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
  if (op.getBias() && !keepsPositions && failed(checkBias(op)))
    return failure();
  if (int64_t chunk = op.getChunk(); chunk && chunk < length) {
    InFlightDiagnostic diag =
        function.emitWarning()
        << "--documents: " << nodeName(op.getOperation()) << " sees chunks of "
        << chunk
        << " positions, which are counted from the start of the sample";
    diag.attachNote() << "a document that begins within a chunk has a shorter "
                         "first chunk";
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

SmallVector<unsigned> DocumentSplitter::findNumbered(Operation *op,
                                                     Value &along) {
  SmallVector<unsigned> numbered;
  auto ruled = dyn_cast<ShardingRuleInterface>(op);
  if (!ruled)
    return numbered;
  ShardingRule rule = ruled.getShardingRule();
  // The loop of the op that runs along the sequence.
  int loop = -1;
  int64_t inner = 1;
  for (auto [operand, dims] : llvm::zip_equal(op->getOperands(), rule.operands))
    if (const Dependence *own = find(operand).second;
        own && own->kind == Dependence::PerElement &&
        dims[own->dim].size() == 1) {
      loop = dims[own->dim].front();
      inner = own->inner;
      along = operand;
    }
  if (!along)
    return numbered;
  for (auto [i, dims] : llvm::enumerate(rule.operands)) {
    auto dim = llvm::find_if(dims, [&](const DimFactors &own) {
      return llvm::is_contained(own, loop);
    });
    Value operand = op->getOperand(i);
    if (dim != dims.end() && !find(operand).second &&
        !isUniformAlong(operand, dim - dims.begin(),
                        stepIn(rule, *dim, loop, inner)))
      numbered.push_back(i);
  }
  return numbered;
}

LogicalResult DocumentSplitter::resetOperands(Operation *op) {
  Value along;
  for (unsigned i : findNumbered(op, along)) {
    Dependence dependence = *find(along).second;
    std::string problem = "numbers positions";
    if (elementMapOf(op) == ElementMap::Elementwise &&
        find(along).first == &trackerOf(length) && dependence.inner == 1) {
      int64_t batch = analysis::findAxes(along).batch;
      if (!find(positions.get()).second)
        trackerOf(length).start(positions.get(), 1);
      auto visitMade = [&](Operation *made) {
        if (llvm::any_of(made->getOperands(),
                         [&](Value x) { return find(x).second; }))
          (void)follow(made);
      };
      if (batch >= 0 && batch != dependence.dim)
        problem = positions.lookUp(op->getOpOperand(i), batch, dependence.dim,
                                   visitMade);
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

std::optional<int64_t> DocumentSplitter::findShift(Operation *op) {
  if (!isa<SliceOp, PadOp, ConcatOp>(op))
    return std::nullopt;
  const Dependence *at = find(op->getOperand(0)).second;
  Value result = op->getResult(0);
  // Only the loss may move values along the sequence.
  if (!at || at->kind != Dependence::PerElement || at->inner != 1 ||
      ofLayers.contains(result) || ofScores.contains(result))
    return std::nullopt;
  int64_t dim = at->dim;
  bool changes = tensorType(result).getDimSize(dim) !=
                 tensorType(op->getOperand(0)).getDimSize(dim);
  bool isOfTokens = shifts.isOfTokens(op->getOperand(0));
  if (auto slice = dyn_cast<SliceOp>(op))
    return changes && slice.getSteps()[dim] == 1
               ? std::optional(slice.getStarts()[dim])
               : std::nullopt;
  if (auto pad = dyn_cast<PadOp>(op))
    return changes && !isOfTokens && pad.getSteps()[dim] == 1
               ? std::optional(-pad.getStarts()[dim])
               : std::nullopt;
  return changes && !isOfTokens &&
                 static_cast<int64_t>(cast<ConcatOp>(op).getDim()) == dim
             ? std::optional<int64_t>(0)
             : std::nullopt;
}
