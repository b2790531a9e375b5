//===- Autodiff.cpp - Forward and backward pass of a loss -----------------===//
//
// Reverse-mode differentiation of one block. Cotangents are collected per
// value. Walking backwards, they are added by one op when the op that defines
// the value is reached: by then all its uses have contributed.
//
// A cotangent has the type of its value, except that the cotangents of a
// parameter's working copy have the parameter's type: a GEMM of low precision
// values accumulates in f32 anyway, and a gradient must not be rounded. The
// cotangent of the loss is 1, or the loss scale if there is one.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Location.h"
#include "passes/Training/Entry.h"
#include "passes/Training/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNAUTODIFFPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

bool isFloat(Value value) {
  return isa<FloatType>(tensorType(value).getElementType());
}

/// Marks every op that is created as a gradient op of `forward`.
struct Marker : OpBuilder::Listener {
  Operation *forward = nullptr; // the op being differentiated

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (forward)
      inheritStage(op, forward);
    op->setAttr(kBackwardAttr, UnitAttr::get(op->getContext()));
  }
};

class Differentiator {
public:
  Differentiator(ModuleOp module, func::FuncOp function)
      : module(module), function(function),
        builder(function.getContext(), &marker) {}

  /// Appends the backward pass of `function`, a @loss, and the accumulation of
  /// gradients.
  LogicalResult run();

private:
  /// All uses of a trainable parameter.
  struct Parameter {
    ParamOp op;
    SmallVector<ReadOp> reads;
    /// The first user in the forward pass: once its backward is built, the
    /// gradient is complete.
    Operation *firstUser = nullptr;
    bool hasGradient = false;
  };

  LogicalResult findActive();
  void accumulateLoss(Operation *terminator);
  void seed(Value sum);
  LogicalResult differentiate(Operation *op);
  Value total(Operation *owner, ArrayRef<Value> contributions);
  Value widened(Value cotangent, RankedTensorType type, Operation *before);
  void finish(Parameter &parameter);
  void declareGradients();

  ModuleOp module;
  func::FuncOp function;
  Marker marker;
  OpBuilder builder;

  llvm::MapVector<StringRef, Parameter> parameters;
  DenseSet<Value> active; // differentiably depend on a trainable parameter
  /// Values that move, repeat or round a parameter's elements, with the
  /// parameter's element type.
  DenseMap<Value, Type> weights;
  DenseMap<Value, SmallVector<Value>> cotangents;
};

/// Whether an embedding, such as that of positions, is repeated for every
/// sample: its cotangent is then a sum over samples, even over a single one.
static bool isRepeatedLookup(Operation *op) {
  auto isRepeat = [](Operation *user) {
    while (permutesElements(user) && user->hasOneUse())
      user = *user->user_begin();
    return isa<BroadcastOp>(user);
  };
  return isa<EmbeddingOp>(op) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), isRepeat);
}

/// Finds the values that depend differentiably on a trainable parameter. Error:
/// the loss does not.
LogicalResult Differentiator::findActive() {
  SymbolTable symbols(module);
  for (Operation &op : function.getBody().front()) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto param = symbols.lookup<ParamOp>(read.getSymbol());
      if (!param || param.getFrozen() || !isFloat(read))
        continue;
      active.insert(read);
      weights[read] = tensorType(read).getElementType();
      Parameter &parameter = parameters[param.getSymName()];
      parameter.op = param;
      parameter.reads.push_back(read);
      for (Operation *user : read->getUsers())
        if (!parameter.firstUser || user->isBeforeInBlock(parameter.firstUser))
          parameter.firstUser = user;
      continue;
    }
    Value moved;
    if (isa<CastOp>(op) || movesOneOperand(&op))
      moved = op.getOperand(0);
    else if (isRepeatedLookup(&op))
      moved = cast<EmbeddingOp>(op).getTable();
    if (Type type = weights.lookup(moved))
      weights[op.getResult(0)] = type;
    if (!op.hasAttr(kDetachedAttr) &&
        llvm::any_of(op.getOperands(),
                     [&](Value v) { return active.contains(v); }))
      for (Value result : op.getResults())
        if (isFloat(result))
          active.insert(result);
  }
  Operation *terminator = &function.getBody().front().back();
  if (!active.contains(terminator->getOperand(0)))
    return function.emitError("the loss depends on no trainable parameter");
  return success();
}

