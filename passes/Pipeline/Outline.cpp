//===- Outline.cpp - Outlines functions into tasks ------------------------===//

#include "passes/Pipeline/Outline.h"
#include "analysis/Activations.h"
#include "dialects/NN/Location.h"
#include "passes/Training/Entry.h"

namespace pcc {
#define GEN_PASS_DEF_PIPEOUTLINEPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// Divides one function into units. A unit becomes one task: the forward or the
/// backward pass of a segment, or both if there is one segment. Units are
/// numbered in the order in which a microbatch passes through them.
class MicrobatchOutliner {
public:
  MicrobatchOutliner(TaskSymbols &symbols, func::FuncOp func,
                     ArrayRef<int64_t> stageOfSegment, bool isEvaluation)
      : symbols(symbols), func(func), stageOfSegment(stageOfSegment),
        isEvaluation(isEvaluation) {}
  LogicalResult run();

private:
  void splitAccumulations();
  LogicalResult assignUnits();
  bool isMadeWithLoss(Operation *op, int64_t afterUnit);
  void addBeforeCrossing();
  void repeatViews();
  bool isWorthRepeating(Operation *view, int64_t unit);
  void bindCrossing();
  void buildTask(int64_t unit, ArrayRef<Operation *> ops);
  void lookUp(TaskBuilder &task, Value value, IRMapping &mapping);

  int64_t segments() const { return stageOfSegment.size(); }
  int64_t unitCount() const {
    return segments() == 1 || isEvaluation ? segments() : 2 * segments();
  }
  int64_t unitOf(int64_t segment, bool isBackward) const {
    bool isSecond = isBackward && unitCount() > segments();
    return isSecond ? 2 * segments() - 1 - segment : segment;
  }
  int64_t segmentOf(int64_t unit) const {
    return unit < segments() ? unit : 2 * segments() - 1 - unit;
  }
  Phase phaseOf(int64_t unit) const {
    if (isEvaluation)
      return Phase::Evaluate;
    if (segments() == 1)
      return Phase::ForwardBackward;
    return unit < segments() ? Phase::Forward : Phase::Backward;
  }

  TaskSymbols &symbols;
  func::FuncOp func;
  ArrayRef<int64_t> stageOfSegment;
  bool isEvaluation;
  /// By op: its unit. Ops without an entry are cloned into every unit that uses
  /// them.
  llvm::DenseMap<Operation *, int64_t> units;
  llvm::DenseMap<Value, FlatSymbolRefAttr> crossing;
};

struct PipeOutlinePass : pcc::impl::PipeOutlinePassBase<PipeOutlinePass> {
  void runOnOperation() override;
};

} // namespace

std::optional<int64_t> pcc::segmentOf(Operation *op) {
  for (StringRef name :
       {StringRef(nn::kSegmentAttr), StringRef(nn::kStageAttr)})
    if (auto number = op->getAttrOfType<IntegerAttr>(name))
      return number.getInt();
  return std::nullopt;
}

/// Splits a sum of gradients from several segments (of a tied parameter): each
/// segment accumulates its own term, so that the gradient of a large table
/// crosses no stages.
void MicrobatchOutliner::splitAccumulations() {
  SmallVector<nn::AccumulateOp> all(func.getOps<nn::AccumulateOp>());
  for (nn::AccumulateOp accumulate : all) {
    auto sum = accumulate.getValue().getDefiningOp<nn::SumOp>();
    if (!sum || !sum->hasOneUse())
      continue;
    llvm::SmallDenseSet<int64_t> from;
    for (Value input : sum.getInputs())
      if (Operation *def = input.getDefiningOp())
        if (auto segment = pcc::segmentOf(def))
          from.insert(*segment);
    if (from.size() < 2)
      continue;
    OpBuilder builder(accumulate);
    for (Value input : sum.getInputs()) {
      Operation *part = builder.clone(*accumulate);
      part->setOperands(input);
      if (Operation *def = input.getDefiningOp())
        nn::inheritStage(part, def);
    }
    accumulate.erase();
    sum.erase();
  }
}

