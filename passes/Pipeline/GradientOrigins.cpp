//===- GradientOrigins.cpp - Gradients match their parameters -------------===//
//
// If a body swaps two gradients of equal shape, types and shardings do not show
// it. But the cotangent of the op that uses a parameter is used twice: for the
// parameter's gradient, and, together with the parameter, for the cotangent of
// the op's other operand.
//
//     %4 = nn.contract "bsn,kn->bsk" %3, %up ... nn.bwd     // to the input
//     %5 = nn.contract "bsk,bsn->kn" %x, %3 ... nn.bwd      // of up
//     %7 = nn.contract "bsn,kn->bsk" %6, %gate ... nn.bwd
//     %8 = nn.contract "bsk,bsn->kn" %x, %6 ... nn.bwd      // of gate
//     yield ..., %5, %8                                     // @grad.up, ...
//
// So the gradient of a GEMM's weight, or of a norm's scale, must be computed
// from the cotangent that the backward pass combines with that weight. The
// gradient of a bias must be computed from the cotangent of the weight next to
// it: the weight of the GEMM that the bias is added to, or the scale of its
// norm. The forward tasks show which one that is. Gradients of other forms are
// not checked; neither are weights without a cotangent of an input, and biases
// with several kinds of use.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline/GradientOrigins.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// The values that a gradient is computed from.
struct Origins {
  /// Whether all of its terms have a known form.
  bool isKnown = true;
  /// Whether it is a sum of cotangents alone, as for a bias; whether it is
  /// computed from cotangents and the input of a norm, as for a scale.
  bool isSum = false, isScale = false;
  /// The values, among them its cotangents.
  llvm::SetVector<Value> values;
};

/// The uses of a body's arguments, by number.
struct BodyUses {
  /// Scales of norms whose input has a cotangent here.
  llvm::DenseSet<unsigned> scales;
  /// By argument of the forward pass: the weights next to it. These are the
  /// weights of GEMMs to whose result it is added, or the scale of its norm, if
  /// neither has other uses.
  llvm::MapVector<unsigned, llvm::SmallSetVector<unsigned, 1>> weightsOf;
  /// By argument: the values that the backward pass combines it with.
  SmallVector<llvm::SetVector<Value>> met;
};

class GradientOrigins {
public:
  explicit GradientOrigins(ModuleOp module) : module(module), symbols(module) {}
  LogicalResult check();

private:
  /// Returns the parameter that a symbol is, or is a working copy of; else "".
  StringRef paramOf(StringRef symbol);
  /// Returns the parameter that a symbol is the gradient of; else "".
  StringRef gradientOf(StringRef symbol);
  const BodyUses &usesOf(BodyOp body);
  void noteWeights(TaskOp task);
  LogicalResult check(TaskOp task, BodyOp body);
  /// Returns the task and the value that a value of a task's body comes from,
  /// across tasks.
  std::pair<Operation *, Value> placeOf(TaskOp task, Value value);

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<Operation *, BodyUses> bodies;
  llvm::DenseMap<Value, Origins> known;
  /// By value between tasks: the task that computes it, and its result number.
  llvm::StringMap<std::pair<TaskOp, unsigned>> makers;
  /// By parameter of the forward pass: the weights that are next to it in all
  /// uses.
  llvm::StringMap<llvm::SmallSetVector<StringRef, 1>> weightsOf;
};

} // namespace

/// Returns the source of a value, ignoring changes of shape, type, scale and
/// sharding.
static Value sourceOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (nn::keepsElements(op) || isa<nn::CastOp, nn::ScaleOp>(op))
      value = op->getOperand(0);
    else if (nn::reshards(op))
      value = op->getOperand(cast<OpResult>(value).getResultNumber());
    else
      break;
  }
  return value;
}

/// Returns the argument that a value is, ignoring such changes.
static std::optional<unsigned> argumentOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(sourceOf(value));
  return argument ? std::optional<unsigned>(argument.getArgNumber())
                  : std::nullopt;
}

/// Adds the operands of a contraction.
static void addFactors(nn::ContractOp product, Origins &origins) {
  origins.values.insert(sourceOf(product.getLhs()));
  origins.values.insert(sourceOf(product.getRhs()));
}

/// Adds the values that are reduced over rows: cotangents (for several uses of
/// a parameter their sum), or contractions (for a weight that was broadcast).
static void addSummed(Value value, Origins &origins) {
  value = sourceOf(value);
  if (!origins.values.insert(value))
    return;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<nn::SumOp, nn::ReduceOp>(op))
    for (Value operand : op->getOperands())
      addSummed(operand, origins);
  else if (auto product = dyn_cast_or_null<nn::ContractOp>(op))
    addFactors(product, origins);
}

