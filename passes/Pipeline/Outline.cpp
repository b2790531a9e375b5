//===- Outline.cpp - Makes tasks of functions -----------------------------===//

#include "passes/Pipeline/Outline.h"
#include "passes/Pipeline/Activations.h"
#include "passes/Training/Entry.h"

namespace pcc {
#define GEN_PASS_DEF_PIPEOUTLINEPASS
#include "passes/Pipeline/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// Divides one function into units: a unit is what one task will hold. Units
/// are numbered in the order in which a microbatch passes through them.
class MicrobatchOutliner {
public:
  MicrobatchOutliner(TaskSymbols &symbols, func::FuncOp func, int64_t stages,
                     bool isEvaluation)
      : symbols(symbols), func(func), stages(stages),
        isEvaluation(isEvaluation) {}
  LogicalResult run();

private:
  void splitAccumulations();
  LogicalResult assignUnits();
  void addBeforeCrossing();
  void bindCrossing();
  void buildTask(int64_t unit);
  void lookUp(TaskBuilder &task, Value value, IRMapping &mapping);

  int64_t unitCount() const {
    return stages == 1 || isEvaluation ? stages : 2 * stages;
  }
  int64_t unitOf(int64_t stage, bool isBackward) const {
    bool isSecond = isBackward && unitCount() > stages;
    return isSecond ? 2 * stages - 1 - stage : stage;
  }
  int64_t stageOf(int64_t unit) const {
    return unit < stages ? unit : 2 * stages - 1 - unit;
  }
  Phase phaseOf(int64_t unit) const {
    if (isEvaluation)
      return Phase::Evaluate;
    if (stages == 1)
      return Phase::ForwardBackward;
    return unit < stages ? Phase::Forward : Phase::Backward;
  }

  TaskSymbols &symbols;
  func::FuncOp func;
  int64_t stages;
  bool isEvaluation;
  /// Ops without an entry are cloned wherever they are used.
  llvm::DenseMap<Operation *, int64_t> units;
  llvm::DenseMap<Value, FlatSymbolRefAttr> crossing;
};

struct PipeOutlinePass : pcc::impl::PipeOutlinePassBase<PipeOutlinePass> {
  void runOnOperation() override;
};

} // namespace

/// A sum of gradients from several stages (of a tied parameter) is added up
/// in each stage's own state instead: no task could compute it.
void MicrobatchOutliner::splitAccumulations() {
  SmallVector<nn::AccumulateOp> all(func.getOps<nn::AccumulateOp>());
  for (nn::AccumulateOp accumulate : all) {
    auto sum = accumulate.getValue().getDefiningOp<nn::SumOp>();
    if (!sum || !sum->hasOneUse())
      continue;
    SmallVector<int64_t> from;
    for (Value input : sum.getInputs())
      if (Operation *def = input.getDefiningOp())
        if (auto stage = def->getAttrOfType<IntegerAttr>(nn::kStageAttr);
            stage && !llvm::is_contained(from, stage.getInt()))
          from.push_back(stage.getInt());
    if (from.size() < 2)
      continue;
    OpBuilder builder(accumulate);
    for (Value input : sum.getInputs()) {
      Operation *part = builder.clone(*accumulate);
      part->setOperands(input);
      if (Operation *def = input.getDefiningOp())
        if (Attribute stage = def->getAttr(nn::kStageAttr))
          part->setAttr(nn::kStageAttr, stage);
    }
    accumulate.erase();
    sum.erase();
  }
}

LogicalResult MicrobatchOutliner::assignUnits() {
  Block &block = func.getBody().front();
  auto activations = findActivations(block);
  for (Operation &op : block.without_terminator()) {
    bool isFree = !activations.contains(&op) && isMemoryEffectFree(&op);
    if (isFree || isa<nn::ReadOp>(op))
      continue;
    auto stage = op.getAttrOfType<IntegerAttr>(nn::kStageAttr);
    if (stage && (stage.getInt() < 0 || stage.getInt() >= stages))
      return op.emitOpError()
             << "is in stage " << stage.getInt() << " of " << stages;
    int64_t unit = -1;
    for (Value operand : op.getOperands())
      if (auto it = units.find(operand.getDefiningOp()); it != units.end())
        unit = std::max(unit, it->second);
    bool isAccumulate = isa<nn::AccumulateOp>(op);
    bool isBackward = op.hasAttr(nn::kBackwardAttr);
    // An accumulation is where its value is. If that is computed anywhere, a
    // gradient goes to its parameter, a count of targets to the loss.
    if (isAccumulate && unit < 0 && !isBackward)
      unit = stages - 1;
    else if (stage && !(isAccumulate && unit >= 0))
      unit = std::max(unit, unitOf(stage.getInt(), isBackward));
    units[&op] = std::max<int64_t>(unit, 0);
  }
  return success();
}

