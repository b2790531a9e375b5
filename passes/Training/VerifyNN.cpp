//===- VerifyNN.cpp - Verifies a whole nn program -------------------------===//
//
// Checks the properties of an nn program that no op's own verifier can see.
//
//===----------------------------------------------------------------------===//

#include "passes/Training/Entry.h"
#include "passes/Training/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNVERIFYPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

LogicalResult verifyInputs(func::FuncOp function) {
  llvm::SmallDenseMap<InputRole, BlockArgument> seen;
  for (BlockArgument arg : function.getArguments()) {
    std::optional<InputRole> role = roleOf(arg);
    if (!role)
      return emitError(arg.getLoc())
             << "input " << arg.getArgNumber() << " of @"
             << function.getSymName() << " has no role";
    auto [it, isNew] = seen.try_emplace(*role, arg);
    if (!isNew && !mayRepeat(*role)) {
      InFlightDiagnostic diag = emitError(arg.getLoc())
                                << "@" << function.getSymName()
                                << " has two inputs of role '"
                                << stringifyInputRole(*role) << "'";
      diag.attachNote(it->second.getLoc()) << "the other one";
      return diag;
    }
  }
  return success();
}

/// Checks that the body is one block of nn ops on tensors of static shape.
LogicalResult verifyBody(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("must have one block");
  for (Operation &op : function.getBody().front()) {
    if (!isa<NNDialect>(op.getDialect()) && !isa<func::ReturnOp>(op))
      return op.emitError() << nodeName(&op) << " is " << op.getName()
                            << ", which is not an nn op";
    for (Value operand : op.getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || !type.hasStaticShape())
        return op.emitError()
               << nodeName(&op) << " uses a value of type " << operand.getType()
               << "; values are tensors of static shape";
    }
  }
  return success();
}

/// Checks that random ids are unique: two ops with one id would drop the same
/// elements, or round two parameters alike.
LogicalResult verifyRandom(func::FuncOp function) {
  DenseMap<uint64_t, Operation *> users;
  DenseMap<int64_t, Operation *> rounded;
  for (auto bits : function.getOps<RoundingBitsOp>())
    for (MemberAttr member : bits.getMemberList()) {
      int64_t id = bits.getId() + member.getId();
      auto [it, isNew] = rounded.try_emplace(id, bits);
      if (isNew)
        continue;
      InFlightDiagnostic diag = bits.emitError()
                                << nodeName(bits.getOperation())
                                << " rounds with the random "
                                << "numbers of parameter " << id
                                << ", which are taken";
      diag.attachNote(it->second->getLoc()) << "by " << nodeName(it->second);
      return diag;
    }
  for (Operation &op : function.getBody().front()) {
    if (op.hasAttr(kBackwardAttr))
      continue;
    uint64_t id;
    if (auto dropout = dyn_cast<DropoutOp>(op))
      id = dropout.getId();
    else if (auto attention = dyn_cast<AttentionOp>(op);
             attention && attention.getP().convertToDouble() > 0)
      id = attention.getId();
    else
      continue;
    auto [it, isNew] = users.try_emplace(id, &op);
    if (isNew)
      continue;
    InFlightDiagnostic diag = op.emitError()
                              << nodeName(&op) << " draws random numbers with "
                              << "id " << id << ", which is taken";
    diag.attachNote(it->second->getLoc()) << "by " << nodeName(it->second);
    return diag;
  }
  return success();
}

/// Whether @update changes a parameter without a gradient: a correction bias,
/// by the counts of a layer's experts.
bool isBalanced(ParamOp param) {
  auto module = param->getParentOfType<ModuleOp>();
  return llvm::any_of(module.getOps<StateOp>(), [&](StateOp state) {
    return state->hasAttr(kBiasRateAttr) && state.getOf() == param.getSymName();
  });
}