/// Accumulates the loss sum and the count. They are results of the forward
/// pass: they are added before the backward starts and not marked as part of
/// it.
void Differentiator::accumulateLoss(Operation *terminator) {
  RankedTensorType scalar = scalarType(function.getContext());
  OpBuilder forward(terminator);
  StringRef names[] = {kLossSum, kTargetCount, kAuxSum};
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    StateOp state = addState(module, names[i], scalar, StateKind::Sum);
    if (Attribute node = function.getResultAttr(i, kCountAttr))
      state->setAttr(kCountAttr, node);
    auto op = AccumulateOp::create(forward, value.getLoc(), value,
                                   state.getSymName());
    if (Operation *def = value.getDefiningOp())
      inheritStage(op, def);
  }
}

/// Sets the cotangent of a sum that training minimizes: 1, or the loss scale.
void Differentiator::seed(Value sum) {
  if (Operation *def = sum.getDefiningOp())
    marker.forward = def;
  RankedTensorType scalar = tensorType(sum);
  auto one = DenseElementsAttr::get(
      scalar, FloatAttr::get(scalar.getElementType(), 1.0));
  Value first;
  if (module.lookupSymbol<StateOp>(kLossScale))
    first = ReadOp::create(builder, sum.getLoc(), scalar, kLossScale);
  else
    first = ConstantOp::create(builder, sum.getLoc(), scalar, one);
  cotangents[sum].push_back(first);
}

/// Returns a cotangent in a wider type. If it was created after `before` and
/// has no user yet, the op that computes it is changed to avoid the rounding,
/// where that is possible.
Value Differentiator::widened(Value cotangent, RankedTensorType type,
                              Operation *before) {
  if (cotangent.getType() == type)
    return cotangent;
  Operation *def = cotangent.getDefiningOp();
  bool isNew = def && cotangent.use_empty() && before->isBeforeInBlock(def);
  // An op that moves elements of a wide cotangent can keep them wide.
  bool movesWide =
      isNew && (movesOneOperand(def) || isa<ReduceOp>(def)) &&
      tensorType(def->getOperand(0)).getElementType() == type.getElementType();
  if (movesWide || (isNew && maySumWide(def))) {
    cotangent.setType(type);
    return cotangent;
  }
  if (isa_and_nonnull<CastOp>(def) && def->getOperand(0).getType() == type)
    return def->getOperand(0);
  auto widen = [&](Value value) -> Value {
    auto wide = tensorType(value).clone(type.getElementType());
    if (value.getType() == wide)
      return value;
    return CastOp::create(builder, value.getLoc(), wide, value);
  };
  if (auto reduce = isNew ? dyn_cast<ReduceOp>(def) : nullptr)
    return ReduceOp::create(builder, reduce.getLoc(), type,
                            widen(reduce.getInput()), reduce.getDims());
  return widen(cotangent);
}

/// The sum of the cotangents of a value that `owner` defines.
Value Differentiator::total(Operation *owner, ArrayRef<Value> contributions) {
  if (contributions.size() == 1)
    return contributions.front();
  marker.forward = owner;
  return SumOp::create(builder, owner->getLoc(),
                       contributions.front().getType(), contributions);
}

LogicalResult Differentiator::differentiate(Operation *op) {
  if (isa<ReadOp>(op)) // its cotangents belong to the parameter
    return success();
  SmallVector<Value> incoming;
  for (Value result : op->getResults()) {
    auto it = cotangents.find(result);
    incoming.push_back(it == cotangents.end() ? Value()
                                              : total(op, it->second));
  }
  if (llvm::none_of(incoming, [](Value v) { return bool(v); }))
    return success();
  auto differentiable = dyn_cast<DifferentiableInterface>(op);
  if (!differentiable)
    return op->emitError() << nodeName(op) << " lies between a trainable "
                           << "parameter and the loss, but " << op->getName()
                           << " has no derivative";
  for (Value other : llvm::drop_begin(incoming))
    if (other)
      return op->emitError()
             << "a statistic of " << nodeName(op) << " (a result of "
             << op->getName()
             << " other than the first) reaches the loss; it has no "
             << "derivative";
  marker.forward = op;
  Operation *before = builder.getInsertionPoint()->getPrevNode();
  SmallVector<Value> outgoing = differentiable.buildVJP(builder, incoming);
  for (auto [operand, cotangent] :
       llvm::zip_equal(op->getOperands(), outgoing)) {
    if (!cotangent || !active.contains(operand))
      continue;
    if (Type wide = weights.lookup(operand))
      cotangent = widened(cotangent, tensorType(operand).clone(wide), before);
    cotangents[operand].push_back(cotangent);
  }
  return success();
}