/// Adds the origins of a gradient. `before`: its previous contents, to which
/// the rest is added; or null.
static void addOrigins(Value value, Value before, Origins &origins) {
  value = sourceOf(value);
  if (value == before)
    return;
  Operation *op = value.getDefiningOp();
  if (auto sum = dyn_cast_or_null<nn::SumOp>(op)) {
    for (Value input : sum.getInputs())
      addOrigins(input, before, origins);
  } else if (auto product = dyn_cast_or_null<nn::ContractOp>(op)) {
    addFactors(product, origins);
  } else if (isa_and_nonnull<nn::LayerNormGradScaleOp, nn::RmsNormGradScaleOp>(
                 op)) {
    origins.isScale = true;
    origins.values.insert(sourceOf(op->getOperand(0)));
  } else if (auto reduce = dyn_cast_or_null<nn::ReduceOp>(op)) {
    origins.isSum = true;
    addSummed(reduce.getInput(), origins);
  } else {
    origins.isKnown = false;
  }
}

/// Returns the only user of a value, ignoring the changes that sourceOf()
/// ignores; null if there are several users or none.
static Operation *userOf(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    bool isSame = user->getNumOperands() == 1 && user->getNumResults() == 1 &&
                  sourceOf(user->getResult(0)) == sourceOf(value);
    if (!isSame)
      return user;
    value = user->getResult(0);
  }
  return nullptr;
}

/// Returns the weights next to a bias.
static llvm::SmallSetVector<unsigned, 1> findWeights(BlockArgument bias) {
  llvm::SmallSetVector<unsigned, 1> weights;
  auto add = [&](Value weight, Operation *user) {
    auto number = argumentOf(weight);
    if (number && userOf(sourceOf(weight)) == user)
      weights.insert(*number);
  };
  Operation *user = userOf(bias);
  if (auto norm = dyn_cast_or_null<nn::LayerNormOp>(user)) {
    if (norm.getBias() && sourceOf(norm.getBias()) == bias)
      add(norm.getScale(), norm);
  } else if (auto sum = dyn_cast_or_null<nn::SumOp>(user)) {
    for (Value input : sum.getInputs()) {
      auto product = sourceOf(input).getDefiningOp<nn::ContractOp>();
      if (!product || userOf(product) != sum)
        continue;
      add(product.getLhs(), product);
      add(product.getRhs(), product);
    }
  }
  return weights;
}

StringRef GradientOrigins::paramOf(StringRef symbol) {
  Operation *op = symbols.lookup(symbol);
  auto state = dyn_cast_or_null<nn::StateOp>(op);
  if (state && state.getKind() == nn::StateKind::Copy)
    return *state.getOf();
  return isa_and_nonnull<nn::ParamOp>(op) ? symbol : "";
}

StringRef GradientOrigins::gradientOf(StringRef symbol) {
  auto state = symbols.lookup<nn::StateOp>(symbol);
  if (!state || state.getKind() != nn::StateKind::Gradient || !state.getOf())
    return "";
  return paramOf(*state.getOf());
}

const BodyUses &GradientOrigins::usesOf(BodyOp body) {
  auto [it, isNew] = bodies.try_emplace(body);
  BodyUses &found = it->second;
  if (!isNew)
    return found;
  found.met.resize(body.getBlock()->getNumArguments());
  auto meets = [&](Value weight, Value other) {
    if (auto argument = argumentOf(weight))
      found.met[*argument].insert(sourceOf(other));
  };
  for (BlockArgument argument : body.getBlock()->getArguments())
    if (llvm::any_of(argument.getUsers(), [](Operation *user) {
          return !user->hasAttr(nn::kBackwardAttr);
        }))
      found.weightsOf[argument.getArgNumber()] = findWeights(argument);
  for (Operation &op : *body.getBlock()) {
    // Recomputed ops belong to the forward pass: they use no cotangents.
    if (!op.hasAttr(nn::kBackwardAttr) || op.hasAttr(nn::kRecomputedAttr))
      continue;
    if (auto product = dyn_cast<nn::ContractOp>(op)) {
      meets(product.getLhs(), product.getRhs());
      meets(product.getRhs(), product.getLhs());
    } else if (isa<nn::LayerNormGradOp, nn::RmsNormGradOp>(op)) {
      Value scale = op.getOperand(2);
      meets(scale, op.getOperand(0));
      if (auto argument = argumentOf(scale))
        found.scales.insert(*argument);
    }
  }
  return found;
}