/// Whether a gradient op belongs to the forward unit of its segment. The
/// gradient of the logits depends on nothing after the loss. In one unit, loss
/// and gradient read the logits once; if a head is computed in chunks, they do
/// not outlive their chunk.
bool MicrobatchOutliner::isMadeWithLoss(Operation *op, int64_t afterUnit) {
  return (isa<nn::CrossEntropyGradOp>(op) || op->hasAttr(nn::kChunkAttr)) &&
         afterUnit < segments();
}

LogicalResult MicrobatchOutliner::assignUnits() {
  Block &block = func.getBody().front();
  auto activations = findActivations(block);
  for (Operation &op : block.without_terminator()) {
    bool isFree = !activations.contains(&op) && isMemoryEffectFree(&op);
    if (isFree || isa<nn::ReadOp>(op))
      continue;
    auto segment = pcc::segmentOf(&op);
    if (segment && *segment >= segments())
      return op.emitOpError()
             << "is in segment " << *segment << " of " << segments();
    auto stage = op.getAttrOfType<IntegerAttr>(nn::kStageAttr);
    if (stage && stage.getInt() != stageOfSegment[*segment])
      return op.emitOpError()
             << "is in stage " << stage.getInt() << ", but segment " << *segment
             << " is in stage " << stageOfSegment[*segment];
    int64_t unit = -1;
    for (Value operand : op.getOperands())
      if (auto it = units.find(operand.getDefiningOp()); it != units.end())
        unit = std::max(unit, it->second);
    bool isAccumulate = isa<nn::AccumulateOp>(op);
    bool isBackward =
        op.hasAttr(nn::kBackwardAttr) && !isMadeWithLoss(&op, unit);
    // An accumulation is in the unit of its value. If that value is in no unit,
    // a gradient is accumulated where its parameter is, a count of targets with
    // the loss.
    if (isAccumulate && unit < 0 && !isBackward)
      unit = segments() - 1;
    else if (segment && !(isAccumulate && unit >= 0))
      unit = std::max(unit, unitOf(*segment, isBackward));
    units[&op] = std::max<int64_t>(unit, 0);
  }
  return success();
}

/// Adds the terms of a sum from earlier units in the last of these units: the
/// gradient of a residual stream crosses as one value, not one per use.
void MicrobatchOutliner::addBeforeCrossing() {
  for (nn::SumOp sum : llvm::make_early_inc_range(func.getOps<nn::SumOp>())) {
    auto own = units.find(sum);
    if (own == units.end())
      continue;
    // Adding a value saves nothing if it crosses for other users as well.
    auto crossesForOthers = [&](Value input) {
      return llvm::any_of(input.getUsers(), [&](Operation *user) {
        return user != sum && units.contains(user) &&
               units.lookup(user) >= own->second;
      });
    };
    SmallVector<Value> early, inputs;
    int64_t last = -1;
    for (Value input : sum.getInputs()) {
      auto it = units.find(input.getDefiningOp());
      if (it == units.end() || it->second == own->second ||
          crossesForOthers(input)) {
        inputs.push_back(input);
        continue;
      }
      if (early.empty())
        inputs.push_back(Value());
      early.push_back(input);
      last = std::max(last, it->second);
    }
    if (early.size() < 2)
      continue;
    if (inputs.size() == 1) {
      own->second = last;
      continue;
    }
    OpBuilder builder(sum);
    auto part = nn::SumOp::create(builder, sum.getLoc(), sum.getType(), early);
    setSharding(part, dist::getSharding(sum.getResult()));
    units[part] = last;
    *llvm::find(inputs, Value()) = part;
    sum.getInputsMutable().assign(inputs);
  }
}

/// Whether an op's result is a part of its operand, in the same order of
/// elements: reading it costs no more than reading the operand.
static bool isView(Operation *op) {
  return isa<nn::ReshapeOp, nn::SelectOp, nn::SliceOp>(op);
}