/// Accumulates a parameter's gradient after all its uses are differentiated.
void Differentiator::finish(Parameter &parameter) {
  SmallVector<Value> contributions;
  for (ReadOp read : parameter.reads)
    llvm::append_range(contributions, cotangents[read]);
  parameter.firstUser = nullptr;
  if (contributions.empty())
    return;
  parameter.hasGradient = true;
  ReadOp read = parameter.reads.front();
  Value gradient = total(read, contributions);
  marker.forward = read;
  AccumulateOp::create(builder, read.getLoc(), gradient,
                       gradientName(parameter.op.getSymName()));
}

/// Declares gradient states: f64 for f64 parameters, else f32. Warns of
/// parameters that the loss does not depend on.
void Differentiator::declareGradients() {
  Type f32 = Float32Type::get(function.getContext());
  for (auto param : module.getOps<ParamOp>()) {
    if (param.getFrozen())
      continue;
    auto it = parameters.find(param.getSymName());
    if (it == parameters.end() || !it->second.hasGradient) {
      param.emitWarning() << "parameter '" << param.getSymName()
                          << "' does not influence the loss, so it is not "
                             "trained";
      continue;
    }
    RankedTensorType type = param.getTensorType();
    if (!type.getElementType().isF64())
      type = RankedTensorType::get(type.getShape(), f32);
    addState(module, gradientName(param.getSymName()), type,
             StateKind::Gradient, param.getSymName());
  }
}

LogicalResult Differentiator::run() {
  removeDeadOps(function);
  flattenSums(function);
  if (failed(findActive()))
    return failure();

  Block &body = function.getBody().front();
  Operation *terminator = body.getTerminator();
  SmallVector<Operation *> forward;
  for (Operation &op : body.without_terminator())
    forward.push_back(&op);
  accumulateLoss(terminator);

  builder.setInsertionPoint(terminator);
  for (auto [i, value] : llvm::enumerate(terminator->getOperands()))
    if (i != 1)
      seed(value);

  for (Operation *op : llvm::reverse(forward)) {
    if (failed(differentiate(op)))
      return failure();
    for (auto &entry : parameters)
      if (entry.second.firstUser == op)
        finish(entry.second);
  }
  for (auto &entry : parameters)
    if (entry.second.firstUser) // used by the return alone
      finish(entry.second);

  terminator->setOperands({});
  declareGradients();
  removeDeadOps(function);
  flattenSums(function);
  return success();
}

/// Replaces casts with `nn.detached`, which are no longer needed, by their
/// inputs.
void removeDetachments(ModuleOp module) {
  SmallVector<CastOp> casts;
  module.walk([&](CastOp op) {
    if (op->hasAttr(kDetachedAttr))
      casts.push_back(op);
  });
  for (CastOp op : casts) {
    op.getResult().replaceAllUsesWith(op.getInput());
    op.erase();
  }
}

struct NNAutodiffPass : pcc::impl::NNAutodiffPassBase<NNAutodiffPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>(kLoss);
    RankedTensorType scalar = scalarType(&getContext());
    // The loss, the number of targets, and possibly the auxiliary loss.
    bool isLoss = function && function.getBody().hasOneBlock() &&
                  llvm::is_contained({2, 3}, function.getNumResults()) &&
                  llvm::all_of(function.getResultTypes(),
                               [&](Type type) { return type == scalar; });
    if (!isLoss) {
      module.emitError() << "has no function @loss of one block that returns "
                            "the loss sum and the number of targets";
      return signalPassFailure();
    }
    for (auto other : module.getOps<func::FuncOp>())
      if (other != function && other.getBody().hasOneBlock())
        flattenSums(other);
    if (failed(Differentiator(module, function).run()))
      return signalPassFailure();
    removeDetachments(module);
    function.setFunctionType(
        FunctionType::get(&getContext(), function.getArgumentTypes(), {}));
    function.removeResAttrsAttr();
    function.setSymName(kMicrobatch);
  }
};

} // namespace