/// Checks which functions read, write and accumulate parameters and states.
LogicalResult verifySymbolUses(func::FuncOp function, SymbolTable &symbols) {
  StringRef name = function.getSymName();
  bool updates = name == kUpdate;
  bool readsStates = updates || name == kEvaluateResult;
  DenseMap<Operation *, Operation *> accumulated;
  for (Operation &op : function.getBody().front()) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto state = symbols.lookup<StateOp>(read.getSymbol());
      bool isNumber = state && state.getKind() == StateKind::Number;
      if (!readsStates && state && !state->hasAttr(kAheadAttr) &&
          !(isNumber && name == kMicrobatch))
        return op.emitError() << "@" << name << " reads state @"
                              << read.getSymbol() << ", which only @update "
                              << "and @evaluate_result may";
    } else if (auto write = dyn_cast<WriteOp>(op)) {
      if (!readsStates)
        return op.emitError()
               << "@" << name << " replaces @" << write.getSymbol()
               << ", which only @update may";
      auto param = symbols.lookup<ParamOp>(write.getSymbol());
      if (param && ((param.getFrozen() && !isBalanced(param)) || !updates))
        return op.emitError()
               << "parameter @" << write.getSymbol() << " must not be written "
               << (updates ? "because it is frozen" : "outside @update");
    } else if (auto accumulate = dyn_cast<AccumulateOp>(op)) {
      Operation *target = symbols.lookup(accumulate.getSymbol());
      auto [it, isNew] = accumulated.try_emplace(target, &op);
      if (!isNew) {
        InFlightDiagnostic diag = op.emitError()
                                  << "@" << accumulate.getSymbol()
                                  << " is accumulated twice; add the values "
                                     "by one nn.sum";
        diag.attachNote(it->second->getLoc()) << "here too";
        return diag;
      }
    }
  }
  return success();
}

LogicalResult verifyStates(ModuleOp module, SymbolTable &symbols) {
  for (StateOp state : gradients(module)) {
    auto param =
        state.getOf() ? symbols.lookup<ParamOp>(*state.getOf()) : ParamOp();
    if (!param)
      return state.emitError() << "gradient @" << state.getSymName()
                               << " belongs to no parameter";
    RankedTensorType type = state.getTensorType();
    bool f64 = param.getTensorType().getElementType().isF64();
    if (!param.getFrozen() &&
        type.getShape() == param.getTensorType().getShape() &&
        (f64 ? type.getElementType().isF64() : type.getElementType().isF32()))
      continue;
    InFlightDiagnostic diag = state.emitError()
                              << "gradient @" << state.getSymName() << " is "
                              << type
                              << ", not the f32 gradient of a trainable "
                                 "parameter";
    diag.attachNote(param.getLoc())
        << "@" << param.getSymName() << " is " << param.getTensorType()
        << (param.getFrozen() ? ", frozen" : "");
    return diag;
  }
  return success();
}

/// Checks that only ops with derivatives are between trainable parameters and
/// the loss, and that an attached loss is a sum: dividing it by a count would
/// make gradients depend on how the batch is split.
LogicalResult verifyLoss(func::FuncOp loss, SymbolTable &symbols) {
  RankedTensorType scalar = scalarType(loss.getContext());
  SmallVector<Type> types(loss.getNumResults() == 3 ? 3 : 2, scalar);
  if (loss.getResultTypes() != ArrayRef<Type>(types))
    return loss.emitError()
           << "@loss must return the loss sum and the number of targets, and "
              "possibly the sum of auxiliary losses, each "
           << scalar;
  Operation *terminator = loss.getBody().front().getTerminator();
  // The terms of a model's own loss were checked by nn-attach-loss.
  auto kind =
      loss->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(kLossAttr);
  bool isOwn = kind && kind.getValue() == "own";
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value result = operand.get();
    Operation *op = result.getDefiningOp();
    while (permutesElements(op) || isa_and_nonnull<CastOp>(op))
      op = op->getOperand(0).getDefiningOp();
    bool isCount = operand.getOperandNumber() == 1;
    if (!isOwn && !isa_and_nonnull<ReduceOp, SumOp, SumOfSquaresOp>(op) &&
        !(isCount && isa_and_nonnull<ConstantOp>(op)))
      return emitError(result.getLoc())
             << (isCount ? "the number of targets" : "the loss")
             << " must be a sum over all targets, but " << nodeName(result)
             << " does not add";
  }

  DenseSet<Value> active, needed = {terminator->getOperand(0)};
  if (terminator->getNumOperands() > 2)
    needed.insert(terminator->getOperand(2));
  for (Operation &op : loss.getBody().front()) {
    bool depends = llvm::any_of(op.getOperands(),
                                [&](Value v) { return active.contains(v); });
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto param = symbols.lookup<ParamOp>(read.getSymbol());
      depends = param && !param.getFrozen();
    }
    for (Value result : op.getResults())
      if (depends && isa<FloatType>(tensorType(result).getElementType()))
        active.insert(result);
  }
  for (Operation &op : llvm::reverse(loss.getBody().front())) {
    bool isNeeded = llvm::any_of(op.getResults(), [&](Value v) {
      return active.contains(v) && needed.contains(v);
    });
    if (!isNeeded || isa<ReadOp>(op))
      continue;
    if (!isa<DifferentiableInterface>(op))
      return op.emitError() << nodeName(&op) << " lies between a trainable "
                            << "parameter and the loss, but " << op.getName()
                            << " has no derivative";
    needed.insert(op.operand_begin(), op.operand_end());
  }
  return success();
}

