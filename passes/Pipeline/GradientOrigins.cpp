//===- GradientOrigins.cpp - Whose gradient is put where? -----------------===//
//
// Equal gradients of one body, put into each other's place, have the right
// types and layouts. But what comes back to where a parameter is used, its
// cotangent, is used twice: for the parameter's gradient, and, beside the
// parameter, for what goes further back.
//
//     %4 = nn.contract "bsn,kn->bsk" %3, %up ... nn.bwd     // further back
//     %5 = nn.contract "bsk,bsn->kn" %x, %3 ... nn.bwd      // of up
//     %7 = nn.contract "bsn,kn->bsk" %6, %gate ... nn.bwd
//     %8 = nn.contract "bsk,bsn->kn" %x, %6 ... nn.bwd      // of gate
//     yield ..., %5, %8                                     // @grad.up, ...
//
// So the gradient of a weight of a product, or of the scale of a norm, is made
// of what the weight itself meets. That of a bias is made of what the weight
// meets whose product it is added to, or whose norm it is of: which one this is
// the forward tasks say. A gradient of another form is not looked into, nor is
// one of a weight that nothing goes back through, or of a bias that is used in
// several ways.
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

/// What a gradient is made of.
struct Origins {
  /// Whether each of its terms is of a form that is known.
  bool isKnown = true;
  /// Whether it is summed up from cotangents alone, as that of a bias, or from
  /// cotangents and what a norm was taken of, as that of its scale.
  bool isSum = false, isScale = false;
  /// Among them its cotangents.
  llvm::SetVector<Value> values;
};

/// How a body uses its arguments, by number.
struct BodyUses {
  /// Scales of norms that are gone back through.
  llvm::DenseSet<unsigned> scales;
  /// Of each that goes forward the weights that it is beside: those of products
  /// that it is added to, or that of its norm, if that is all that either does.
  llvm::MapVector<unsigned, llvm::SmallSetVector<unsigned, 1>> weightsOf;
  /// What each meets on the way back.
  SmallVector<llvm::SetVector<Value>> met;
};

class GradientOrigins {
public:
  explicit GradientOrigins(ModuleOp module) : module(module), symbols(module) {}
  LogicalResult check();

private:
  /// The parameter that a symbol is, or is a copy of; else empty.
  StringRef paramOf(StringRef symbol);
  /// The parameter that a symbol is the gradient of; else empty.
  StringRef gradientOf(StringRef symbol);
  const BodyUses &usesOf(BodyOp body);
  void noteWeights(TaskOp task);
  LogicalResult check(TaskOp task, BodyOp body);
  /// Where a value of a task's body comes from, maybe in another task's.
  std::pair<Operation *, Value> placeOf(TaskOp task, Value value);

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<Operation *, BodyUses> bodies;
  llvm::DenseMap<Value, Origins> known;
  /// By what tasks hand to each other, who makes it, as which result.
  llvm::StringMap<std::pair<TaskOp, unsigned>> makers;
  /// By what goes forward, the weights that it is beside wherever it does.
  llvm::StringMap<llvm::SmallSetVector<StringRef, 1>> weightsOf;
};

} // namespace

/// What a value is but for its shape, type, factor and where it lies.
static Value sourceOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<nn::ReshapeOp, nn::TransposeOp, nn::BroadcastOp, nn::CastOp,
            nn::ScaleOp, dist::AllGatherOp, dist::ReduceScatterOp,
            dist::ShardSliceOp, dist::AllToAllOp>(op))
      value = op->getOperand(0);
    else if (isa<dist::AllReduceOp>(op))
      value = op->getOperand(cast<OpResult>(value).getResultNumber());
    else
      break;
  }
  return value;
}

/// The argument of its body that a value is, but for its shape.
static std::optional<unsigned> argumentOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(sourceOf(value));
  return argument ? std::optional<unsigned>(argument.getArgNumber())
                  : std::nullopt;
}

/// What a product is of.
static void addFactors(nn::ContractOp product, Origins &origins) {
  origins.values.insert(sourceOf(product.getLhs()));
  origins.values.insert(sourceOf(product.getRhs()));
}

/// What is summed up over rows: cotangents, of several uses of a parameter a
/// sum of these, or products, of a weight that was broadcast.
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

/// `before`: what the gradient was, to which the rest is added; or null.
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

/// What a value is used in, but for its shape, if that is one op.
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

/// The weights that an argument is beside.
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
    // What is computed anew comes forward: nothing meets its weights there.
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

/// What another task hands on may have been gathered there already.
std::pair<Operation *, Value> GradientOrigins::placeOf(TaskOp task,
                                                       Value value) {
  // No further than from task to task: a text may have them in a circle.
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

/// A parameter that is beside others elsewhere is beside none.
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
    // A bias that is a weight somewhere else, or is as large as what it is
    // added to.
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
           << "task '" << task.getSymName() << "' puts into '"
           << task.getTarget(i) << "' what is not made of what comes back to '"
           << param << "'";
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