/// A cotangent may have been gathered already in the task that computes it.
std::pair<Operation *, Value> GradientOrigins::placeOf(TaskOp task,
                                                       Value value) {
  // Stops after as many steps as there are task results, which ends cycles of
  // tasks: hand-written IR may contain them.
  for (size_t i = 0; i <= makers.size(); ++i) {
    value = sourceOf(value);
    auto argument = dyn_cast<BlockArgument>(value);
    auto maker = argument ? makers.find(task.getSource(argument.getArgNumber()))
                          : makers.end();
    if (maker == makers.end())
      break;
    task = maker->second.first;
    value = symbols.lookup<BodyOp>(task.getBody())
                .getResults()[maker->second.second];
  }
  return {task, value};
}

/// A parameter that is next to different weights in different uses is next to
/// none.
void GradientOrigins::noteWeights(TaskOp task) {
  for (const auto &[argument, weights] :
       usesOf(symbols.lookup<BodyOp>(task.getBody())).weightsOf) {
    StringRef param = paramOf(task.getSource(argument));
    if (param.empty())
      continue;
    llvm::SmallSetVector<StringRef, 1> beside;
    for (unsigned weight : weights)
      beside.insert(paramOf(task.getSource(weight)));
    beside.remove("");
    auto [it, isNew] = weightsOf.try_emplace(param, beside);
    if (!isNew && it->second != beside)
      it->second.clear();
  }
}

LogicalResult GradientOrigins::check(TaskOp task, BodyOp body) {
  const BodyUses &here = usesOf(body);
  SmallVector<StringRef> params;
  for (unsigned i = 0; i < task.getSources().size(); ++i)
    params.push_back(paramOf(task.getSource(i)));
  auto addMet = [&](StringRef param, llvm::SetVector<Value> &all) {
    bool isScale = false;
    for (auto [i, source] : llvm::enumerate(params))
      if (source == param) {
        all.insert_range(here.met[i]);
        isScale |= here.scales.contains(i);
      }
    return isScale;
  };
  for (auto [i, value] : llvm::enumerate(body.getResults())) {
    StringRef param = gradientOf(task.getTarget(i));
    if (param.empty())
      continue;
    auto [it, isNew] = known.try_emplace(value);
    Origins &origins = it->second;
    std::optional<unsigned> replaced = body.getReplaced(i);
    if (isNew)
      addOrigins(value,
                 replaced ? Value(body.getBlock()->getArgument(*replaced))
                          : Value(),
                 origins);
    if (!origins.isKnown || origins.values.empty())
      continue;
    auto weights = weightsOf.find(param);
    bool isBias = weights != weightsOf.end() && !weights->second.empty();
    llvm::SetVector<Value> due;
    bool isScale = addMet(param, due);
    // A bias that is also a weight, or that has the shape of the result it is
    // added to, is not checked.
    if (isBias && (!due.empty() || !(origins.isSum || origins.isScale)))
      continue;
    if (isBias)
      for (StringRef weight : weights->second)
        addMet(weight, due);
    bool isOther = isBias ? origins.isScale : isScale && !origins.isScale;
    llvm::DenseSet<std::pair<Operation *, Value>> places;
    for (Value one : origins.values)
      places.insert(placeOf(task, one));
    auto isOf = [&](Value one) { return places.contains(placeOf(task, one)); };
    if (due.empty() || (!isOther && llvm::any_of(due, isOf)))
      continue;
    return emitError(task.getLoc())
           << "task '" << task.getSymName() << "' stores into '"
           << task.getTarget(i)
           << "' a value that is not computed from the cotangents of '" << param
           << "'";
  }
  return success();
}

LogicalResult GradientOrigins::check() {
  auto isTrained = [](TaskOp task) {
    return task.isPerMicrobatch() && task.isIn(Entry::Train);
  };
  for (auto task : module.getOps<TaskOp>()) {
    if (isTrained(task)) {
      noteWeights(task);
      for (unsigned i = 0; i < task.getTargets().size(); ++i)
        if (symbols.lookup<ValueOp>(task.getTarget(i)))
          makers[task.getTarget(i)] = {task, i};
    }
  }
  for (auto task : module.getOps<TaskOp>())
    if (isTrained(task) &&
        (failed(check(task, symbols.lookup<BodyOp>(task.getBody()))) ||
         (task.getFirst() &&
          failed(check(task, symbols.lookup<BodyOp>(*task.getFirst()))))))
      return failure();
  return success();
}

LogicalResult pcc::checkGradientOrigins(ModuleOp module) {
  return GradientOrigins(module).check();
}
