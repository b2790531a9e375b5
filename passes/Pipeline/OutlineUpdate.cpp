//===- OutlineUpdate.cpp - The update of every stage ----------------------===//

#include "analysis/Dependence.h"
#include "dialects/Dist/Collectives.h"
#include "dialects/NN/Names.h"
#include "passes/Pipeline/Outline.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// Clones a function into a task of one stage and strips it of what belongs to
/// other stages: their writes go, their reads become zero, and what is known to
/// be zero is left out of sums.
class StageFunction {
public:
  StageFunction(TaskSymbols &symbols, func::FuncOp func, int64_t stage,
                const StageUses &uses)
      : symbols(symbols), func(func), stage(stage), uses(uses) {}

  /// `outputs` names the function's results.
  void build(StringRef name, Phase phase, ArrayRef<StringRef> outputs);
  /// The gradients of `symbol` on other stages that hold it too, as values.
  void addRemoteGradient(StringRef symbol, int64_t from,
                         FlatSymbolRefAttr value) {
    remote[symbol].push_back({from, value});
  }

private:
  bool isMine(StringRef symbol) const;
  bool isFirstOwner(StringRef symbol) const;
  bool isOfOthers(Value value) const;
  Value addRemote(TaskBuilder &task, nn::ReadOp read);
  void countOnce(TaskBuilder &task);

  TaskSymbols &symbols;
  func::FuncOp func;
  int64_t stage;
  const StageUses &uses;
  llvm::StringMap<SmallVector<std::pair<int64_t, FlatSymbolRefAttr>>> remote;
};

} // namespace

/// A parameter's moments are updated where its gradient is.
static StringRef ownerOf(const TaskSymbols &symbols, StringRef symbol) {
  auto state = symbols.lookup<nn::StateOp>(symbol);
  return state && state.getOf() ? *state.getOf() : symbol;
}

bool StageFunction::isMine(StringRef symbol) const {
  auto it = uses.find(ownerOf(symbols, symbol));
  // Nobody uses it: the first stage keeps it.
  if (it == uses.end())
    return stage == 0;
  return llvm::is_contained(it->second, stage);
}

bool StageFunction::isFirstOwner(StringRef symbol) const {
  auto it = uses.find(ownerOf(symbols, symbol));
  return it == uses.end() || it->second.front() == stage;
}

/// The read gradient plus those of the other holders. All of them add in the
/// same order, so that their copies of the parameter stay equal to the last
/// bit.
Value StageFunction::addRemote(TaskBuilder &task, nn::ReadOp read) {
  Value own = task.read(read.getSymbolAttr(), read.getType());
  auto it = remote.find(read.getSymbol());
  if (it == remote.end())
    return own;
  SmallVector<Value> gradients;
  bool isAdded = false;
  for (auto &[from, value] : it->second) {
    if (from > stage && !isAdded) {
      gradients.push_back(own);
      isAdded = true;
    }
    gradients.push_back(task.take(value, read.getType()));
  }
  if (!isAdded)
    gradients.push_back(own);
  auto sum = nn::SumOp::create(task.getBuilder(), read.getLoc(), read.getType(),
                               gradients);
  setSharding(sum, dist::getSharding(read.getResult()));
  return sum;
}

static bool isZero(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  auto elements =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return false;
  return elements.getSplatValue<APFloat>().isZero();
}

/// Zero in the place of a value, and as it lies.
static Value zeroFor(Value value, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(value.getType());
  Attribute zero = builder.getZeroAttr(type.getElementType());
  auto constant = nn::ConstantOp::create(builder, value.getLoc(), type,
                                         DenseElementsAttr::get(type, zero));
  setSharding(constant, dist::getSharding(value));
  return constant;
}

/// Zero in, zero out. A reduction that the other stages take part in must stay,
/// whatever this stage brings to it.
static bool keepsZero(Operation &op) {
  return !dist::joinsStages(&op) &&
         isa<nn::SumOp, nn::ScaleOp, nn::SumOfSquaresOp, nn::ReduceOp,
             nn::ReshapeOp, nn::CastOp, dist::AllReduceOp,
             dist::ReduceScatterOp, dist::AllGatherOp, dist::ShardSliceOp>(op);
}

/// True if a value is computed from states of other stages alone, which are
/// zeros here, and those stages do not take part.
bool StageFunction::isOfOthers(Value value) const {
  bool reads = false;
  bool isHere = nn::dependsOn(value, [&](Value source) {
    Operation *op = source.getDefiningOp();
    auto read = dyn_cast_or_null<nn::ReadOp>(op);
    reads |= read != nullptr;
    return op && (dist::joinsStages(op) || (read && isMine(read.getSymbol())));
  });
  return reads && !isHere;
}

