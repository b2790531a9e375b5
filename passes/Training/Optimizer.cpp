//===- Optimizer.cpp - Adds @update and the optimizer's state -------------===//

#include "passes/Training/BalanceUpdate.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LossScale.h"
#include "passes/Training/Passes.h"
#include "passes/Training/ScalarMath.h"
#include "runtime/Program.h"
#include <limits>

namespace pcc {
#define GEN_PASS_DEF_NNOPTIMIZERPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// The epsilon that PyTorch's clip_grad_norm_ adds to the norm.
constexpr float kClipEpsilon = 1e-6f;

/// A gradient and the parameter it belongs to.
struct Trained {
  ParamOp param;
  StateOp gradient;
};

class UpdateBuilder {
public:
  /// `state`: the type of adamw's moments, "f32" or "bf16".
  UpdateBuilder(ModuleOp module, ArrayRef<Trained> trained, StringRef state)
      : module(module), trained(trained), isNarrow(state == "bf16"),
        entry(module, kUpdate), builder(entry.builder), loc(entry.loc),
        math(builder, loc), scalar(math.realType), lossScale(module, entry),
        params(module.getOps<ParamOp>()) {}

  void adamw();
  void sgd();

private:
  /// Reads the gradients and computes loss, norm and the gradients' scale.
  void begin(Value clip);
  void end();
  StateOp moment(Trained one, StateKind kind);
  Value roundingBits(ParamOp param, Value seed, Value step);

