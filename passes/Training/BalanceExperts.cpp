//===- BalanceExperts.cpp - Auxiliary losses and counts of routers --------===//

#include "analysis/Dependence.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Location.h"
#include "dialects/NN/Names.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LossTerms.h"
#include "passes/Training/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNBALANCEEXPERTSPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// The scores of a selection that masks some of them by a constant.
Value maskedOf(WhereOp where) {
  bool isMask = where.getLhs().getDefiningOp<ConstantOp>() != nullptr;
  return isMask ? where.getRhs() : where.getLhs();
}

/// The op that picks the gates of experts, by the experts' ids; null if none.
PickOp findPick(ExpertsOp experts) {
  Value ids = experts.getIds();
  for (Operation *user : ids.getUsers())
    if (auto pick = dyn_cast<PickOp>(user); pick && pick.getIds() == ids)
      return pick;
  return nullptr;
}

/// The scores of a router, [b, s, E], and the function that makes their shares
/// of 1: a softmax, or a sigmoid that is divided by its sum. Both are null if
/// they are not known.
struct Scores {
  Value logits, softmax, sigmoid;

  /// Gates are picked from scores, of which some may be masked or scaled, or
  /// are a function of picked logits.
  explicit Scores(PickOp pick) {
    Value value = pick ? pick.getInput() : Value();
    while (Operation *op = value ? value.getDefiningOp() : nullptr) {
      if (isa<SoftmaxOp>(op)) {
        softmax = value;
        return;
      }
      if (isa<SigmoidOp>(op)) {
        sigmoid = value;
        return;
      }
      auto sum = dyn_cast<SumOp>(op);
      if (isa<ContractOp>(op) ||
          (sum && llvm::any_of(sum.getInputs(), [](Value input) {
             return input.getDefiningOp<ContractOp>() != nullptr;
           }))) {
        setByGates(pick, value);
        return;
      }
      if (isa<ScaleOp, CastOp>(op) || isShares(op))
        value = op->getOperand(0);
      else if (auto where = dyn_cast<WhereOp>(op))
        value = maskedOf(where);
      else
        return;
    }
  }

private:
  /// x divided by its sum.
  static bool isShares(Operation *op) {
    auto div = dyn_cast<DivOp>(op);
    auto repeat = div ? div.getRhs().getDefiningOp<BroadcastOp>() : nullptr;
    auto sum = repeat ? repeat.getInput().getDefiningOp<ReduceOp>() : nullptr;
    return sum && sum.getInput() == div.getLhs();
  }
  void setByGates(PickOp pick, Value value) {
    for (Operation *user : pick.getResult().getUsers())
      if (isa<SoftmaxOp>(user))
        logits = softmax = value;
      else if (isa<SigmoidOp>(user))
        logits = sigmoid = value;
  }
};

Value onesOf(OpBuilder &builder, Location loc, RankedTensorType type) {
  return ConstantOp::create(
      builder, loc, type,
      DenseElementsAttr::get(type, builder.getF32FloatAttr(1)));
}

/// How often each token chooses each expert, 0 or 1: f32 [t.., E].
Value choicesOf(OpBuilder &builder, ExpertsOp experts, int64_t count) {
  SmallVector<int64_t> shape(tensorType(experts.getIds()).getShape());
  Location loc = experts.getLoc();
  Type f32 = builder.getF32Type();
  Value ones = onesOf(builder, loc, RankedTensorType::get(shape, f32));
  shape.back() = count;
  return SpreadOp::create(builder, loc, RankedTensorType::get(shape, f32), ones,
                          experts.getIds(), Value());
}