/// The gradient of a tied parameter adds to the norm on one stage only.
void StageFunction::countOnce(TaskBuilder &task) {
  auto isCountedElsewhere = [&](Value source) {
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument)
      return false;
    StringRef symbol = task.getSource(argument);
    return remote.contains(symbol) && !isFirstOwner(symbol);
  };
  SmallVector<nn::SumOfSquaresOp> squares(
      task.getBlock()->getOps<nn::SumOfSquaresOp>());
  for (nn::SumOfSquaresOp square : squares) {
    if (!nn::dependsOn(square.getInput(), isCountedElsewhere))
      continue;
    OpBuilder builder(square);
    square.getResult().replaceAllUsesWith(zeroFor(square.getResult(), builder));
    square.erase();
  }
}

static void foldZeros(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumOperands() == 0 || !keepsZero(op))
      continue;
    OpBuilder builder(&op);
    if (llvm::all_of(op.getOperands(), isZero)) {
      for (Value result : op.getResults())
        result.replaceAllUsesWith(zeroFor(result, builder));
      op.erase();
      continue;
    }
    auto sum = dyn_cast<nn::SumOp>(op);
    if (!sum)
      continue;
    SmallVector<Value> rest;
    for (Value input : sum.getInputs())
      if (!isZero(input))
        rest.push_back(input);
    sum.getInputsMutable().assign(rest);
  }
}

static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && isMemoryEffectFree(&op) &&
        !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
}

void StageFunction::build(StringRef name, Phase phase,
                          ArrayRef<StringRef> outputs) {
  TaskBuilder task(symbols, (name + "." + Twine(stage)).str(), stage, phase,
                   func.getLoc());
  IRMapping mapping;
  for (auto [i, argument] : llvm::enumerate(func.getArguments()))
    mapping.map(argument,
                task.take(symbols.getInput(func, i), argument.getType()));
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (auto write = dyn_cast<nn::WriteOp>(op);
        write && !isMine(write.getSymbol()))
      continue;
    if (auto read = dyn_cast<nn::ReadOp>(op)) {
      mapping.map(read.getResult(),
                  isMine(read.getSymbol())
                      ? addRemote(task, read)
                      : zeroFor(read.getResult(), task.getBuilder()));
      continue;
    }
    task.clone(op, mapping);
  }
  Operation *end = func.getBody().front().getTerminator();
  for (auto [output, value] : llvm::zip(outputs, end->getOperands()))
    if (!isOfOthers(value))
      task.give(mapping.lookup(value),
                symbols.getOutput(output, value.getType()));
  task.close();
  countOnce(task);
  foldZeros(*task.getBlock());
  eraseDead(*task.getBlock());
  task.finish();
}

LogicalResult pcc::outlineUpdate(TaskSymbols &symbols, func::FuncOp update,
                                 int64_t stages) {
  auto module = update->getParentOfType<ModuleOp>();
  StageUses uses = findStageUses(module);
  SmallVector<StageFunction> functions;
  for (int64_t stage = 0; stage < stages; ++stage)
    functions.emplace_back(symbols, update, stage, uses);

  // A task per holder of a tied parameter that hands out its gradient.
  int64_t tied = 0;
  for (auto state : module.getOps<nn::StateOp>()) {
    if (state.getKind() != nn::StateKind::Gradient || !state.getOf())
      continue;
    auto holders = uses.find(*state.getOf());
    if (holders == uses.end() || holders->second.size() < 2)
      continue;
    for (int64_t from : holders->second) {
      TaskBuilder task(symbols,
                       ("tied." + Twine(tied) + "." + Twine(from)).str(), from,
                       Phase::Update, state.getLoc());
      Type type = state.getTensorType();
      FlatSymbolRefAttr value = symbols.addValue(
          type, state.getLoc(),
          state->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr));
      task.give(task.read(FlatSymbolRefAttr::get(state.getSymNameAttr()), type),
                value);
      task.close();
      task.finish();
      for (int64_t to : holders->second)
        if (to != from)
          functions[to].addRemoteGradient(state.getSymName(), from, value);
    }
    ++tied;
  }
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < update.getNumResults(); ++i)
    if (auto name = update.getResultAttrOfType<StringAttr>(i, nn::kNameAttr))
      names.push_back(name);
  if (names.size() != update.getNumResults() || names.size() < 2 ||
      names[0] != nn::kLossResult || names[1] != nn::kNormResult)
    return emitError(update.getLoc())
           << "@update returns the loss and the gradient norm, under these "
              "names";
  for (StageFunction &function : functions)
    function.build(nn::kUpdate, Phase::Update, names);
  return success();
}

LogicalResult pcc::outlineResult(TaskSymbols &symbols, func::FuncOp func,
                                 int64_t stages) {
  if (func.getNumResults() != 2)
    return emitError(func.getLoc())
           << "@evaluate_result returns the loss and the target count, not "
           << func.getNumResults() << " values";
  StageUses uses = findStageUses(func->getParentOfType<ModuleOp>());
  for (int64_t stage = 0; stage < stages; ++stage)
    StageFunction(symbols, func, stage, uses)
        .build(nn::kEvaluateResult, Phase::EvaluateResult,
               {(nn::kEvalPrefix + nn::kLossResult).str(),
                (nn::kEvalPrefix + nn::kTargetCount).str()});
  return success();
}