/// Whether the source of a view crosses to a unit anyway, or in no more bytes
/// than its views would.
bool MicrobatchOutliner::isWorthRepeating(Operation *view, int64_t unit) {
  Value whole = view->getOperand(0);
  auto isUsedIn = [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return units.lookup(user) == unit && units.contains(user);
    });
  };
  int64_t bytes = 0;
  for (Operation *user : whole.getUsers()) {
    auto it = units.find(user);
    if (it == units.end())
      continue;
    if (it->second == unit)
      return true;
    if (isView(user) && isUsedIn(user))
      bytes += bytesOf(user->getResult(0));
  }
  return bytes >= bytesOf(whole);
}

/// Clones views into the units that use them, so that their source crosses
/// once: a view is free there, whereas a slice before the crossing would be
/// copied.
void MicrobatchOutliner::repeatViews() {
  Block &block = func.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    auto own = units.find(&op);
    if (own == units.end() || !isView(&op) ||
        !units.contains(op.getOperand(0).getDefiningOp()))
      continue;
    llvm::MapVector<int64_t, SmallVector<OpOperand *>> uses;
    for (OpOperand &use : op.getResult(0).getUses()) {
      auto it = units.find(use.getOwner());
      if (it != units.end() && it->second != own->second)
        uses[it->second].push_back(&use);
    }
    for (auto &[unit, operands] : uses) {
      if (!isWorthRepeating(&op, unit))
        continue;
      OpOperand **first =
          llvm::min_element(operands, [](OpOperand *a, OpOperand *b) {
            return a->getOwner()->isBeforeInBlock(b->getOwner());
          });
      Operation *copy = OpBuilder((*first)->getOwner()).clone(op);
      units[copy] = unit;
      for (OpOperand *use : operands)
        use->set(copy->getResult(0));
    }
    if (op.use_empty()) {
      units.erase(&op);
      op.erase();
    }
  }
}

/// Declares a pipe.value for each result that another unit uses.
void MicrobatchOutliner::bindCrossing() {
  for (Operation &op : func.getBody().front()) {
    auto it = units.find(&op);
    if (it == units.end())
      continue;
    for (Value result : op.getResults())
      for (Operation *user : result.getUsers()) {
        auto other = units.find(user);
        if (other == units.end() || other->second == it->second)
          continue;
        crossing[result] = symbols.addValue(result.getType(), op.getLoc(),
                                            dist::getSharding(result));
        break;
      }
  }
}

/// Maps a value to its counterpart in the task: computed there, cloned there,
/// or an argument.
void MicrobatchOutliner::lookUp(TaskBuilder &task, Value value,
                                IRMapping &mapping) {
  if (mapping.contains(value))
    return;
  Operation *def = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    mapping.map(value,
                task.take(symbols.getInput(func, argument.getArgNumber()),
                          value.getType()));
  } else if (units.contains(def)) {
    mapping.map(value, task.take(crossing.lookup(value), value.getType()));
  } else {
    for (Value operand : def->getOperands())
      lookUp(task, operand, mapping);
    task.clone(*def, mapping);
  }
}

void MicrobatchOutliner::buildTask(int64_t unit, ArrayRef<Operation *> ops) {
  static constexpr llvm::StringLiteral names[] = {
      "forward", "backward", "microbatch", "update", "evaluate"};
  Phase phase = phaseOf(unit);
  int64_t segment = segmentOf(unit);
  std::string name =
      (names[static_cast<int>(phase)] + "." + Twine(segment)).str();
  TaskBuilder task(symbols, name, stageOfSegment[segment], phase,
                   func.getLoc());
  IRMapping mapping;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      lookUp(task, operand, mapping);
    task.clone(*op, mapping);
    for (Value result : op->getResults())
      if (FlatSymbolRefAttr symbol = crossing.lookup(result))
        task.addResult(mapping.lookup(result), symbol);
  }
  task.close();
  task.finish();
}