/// The correction bias [E] that is added to the scores by which experts are
/// chosen; null if there is none. Groups of experts that are not chosen are
/// masked after the sum.
ReadOp findBias(ExpertsOp experts) {
  auto choice = experts.getIds().getDefiningOp<TopKOp>();
  Value scores = choice ? choice.getInput() : Value();
  while (scores) {
    Operation *op = scores.getDefiningOp();
    if (auto where = dyn_cast_if_present<WhereOp>(op)) {
      scores = maskedOf(where);
      continue;
    }
    auto sum = dyn_cast_if_present<SumOp>(op);
    for (Value input : sum ? sum.getInputs() : ValueRange()) {
      auto repeated = input.getDefiningOp<BroadcastOp>();
      Value bias = repeated ? repeated.getInput() : Value();
      while (auto reshape = bias ? bias.getDefiningOp<ReshapeOp>() : nullptr)
        bias = reshape.getInput();
      if (auto read = bias ? bias.getDefiningOp<ReadOp>() : nullptr)
        return read;
    }
    break;
  }
  return nullptr;
}

/// Builds the terms of the auxiliary loss.
struct AuxLoss {
  func::FuncOp loss;
  double factor;
  /// The number of targets of each sample, [b].
  Value targets = {};

  /// Error: the loss is the file's own.
  LogicalResult countTargets() {
    Value ids = findInput(loss, InputRole::Targets);
    auto kind =
        loss->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(kLossAttr);
    if (!ids || (kind && kind.getValue() == "own"))
      return loss.emitError()
             << "--moe-aux-loss counts the targets of each sample, which only "
                "a loss of --loss has: the model computes its loss itself";
    RankedTensorType type = tensorType(ids);
    OpBuilder builder = OpBuilder::atBlockBegin(&loss.getBody().front());
    auto f32 = RankedTensorType::get(type.getShape(), builder.getF32Type());
    Location loc = NameLoc::get(builder.getStringAttr("aux_loss"));
    targets = isa<FloatType>(type.getElementType())
                  ? onesOf(builder, loc, f32)
                  : ValidOp::create(builder, loc, f32, ids).getResult();
    if (type.getRank() > 1)
      targets = ReduceOp::create(
          builder, loc, f32.clone(type.getShape().take_front(1)), targets,
          llvm::to_vector(llvm::seq<int64_t>(1, type.getRank())));
    return success();
  }

  /// The term of one layer, a scalar.
  FailureOr<Value> termOf(ExpertsOp experts) {
    StringRef node = sourceNode(experts.getLoc());
    Scores scores(findPick(experts));
    Value known = scores.softmax ? scores.softmax : scores.sigmoid;
    if (!known)
      return experts.emitError()
             << "--moe-aux-loss needs the scores of the router of '" << node
             << "', which must be a softmax or a sigmoid: these are not known";
    RankedTensorType type = tensorType(known);
    std::optional<int64_t> rows = rowsPerSample(loss, known);
    if (type.getRank() != 3 || !rows || *rows != 1 ||
        type.getDimSize(0) != tensorType(targets).getDimSize(0))
      return experts.emitError()
             << "--moe-aux-loss needs scores [batch, sequence, experts], but "
                "the router of '"
             << node << "' has other dims than these three";
    OpBuilder builder(experts);
    builder.setInsertionPointAfter(experts);
    Location loc = experts.getLoc();
    int64_t b = type.getDimSize(0), s = type.getDimSize(1),
            e = type.getDimSize(2), k = experts.getChoices();
    Type f32 = builder.getF32Type();
    auto whole = RankedTensorType::get({b, s, e}, f32),
         perSample = RankedTensorType::get({b, e}, f32);
    auto sumOver = [&](Value x, int64_t dim, ArrayRef<int64_t> shape) -> Value {
      return ReduceOp::create(builder, loc, RankedTensorType::get(shape, f32),
                              x, ArrayRef<int64_t>{dim});
    };
    Value chosen = choicesOf(builder, experts, e);
    Value counts = sumOver(chosen, 1, {b, e});
    Value shares = sumOver(sharesOf(builder, loc, scores, whole), 1, {b, e});
    Value products = MulOp::create(builder, loc, perSample, counts, shares);
    Value bySample = sumOver(products, 1, {b});
    Value weighted =
        MulOp::create(builder, loc, bySample.getType(), bySample, targets);
    Value sum = sumOver(weighted, 0, {});
    return Value(ScaleOp::create(
        builder, loc, sum.getType(), sum,
        builder.getF64FloatAttr(factor * double(e) / double(k * s * s))));
  }

