//===- OutlineUpdate.cpp - The update tasks of every stage ----------------===//

#include "analysis/Buckets.h"
#include "analysis/Dependence.h"
#include "dialects/Dist/Collectives.h"
#include "dialects/NN/Names.h"
#include "passes/Pipeline/Outline.h"
#include "passes/Sharding/VerifyLayouts.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// Clones a function into a task of one stage without the effects of other
/// stages: their writes are dropped, their reads become zero, and zeros are
/// folded out of sums.
///
/// A gradient that a task of its own has reduced is a value argument; for a
/// parameter that several stages hold there is one for each of them.
class StageFunction {
public:
  StageFunction(TaskSymbols &symbols, func::FuncOp func, int64_t stage,
                const StageUses &uses)
      : symbols(symbols), func(func), stage(stage), uses(uses) {}

  /// `outputs` names the function's results.
  void build(StringRef name, Phase phase, ArrayRef<StringRef> outputs);
  /// Adds a stage that contributes to the value `reduced` of the function, this
  /// one included, and its contribution.
  void addHolder(Value reduced, int64_t from, FlatSymbolRefAttr value) {
    holders[reduced].push_back({from, value});
  }

private:
  bool isMine(StringRef symbol) const;
  bool isOfOthers(Value value) const;
  Value addHolders(TaskBuilder &task, Value reduced);
  void countOnce(TaskBuilder &task);

  TaskSymbols &symbols;
  func::FuncOp func;
  int64_t stage;
  const StageUses &uses;
  /// By value of the function that other tasks compute: its contributions.
  llvm::MapVector<Value, SmallVector<std::pair<int64_t, FlatSymbolRefAttr>>>
      holders;
};

} // namespace

/// Returns the parameter that a state belongs to: moments are updated where the
/// gradient is.
static StringRef ownerOf(const TaskSymbols &symbols, StringRef symbol) {
  auto state = symbols.lookup<nn::StateOp>(symbol);
  if (state && nn::isBucket(state))
    return ownerOf(symbols, nn::heldBy(state).front());
  return state && state.getOf() ? ownerOf(symbols, *state.getOf()) : symbol;
}

SmallVector<int64_t> pcc::stagesOf(const TaskSymbols &symbols,
                                   StringRef gradient, const StageUses &uses) {
  auto known = uses.find(ownerOf(symbols, gradient));
  return known == uses.end() ? SmallVector<int64_t>{0} : known->second;
}

bool StageFunction::isMine(StringRef symbol) const {
  // Every stage holds the scalar numbers and updates them equally.
  auto state = symbols.lookup<nn::StateOp>(symbol);
  if (state && state.getKind() == nn::StateKind::Number)
    return true;
  auto it = uses.find(ownerOf(symbols, symbol));
  // A parameter without uses belongs to the first stage.
  if (it == uses.end())
    return stage == 0;
  return llvm::is_contained(it->second, stage);
}

/// Whether a state is a gradient or a bucket of gradients.
static bool isGradients(const TaskSymbols &symbols, nn::StateOp state) {
  auto first = symbols.lookup<nn::StateOp>(nn::heldBy(state).front());
  return first && first.getKind() == nn::StateKind::Gradient && first.getOf();
}

/// Whether an op reduces a gradient over data axes, or slices a rank's shard of
/// the result.
static bool isReduction(Operation *op, const dist::Mesh &mesh) {
  if (!isa<dist::ReduceScatterOp, dist::ShardSliceOp, dist::AllReduceOp>(op) ||
      op->getNumOperands() != 1)
    return false;
  dist::AxisSet data = mesh.dataAxes();
  return llvm::all_of(
      op->getAttrOfType<ArrayAttr>("axes"), [&](Attribute name) {
        auto axis = mesh.find(cast<StringAttr>(name).getValue());
        return axis && data.contains(*axis);
      });
}

/// Returns the reduction of a gradient within one stage. Later ops, such as a
/// sum over tensor axes, stay in @update: their communicators are used by other
/// tasks, which would wait for the reduction.
static Value reducedOf(nn::ReadOp read, const dist::Mesh &mesh) {
  Value value = read.getResult();
  while (value.hasOneUse() && isReduction(*value.user_begin(), mesh))
    value = (*value.user_begin())->getResult(0);
  return value;
}

/// Adds a gradient over the stages that hold it. All stages add in the same
/// order, so that their copies of the parameter stay bitwise equal.
Value StageFunction::addHolders(TaskBuilder &task, Value reduced) {
  SmallVector<Value> gradients;
  for (auto &[from, value] : holders.lookup(reduced))
    gradients.push_back(task.take(value, reduced.getType()));
  if (gradients.size() == 1)
    return gradients.front();
  auto sum = nn::SumOp::create(task.getBuilder(), reduced.getLoc(),
                               reduced.getType(), gradients);
  setSharding(sum, dist::getSharding(reduced));
  return sum;
}