LogicalResult MicrobatchOutliner::run() {
  splitAccumulations();
  if (failed(assignUnits()))
    return failure();
  addBeforeCrossing();
  repeatViews();
  bindCrossing();
  // By unit, in order.
  std::vector<SmallVector<Operation *>> ops(unitCount());
  for (Operation &op : func.getBody().front())
    if (auto it = units.find(&op); it != units.end())
      ops[it->second].push_back(&op);
  for (int64_t unit = 0; unit < unitCount(); ++unit)
    buildTask(unit, ops[unit]);
  return success();
}

/// Returns the stage of each segment, taken from its first op. Fails for
/// invalid segment numbers.
static FailureOr<SmallVector<int64_t>> findSegments(func::FuncOp func) {
  SmallVector<int64_t> stages;
  int64_t ops = func.getBody().front().getOperations().size();
  for (Operation &op : func.getBody().front()) {
    auto segment = segmentOf(&op);
    auto stage = op.getAttrOfType<IntegerAttr>(nn::kStageAttr);
    if (!segment)
      continue;
    if (*segment < 0 || *segment >= ops)
      return op.emitOpError() << "is in segment " << *segment << ", which "
                              << ops << " ops cannot have";
    if (*segment >= int64_t(stages.size()))
      stages.resize(*segment + 1, -1);
    if (stages[*segment] < 0)
      stages[*segment] = stage ? stage.getInt() : 0;
  }
  if (stages.empty())
    stages.push_back(0);
  // Clean-ups may have removed all ops of a segment.
  for (size_t i = 0; i < stages.size(); ++i)
    if (stages[i] < 0)
      stages[i] = i == 0 ? 0 : stages[i - 1];
  return stages;
}

void PipeOutlinePass::runOnOperation() {
  ModuleOp module = getOperation();
  auto lookUp = [&](StringRef name) {
    return module.lookupSymbol<func::FuncOp>(name);
  };
  func::FuncOp microbatch = lookUp(nn::kMicrobatch),
               update = lookUp(nn::kUpdate), evaluate = lookUp(nn::kEvaluate),
               result = lookUp(nn::kEvaluateResult),
               counts = lookUp(nn::kCounts), gather = lookUp(nn::kGather),
               reduce = lookUp(nn::kReduce);
  TaskSymbols symbols(module);
  // A model that is not trained still has the frontend's @forward.
  if (func::FuncOp forward = lookUp(nn::kForward); forward && !microbatch) {
    outlineForward(symbols, forward);
    forward.erase();
    return;
  }
  if (!microbatch || !update) {
    emitError(module.getLoc())
        << "a training program has the functions @microbatch and @update";
    return signalPassFailure();
  }
  // The symbols of a task's arguments are found by their roles.
  for (func::FuncOp func : {microbatch, update, evaluate, result, counts})
    for (unsigned i = 0; func && i < func.getNumArguments(); ++i)
      if (!nn::roleOf(func, i)) {
        func.emitError() << "input " << i << " of @" << func.getSymName()
                         << " has no role";
        return signalPassFailure();
      }
  FailureOr<SmallVector<int64_t>> segments = findSegments(microbatch);
  if (failed(segments) ||
      failed(MicrobatchOutliner(symbols, microbatch, *segments, false).run()))
    return signalPassFailure();
  int64_t stages = *llvm::max_element(*segments) + 1;
  if (counts)
    outlineCounts(symbols, counts);
  if (reduce)
    outlineReduce(symbols, reduce);
  if (failed(outlineUpdate(symbols, update, stages)))
    return signalPassFailure();
  if (evaluate && result)
    if (failed(MicrobatchOutliner(symbols, evaluate, *segments, true).run()) ||
        failed(outlineResult(symbols, result, stages)))
      return signalPassFailure();
  if (gather)
    outlineGather(symbols, gather);
  for (func::FuncOp func :
       {microbatch, update, evaluate, result, counts, gather, reduce})
    if (func)
      func.erase();
}