std::optional<int64_t> stageOf(Operation *op) {
  if (auto stage = op->getAttrOfType<IntegerAttr>(kStageAttr))
    return stage.getInt();
  return std::nullopt;
}

/// Checks that the forward pass flows to later stages and the backward to
/// earlier ones, and that no forward op uses a gradient. Reads and constants
/// run in any stage that uses them.
LogicalResult verifyFlow(func::FuncOp function) {
  Operation *staged = nullptr, *unstaged = nullptr;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (isa<ReadOp, ConstantOp>(op))
      continue;
    (stageOf(&op) ? staged : unstaged) = &op;
    bool backward = op.hasAttr(kBackwardAttr);
    for (Value operand : op.getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (!def || isa<ReadOp, ConstantOp>(def))
        continue;
      bool fromBackward = def->hasAttr(kBackwardAttr);
      if (fromBackward && !backward) {
        InFlightDiagnostic diag =
            op.emitError() << nodeName(&op)
                           << " is of the forward pass and uses a gradient";
        diag.attachNote(def->getLoc()) << "of " << nodeName(def);
        return diag;
      }
      std::optional<int64_t> here = stageOf(&op), there = stageOf(def);
      if (!here || !there)
        continue;
      // A residual may come from this stage or from an earlier one that sent it
      // on in the forward pass.
      bool ok = fromBackward ? *here <= *there : *here >= *there;
      if (!ok) {
        InFlightDiagnostic diag = op.emitError()
                                  << nodeName(&op) << " of stage " << *here
                                  << " uses a value of the "
                                  << (fromBackward ? "earlier" : "later")
                                  << " stage " << *there;
        diag.attachNote(def->getLoc()) << "of " << nodeName(def);
        return diag;
      }
    }
  }
  if (staged && unstaged)
    return unstaged->emitError() << nodeName(unstaged) << " has no stage, but "
                                 << nodeName(staged) << " has one";
  return success();
}

/// Checks that for every gradient its parameter and the gradient itself are
/// written once.
LogicalResult verifyUpdate(ModuleOp module, func::FuncOp update) {
  llvm::StringMap<unsigned> writes;
  for (auto write : update.getBody().getOps<WriteOp>())
    ++writes[write.getSymbol()];
  for (StateOp state : gradients(module))
    for (StringRef name : {*state.getOf(), state.getSymName()})
      if (unsigned n = writes.lookup(name); n != 1)
        return update.emitError() << "@update must write @" << name
                                  << " once, not " << n << " times";
  return success();
}

struct NNVerifyPass : pcc::impl::NNVerifyPassBase<NNVerifyPass> {
  void runOnOperation() override {
    if (failed(verify(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  static LogicalResult verify(ModuleOp module) {
    SymbolTable symbols(module);
    for (Operation &op : *module.getBody())
      if (!isa<ParamOp, StateOp, func::FuncOp>(op))
        return op.emitError("is neither a parameter, a state nor a function");
    if (failed(verifyStates(module, symbols)))
      return failure();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!llvm::is_contained(kFunctions, function.getSymName()))
        return function.emitError() << "@" << function.getSymName()
                                    << " is no function of a program";
      if (failed(verifyBody(function)) || failed(verifyInputs(function)) ||
          failed(verifyRandom(function)) ||
          failed(verifySymbolUses(function, symbols)) ||
          failed(verifyFlow(function)))
        return failure();
    }
    auto loss = module.lookupSymbol<func::FuncOp>(kLoss);
    if (loss && failed(verifyLoss(loss, symbols)))
      return failure();
    auto update = module.lookupSymbol<func::FuncOp>(kUpdate);
    return update ? verifyUpdate(module, update) : success();
  }
};

} // namespace