/// Creates a zero with the type and sharding of a value.
static Value zeroFor(Value value, OpBuilder &builder) {
  auto type = cast<RankedTensorType>(value.getType());
  Attribute zero = builder.getZeroAttr(type.getElementType());
  auto constant = nn::ConstantOp::create(builder, value.getLoc(), type,
                                         DenseElementsAttr::get(type, zero));
  setSharding(constant, dist::getSharding(value));
  return constant;
}

/// Whether an op maps zero to zero. A reduction over stages does not count:
/// other stages take part in it.
static bool keepsZero(Operation &op) {
  return !dist::spansStages(&op) &&
         (nn::movesElements(&op) || nn::reshards(&op) ||
          op.hasTrait<nn::KeepsZero>() ||
          isa<nn::SumOp, nn::ScaleOp, nn::SumOfSquaresOp, nn::ReduceOp>(op));
}

/// Whether a value is computed only from states of other stages, which are
/// zeros here, without reductions over stages.
bool StageFunction::isOfOthers(Value value) const {
  bool reads = false;
  bool isHere = nn::dependsOn(value, [&](Value source) {
    Operation *op = source.getDefiningOp();
    auto read = dyn_cast_or_null<nn::ReadOp>(op);
    reads |= read != nullptr;
    return op && (dist::spansStages(op) || (read && isMine(read.getSymbol())));
  });
  return reads && !isHere;
}

/// Counts the gradient of a tied parameter in the norm on one stage only.
void StageFunction::countOnce(TaskBuilder &task) {
  llvm::StringSet<> elsewhere;
  for (auto &[reduced, list] : holders)
    if (list.front().first != stage)
      for (auto &[from, value] : list)
        elsewhere.insert(value.getValue());
  auto isCountedElsewhere = [&](Value source) {
    auto argument = dyn_cast<BlockArgument>(source);
    return argument && elsewhere.contains(task.getSource(argument));
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
    if (llvm::all_of(op.getOperands(), isUniformZero)) {
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
      if (!isUniformZero(input))
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
      if (!isMine(read.getSymbol())) {
        mapping.map(read.getResult(),
                    zeroFor(read.getResult(), task.getBuilder()));
        continue;
      }
    }
    if (op.getNumResults() == 1 && holders.contains(op.getResult(0))) {
      mapping.map(op.getResult(0), addHolders(task, op.getResult(0)));
      continue;
    }
    task.clone(op, mapping);
  }
  Operation *end = func.getBody().front().getTerminator();
  for (auto [output, value] : llvm::zip(outputs, end->getOperands()))
    if (!isOfOthers(value))
      task.addResult(mapping.lookup(value),
                     symbols.getOutput(output, value.getType()));
  task.close();
  countOnce(task);
  foldZeros(*task.getBlock());
  eraseDead(*task.getBlock());
  task.finish();
}

/// Creates the task of a stage that reduces a gradient, and returns the reduced
/// value. If its type is the gradient's, it takes the gradient's buffer, and
/// the gradient is dead.
static FlatSymbolRefAttr outlineReduction(TaskSymbols &symbols, nn::ReadOp read,
                                          Value reduced, StringRef name,
                                          int64_t stage) {
  TaskBuilder task(symbols, name, stage, Phase::Reduce, read.getLoc());
  FlatSymbolRefAttr value = symbols.addValue(reduced.getType(), read.getLoc(),
                                             dist::getSharding(reduced));
  IRMapping mapping;
  task.clone(*read, mapping);
  for (Value next = read; next != reduced;) {
    Operation *op = *next.user_begin();
    task.clone(*op, mapping);
    next = op->getResult(0);
  }
  bool isWhole = reduced.getType() == read.getType();
  task.addResult(mapping.lookup(reduced), value,
                 isWhole ? read.getSymbolAttr() : FlatSymbolRefAttr());
  task.close();
  task.finish();
  return value;
}

LogicalResult pcc::outlineUpdate(TaskSymbols &symbols, func::FuncOp update,
                                 int64_t stages) {
  auto module = update->getParentOfType<ModuleOp>();
  StageUses uses = findStageUses(module);
  SmallVector<StageFunction> functions;
  for (int64_t stage = 0; stage < stages; ++stage)
    functions.emplace_back(symbols, update, stage, uses);

  // Create a task per gradient that ranks reduce or stages exchange, on each
  // stage that holds it.
  dist::Mesh mesh(dist::findMesh(module));
  int64_t row = 0;
  for (auto read : update.getOps<nn::ReadOp>()) {
    auto state = symbols.lookup<nn::StateOp>(read.getSymbol());
    if (!state || !isGradients(symbols, state))
      continue;
    SmallVector<int64_t> holders = stagesOf(symbols, state.getSymName(), uses);
    Value reduced = reducedOf(read, mesh);
    if (reduced != read.getResult() || holders.size() > 1)
      for (int64_t from : holders) {
        std::string name = ("reduce." + Twine(row) + "." + Twine(from)).str();
        FlatSymbolRefAttr value =
            outlineReduction(symbols, read, reduced, name, from);
        for (int64_t to : holders)
          functions[to].addHolder(reduced, from, value);
      }
    ++row;
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