  /// Scores divided by their sum over experts.
  static Value sharesOf(OpBuilder &builder, Location loc, const Scores &scores,
                        RankedTensorType type) {
    auto widened = [&](Value value) -> Value {
      if (value.getType() == type)
        return value;
      return CastOp::create(builder, loc, type, value);
    };
    if (scores.softmax) {
      Value value = widened(scores.softmax);
      return scores.logits ? SoftmaxOp::create(builder, loc, type, value)
                           : value;
    }
    Value value = widened(scores.sigmoid);
    if (scores.logits)
      value = SigmoidOp::create(builder, loc, type, value);
    auto rows = type.clone(type.getShape().drop_back());
    Value sums = ReduceOp::create(builder, loc, rows, value,
                                  ArrayRef<int64_t>{type.getRank() - 1});
    Value repeated = BroadcastOp::create(
        builder, loc, type, sums,
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1)));
    return DivOp::create(builder, loc, type, value, repeated);
  }
};

struct NNBalanceExpertsPass
    : pcc::impl::NNBalanceExpertsPassBase<NNBalanceExpertsPass> {
  using NNBalanceExpertsPassBase::NNBalanceExpertsPassBase;
  /// Those that a layer changes.
  DenseSet<Operation *> biases;

  void runOnOperation() override {
    biases.clear();
    ModuleOp module = getOperation();
    auto loss = module.lookupSymbol<func::FuncOp>(kLoss);
    if (!loss) {
      module.emitError("has no function @loss; run --nn-attach-loss first");
      return signalPassFailure();
    }
    if (capacity > 0 && failed(bound(module, loss)))
      return signalPassFailure();
    SmallVector<ExpertsOp> layers(loss.getOps<ExpertsOp>());
    if ((auxLoss > 0 && failed(addAuxLoss(loss, layers))) ||
        failed(addCounts(module, layers)))
      signalPassFailure();
  }

  /// Gives all experts the capacity; @loss accumulates what exceeds it.
  LogicalResult bound(ModuleOp module, func::FuncOp loss) {
    SmallVector<ExpertsOp> all;
    module.walk([&](ExpertsOp op) { all.push_back(op); });
    if (all.empty())
      return refuse(module, "--moe-capacity");
    RankedTensorType scalar = scalarType(module.getContext());
    unsigned layer = 0;
    for (ExpertsOp op : all) {
      OpBuilder builder(op);
      SmallVector<Type> types = {op.getResult().getType(), scalar};
      auto bounded = ExpertsOp::create(builder, op.getLoc(), types,
                                       op->getOperands(), op->getAttrs());
      bounded.setCapacity(APFloat(double(capacity)));
      op.getResult().replaceAllUsesWith(bounded.getResult());
      op.erase();
      if (bounded->getParentOp() != loss)
        continue;
      std::string name = (kOverflowPrefix + Twine(layer++)).str();
      StateOp state = addState(module, name, scalar, StateKind::Sum);
      state->setAttr(kCapacityAttr, bounded.getCapacityAttr());
      builder.setInsertionPointAfter(bounded);
      AccumulateOp::create(builder, bounded.getLoc(), bounded.getOverflow(),
                           name);
    }
    return success();
  }

  /// Counts the choices of each layer's experts.
  LogicalResult addCounts(ModuleOp module, ArrayRef<ExpertsOp> layers) {
    if (layers.empty() && biasRate > 0)
      return refuse(module, "--moe-bias-rate");
    for (unsigned i = 0; i < layers.size(); ++i) {
      ExpertsOp layer = layers[i];
      int64_t count = tensorType(layer.getW2()).getDimSize(0);
      auto type =
          RankedTensorType::get({count}, Float32Type::get(module.getContext()));
      std::string name = (kExpertCountPrefix + Twine(i)).str();
      StateOp state = addState(module, name, type, StateKind::Sum);
      OpBuilder builder(layer);
      builder.setInsertionPointAfter(layer);
      Value choices = choicesOf(builder, layer, count);
      Value sum = ReduceOp::create(builder, layer.getLoc(), type, choices,
                                   llvm::to_vector(llvm::seq<int64_t>(
                                       0, tensorType(choices).getRank() - 1)));
      if (biasRate > 0 && failed(addBias(layer, state)))
        return failure();
      if (state.getTensorType() != type)
        sum = ReshapeOp::create(builder, layer.getLoc(), state.getTensorType(),
                                sum);
      AccumulateOp::create(builder, layer.getLoc(), sum, name);
    }
    return success();
  }

  LogicalResult addBias(ExpertsOp layer, StateOp state) {
    ReadOp bias = findBias(layer);
    ParamOp param = bias ? paramOf(bias) : ParamOp();
    // A bias of the scores that gates are made of is none of the choice alone.
    PickOp pick = findPick(layer);
    if (param && (!pick || dependsOn(pick.getInput(), [&](Value value) {
          return value == bias.getResult();
        })))
      param = ParamOp();
    if (!param || !param.getFrozen() ||
        param.getTensorType().getNumElements() !=
            state.getTensorType().getNumElements()) {
      InFlightDiagnostic diag =
          layer.emitError()
          << "--moe-bias-rate changes a correction bias of the router, but '"
          << sourceNode(layer.getLoc()) << "' has none";
      diag.attachNote()
          << "it is a buffer or a frozen parameter called "
             "..correction_bias or expert_bias, as in DeepSeek-V3, "
             "GLM-4.5 and ERNIE 4.5; for others, --moe-aux-loss "
             "balances experts";
      return diag;
    }
    if (!biases.insert(param).second)
      return layer.emitError()
             << "--moe-bias-rate: the correction bias '" << param.getSymName()
             << "' belongs to two layers, and each would change it";
    // The parameter may be [1, E].
    state.setType(param.getTensorType());
    state.setOfAttr(FlatSymbolRefAttr::get(param.getSymNameAttr()));
    state->setAttr(
        kBiasRateAttr,
        FloatAttr::get(Float64Type::get(param.getContext()), double(biasRate)));
    return success();
  }

  static LogicalResult refuse(ModuleOp module, StringRef flag) {
    return module.emitError() << flag
                              << " has no effect: the model has no "
                                 "mixture of experts that is recognized";
  }

  LogicalResult addAuxLoss(func::FuncOp loss, ArrayRef<ExpertsOp> layers) {
    if (layers.empty())
      return refuse(loss->getParentOfType<ModuleOp>(), "--moe-aux-loss");
    AuxLoss aux{loss, auxLoss};
    if (failed(aux.countTargets()))
      return failure();
    SmallVector<Value> terms;
    for (ExpertsOp layer : layers) {
      FailureOr<Value> term = aux.termOf(layer);
      if (failed(term))
        return failure();
      terms.push_back(*term);
    }
    Operation *terminator = loss.getBody().front().getTerminator();
    OpBuilder builder(terminator);
    Location loc = NameLoc::get(builder.getStringAttr("aux_loss"));
    Value sum = SumOp::create(builder, loc, terms[0].getType(), terms);
    terminator->insertOperands(terminator->getNumOperands(), sum);
    return loss.insertResult(loss.getNumResults(), sum.getType(),
                             builder.getDictionaryAttr(builder.getNamedAttr(
                                 kNameAttr, builder.getStringAttr(kAuxSum))));
  }
};

} // namespace