/// What one unit hands to a sum of another is added up before it crosses: a
/// residual stream's gradient is one value, not one per use.
void MicrobatchOutliner::addBeforeCrossing() {
  for (nn::SumOp sum : llvm::make_early_inc_range(func.getOps<nn::SumOp>())) {
    auto own = units.find(sum);
    if (own == units.end())
      continue;
    llvm::MapVector<int64_t, SmallVector<Value>> byUnit;
    for (Value input : sum.getInputs()) {
      auto it = units.find(input.getDefiningOp());
      byUnit[it == units.end() ? own->second : it->second].push_back(input);
    }
    SmallVector<Value> inputs;
    for (auto &[unit, values] : byUnit) {
      if (unit == own->second || values.size() < 2) {
        inputs.append(values);
        continue;
      }
      OpBuilder builder(sum);
      auto part =
          nn::SumOp::create(builder, sum.getLoc(), sum.getType(), values);
      units[part] = unit;
      inputs.push_back(part);
    }
    if (inputs.size() == 1) {
      sum.getResult().replaceAllUsesWith(inputs.front());
      units.erase(sum);
      sum.erase();
    } else {
      sum.getInputsMutable().assign(inputs);
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
        crossing[result] = symbols.addValue(result.getType(), op.getLoc());
        break;
      }
  }
}

/// Maps a value to the one inside the task: computed there, cloned there, or
/// handed in.
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

void MicrobatchOutliner::buildTask(int64_t unit) {
  static constexpr llvm::StringLiteral names[] = {
      "forward", "backward", "microbatch", "update", "evaluate"};
  Phase phase = phaseOf(unit);
  std::string name =
      (names[static_cast<int>(phase)] + "." + Twine(stageOf(unit))).str();
  TaskBuilder task(symbols, name, stageOf(unit), phase, func.getLoc());
  IRMapping mapping;
  for (Operation &op : func.getBody().front()) {
    auto it = units.find(&op);
    if (it == units.end() || it->second != unit)
      continue;
    for (Value operand : op.getOperands())
      lookUp(task, operand, mapping);
    task.clone(op, mapping);
    for (Value result : op.getResults())
      if (FlatSymbolRefAttr symbol = crossing.lookup(result))
        task.give(mapping.lookup(result), symbol);
  }
  task.close();
  task.finish();
}

LogicalResult MicrobatchOutliner::run() {
  splitAccumulations();
  if (failed(assignUnits()))
    return failure();
  addBeforeCrossing();
  bindCrossing();
  for (int64_t unit = 0; unit < unitCount(); ++unit)
    buildTask(unit);
  return success();
}

/// Counts follow from the inputs alone: each stage that reads some adds up its
/// own, and sends nothing.
static void outlineCounts(TaskSymbols &symbols, func::FuncOp counts) {
  auto module = counts->getParentOfType<ModuleOp>();
  llvm::SmallSetVector<int64_t, 2> readers;
  for (auto &[symbol, stages] : findStageUses(module)) {
    auto state = module.lookupSymbol<nn::StateOp>(symbol);
    if (state && state->hasAttr(nn::kAheadAttr))
      readers.insert(stages.begin(), stages.end());
  }
  SmallVector<int64_t> stages = readers.takeVector();
  llvm::sort(stages);
  for (int64_t stage : stages) {
    TaskBuilder task(symbols, (nn::kCounts + "." + Twine(stage)).str(), stage,
                     Phase::ForwardBackward, counts.getLoc());
    IRMapping mapping;
    for (auto [i, argument] : llvm::enumerate(counts.getArguments()))
      mapping.map(argument,
                  task.take(symbols.getInput(counts, i), argument.getType()));
    for (Operation &op : counts.getBody().front().without_terminator())
      task.clone(op, mapping);
    task.close();
    task.finish()->setAttr(nn::kAheadAttr, UnitAttr::get(module.getContext()));
  }
}

/// The number of stages that the marks of a function name.
static int64_t countStages(func::FuncOp func) {
  int64_t stages = 1;
  for (Operation &op : func.getBody().front())
    if (auto stage = op.getAttrOfType<IntegerAttr>(nn::kStageAttr))
      stages = std::max(stages, stage.getInt() + 1);
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
               counts = lookUp(nn::kCounts);
  TaskSymbols symbols(module);
  // A model that is not trained is still what the frontend made of it.
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
  // What a task's arguments are bound to is found by their roles.
  for (func::FuncOp func : {microbatch, update, evaluate, result, counts})
    for (unsigned i = 0; func && i < func.getNumArguments(); ++i)
      if (!nn::roleOf(func, i)) {
        func.emitError() << "input " << i << " of @" << func.getSymName()
                         << " has no role";
        return signalPassFailure();
      }
  int64_t stages = countStages(microbatch);
  if (failed(MicrobatchOutliner(symbols, microbatch, stages, false).run()))
    return signalPassFailure();
  if (counts)
    outlineCounts(symbols, counts);
  if (failed(outlineUpdate(symbols, update, stages)))
    return signalPassFailure();
  if (evaluate && result)
    if (failed(MicrobatchOutliner(symbols, evaluate, stages, true).run()) ||
        failed(outlineResult(symbols, result, stages)))
      return signalPassFailure();
  for (func::FuncOp func : {microbatch, update, evaluate, result, counts})
    if (func)
      func.erase();
}