  ModuleOp module;
  ArrayRef<Trained> trained;
  bool isNarrow; ///< moments are bf16
  EntryBuilder entry;
  OpBuilder &builder;
  Location loc;
  ScalarMath math;
  RankedTensorType scalar;
  LossScale lossScale;
  SmallVector<ParamOp> params; ///< all of the module
  SmallVector<Value> gradients;
  /// `isTaken`: whether loss and norm are finite; else no parameter and no
  /// moment is updated.
  Value loss, norm, gradScale, isTaken;
  /// The mean auxiliary loss; null if there is none.
  Value aux;
};

/// Gradients are those of the loss SUM. Here loss, norm and gradients are
/// divided by the number of targets of the whole global batch, norm and
/// gradients also by the loss scale.
void UpdateBuilder::begin(Value clip) {
  auto div = [&](Value x, Value y) -> Value {
    return DivOp::create(builder, loc, scalar, x, y);
  };
  Value count = entry.read(kTargetCount, scalar);
  loss = div(entry.read(kLossSum, scalar), count);
  if (module.lookupSymbol<StateOp>(kAuxSum))
    aux = div(entry.read(kAuxSum, scalar), count);
  SmallVector<Value> squares;
  for (const Trained &one : trained) {
    StateOp state = one.gradient;
    gradients.push_back(entry.read(state.getSymName(), state.getTensorType()));
    squares.push_back(SumOfSquaresOp::create(builder, state.getLoc(), scalar,
                                             gradients.back()));
  }
  // One n-ary sum, so squares that are partial sums over ranks are reduced
  // once.
  Value sum = SumOp::create(builder, loc, scalar, squares);
  Value length = SqrtOp::create(builder, loc, scalar, sum);
  Value divisor = lossScale ? lossScale.divisor(count) : count;
  norm = div(length, divisor);
  Value bounded = math.sum(norm, math.real(kClipEpsilon));
  Value factor =
      MinOp::create(builder, loc, scalar, div(clip, bounded), math.real(1));
  // loss - loss is 0 for a finite loss, else nan: gradients may be finite
  // though the loss is not. If loss or norm is not finite, no rank updates a
  // parameter.
  Value zero = SubOp::create(builder, loc, scalar, loss, loss);
  isTaken = math.isFinite(math.sum(norm, zero));
  gradScale = math.where(isTaken, div(factor, divisor),
                         math.real(std::numeric_limits<float>::quiet_NaN()));
  if (lossScale)
    lossScale.change(isTaken, length);
}

void UpdateBuilder::end() {
  for (const Trained &one : trained)
    entry.clear(one.gradient);
  SmallVector<Value> results = {loss, norm};
  SmallVector<std::string> names = {kLossResult.str(), kNormResult.str()};
  if (lossScale) {
    results.push_back(lossScale.get());
    names.push_back(kLossScale.str());
  }
  if (aux) {
    results.push_back(aux);
    names.push_back(kAuxResult.str());
    entry.clear(module.lookupSymbol<StateOp>(kAuxSum));
  }
  if (auto [overflow, name] = updateOverflow(entry, module); overflow) {
    results.push_back(overflow);
    names.push_back(name);
  }
  if (Value load = updateBalance(entry, module, isTaken)) {
    results.push_back(load);
    names.push_back(kLoadResult.str());
  }
  SmallVector<StateOp> states(module.getOps<StateOp>());
  for (StateOp state : states) {
    auto node = state->getAttrOfType<StringAttr>(kCountAttr);
    std::string name = node ? (PCC_COUNT_PREFIX + node.getValue()).str() : "";
    if (name.empty() || llvm::is_contained(names, name))
      continue;
    names.push_back(name);
    results.push_back(entry.read(state.getSymName(), scalar));
  }
  for (StringRef name : {kLossSum, kTargetCount})
    entry.clear(module.lookupSymbol<StateOp>(name));
  for (StateOp state : states)
    if (state->hasAttr(kAheadAttr))
      entry.clear(state);
  entry.finish(results, SmallVector<StringRef>(names.begin(), names.end()));
}

StateOp UpdateBuilder::moment(Trained one, StateKind kind) {
  StringRef param = one.param.getSymName();
  RankedTensorType type = one.gradient.getTensorType();
  if (isNarrow)
    type = RankedTensorType::get(type.getShape(), builder.getBF16Type());
  return addState(module, momentName(kind, param), type, kind, param);
}

/// Builds the random bits that round a parameter's moments. Its number in the
/// module is the same for every plan. The extents are those of the model's
/// tensor, since only some plans pad it.
Value UpdateBuilder::roundingBits(ParamOp param, Value seed, Value step) {
  int64_t number = llvm::find(params, param) - params.begin();
  RankedTensorType type = param.getTensorType();
  auto shape = builder.getDenseI64ArrayAttr(type.getShape());
  SourceAttr source = param.getSource();
  auto member =
      MemberAttr::get(module.getContext(), /*id=*/0, /*start=*/0, shape,
                      source ? source.getValid() : shape, DenseI64ArrayAttr());
  return RoundingBitsOp::create(
      builder, param.getLoc(),
      RankedTensorType::get(type.getShape(), builder.getI32Type()), number,
      seed, step, /*origins=*/ValueRange(), /*position=*/IntegerAttr(),
      builder.getArrayAttr(member));
}

void UpdateBuilder::adamw() {
  auto number = RankedTensorType::get({}, builder.getI64Type());
  Value seed = isNarrow ? entry.input(InputRole::Seed, number) : Value();
  Value lr = entry.input(InputRole::LearningRate, scalar);
  Value weightDecay = entry.input(InputRole::WeightDecay, scalar);
  Value beta1 = entry.input(InputRole::Beta1, scalar);
  Value beta2 = entry.input(InputRole::Beta2, scalar);
  Value eps = entry.input(InputRole::Epsilon, scalar);
  Value clip = entry.input(InputRole::ClipGrad, scalar);
  // With a loss scale, only @update knows how many steps were taken.
  Value step;
  if (!lossScale)
    step = entry.input(InputRole::Step, number);
  SmallVector<StateOp> moments1, moments2;
  for (const Trained &one : trained)
    moments1.push_back(moment(one, StateKind::Moment1));
  for (const Trained &one : trained)
    moments2.push_back(moment(one, StateKind::Moment2));
  begin(clip);
  if (lossScale)
    step = lossScale.countUpdate(isTaken);
  for (auto [i, one] : llvm::enumerate(trained)) {
    ParamOp param = one.param;
    RankedTensorType type = param.getTensorType();
    RankedTensorType momentType = moments1[i].getTensorType();
    Value value = entry.read(param.getSymName(), type);
    Value first = entry.read(moments1[i].getSymName(), momentType);
    Value second = entry.read(moments2[i].getSymName(), momentType);
    Value rounding = isNarrow ? roundingBits(param, seed, step) : Value();
    auto next = AdamWOp::create(builder, param.getLoc(), type, momentType,
                                momentType, value, gradients[i], first, second,
                                gradScale, lr, beta1, beta2, eps, weightDecay,
                                step, rounding, param.getDecay());
    entry.write(next.getNewParam(), param.getSymName());
    entry.write(next.getNewExpAvg(), moments1[i].getSymName());
    entry.write(next.getNewExpAvgSq(), moments2[i].getSymName());
  }
  end();
}

void UpdateBuilder::sgd() {
  Value lr = entry.input(InputRole::LearningRate, scalar);
  Value weightDecay = entry.input(InputRole::WeightDecay, scalar);
  Value clip = entry.input(InputRole::ClipGrad, scalar);
  begin(clip);
  for (auto [i, one] : llvm::enumerate(trained)) {
    ParamOp param = one.param;
    RankedTensorType type = param.getTensorType();
    Value value = entry.read(param.getSymName(), type);
    Value next =
        SgdOp::create(builder, param.getLoc(), type, value, gradients[i],
                      gradScale, lr, weightDecay, param.getDecay());
    entry.write(next, param.getSymName());
  }
  end();
}

struct NNOptimizerPass : pcc::impl::NNOptimizerPassBase<NNOptimizerPass> {
  using NNOptimizerPassBase::NNOptimizerPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (kind != "adamw" && kind != "sgd") {
      InFlightDiagnostic diag = module.emitError()
                                << "there is no optimizer '" << kind << "'";
      diag.attachNote() << "optimizers are adamw and sgd";
      return signalPassFailure();
    }
    if (state != "f32" && (state != "bf16" || kind != "adamw")) {
      module.emitError() << "cannot train with " << kind
                         << " and optimizer state of type '" << state << "'";
      return signalPassFailure();
    }
    SmallVector<Trained> trained;
    if (failed(collect(module, trained)))
      return signalPassFailure();
    UpdateBuilder update(module, trained, state);
    if (kind == "adamw")
      update.adamw();
    else
      update.sgd();
  }

  /// Collects the parameters with a gradient. Each must be f32: an update in a
  /// narrower type would round most of each step away.
  LogicalResult collect(ModuleOp module, SmallVector<Trained> &trained) {
    for (StringRef name : {kLossSum, kTargetCount})
      if (!module.lookupSymbol<StateOp>(name))
        return module.emitError()
               << "has no state @" << name << "; run --nn-autodiff first";
    if (module.lookupSymbol(kUpdate))
      return module.emitError("has an @update already");
    for (StateOp gradient : gradients(module)) {
      auto param = module.lookupSymbol<ParamOp>(gradient.getOfAttr());
      Type element = param.getTensorType().getElementType();
      if (!element.isF32()) {
        InFlightDiagnostic diag = param.emitError()
                                  << "cannot train '" << param.getSymName()
                                  << "' of " << element;
        diag.attachNote() << "a step in a type narrower than f32 is lost in "
                             "rounding and needs f32 master weights, which "
                             "are not supported yet; parameters must be f32";
        return diag;
      }
      trained.push_back({param, gradient});
    }
    if (trained.empty())
      return module.emitError("has no gradient; run --nn-autodiff first");
    return success();
  }
};

} // namespace
