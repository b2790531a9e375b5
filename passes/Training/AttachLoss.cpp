//===- AttachLoss.cpp - Attaches the training loss ------------------------===//

#include "dialects/NN/AttrNames.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LossBuilder.h"
#include "passes/Training/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNATTACHLOSSPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// Changes `function` to return the loss sum and count instead of its outputs.
void returnLoss(func::FuncOp function, const Loss &loss) {
  Operation *terminator = &function.getBody().front().back();
  terminator->setOperands({loss.sum, loss.count});
  RankedTensorType scalar = scalarType(function.getContext());
  Builder builder(function.getContext());
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), {scalar, scalar}));
  SmallVector<DictionaryAttr> attrs;
  for (StringRef name : {kLossSum, kTargetCount})
    attrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttr, builder.getStringAttr(name))));
  function.setAllResultAttrs(attrs);
}

/// Adds @evaluate, and @evaluate_result, which reads the sums that @evaluate
/// accumulates.
void addEvaluation(ModuleOp module, func::FuncOp loss) {
  RankedTensorType scalar = scalarType(module.getContext());
  StateOp sum = addState(module, kEvalLossSum, scalar, StateKind::Sum);
  StateOp count = addState(module, kEvalTargetCount, scalar, StateKind::Sum);

  func::FuncOp evaluate = loss.clone();
  module.push_back(evaluate);
  evaluate.setSymName(kEvaluate);
  removeDropout(evaluate);
  Operation *terminator = &evaluate.getBody().front().back();
  OpBuilder builder(terminator);
  StateOp states[] = {sum, count};
  for (auto [value, state] : llvm::zip(terminator->getOperands(), states))
    AccumulateOp::create(builder, value.getLoc(), value, state.getSymName());
  terminator->setOperands({});
  evaluate.setFunctionType(
      builder.getFunctionType(evaluate.getArgumentTypes(), {}));
  evaluate.removeResAttrsAttr();

  EntryBuilder result(module, kEvaluateResult);
  Value total = result.read(sum.getSymName(), scalar);
  Value n = result.read(count.getSymName(), scalar);
  Value mean = DivOp::create(result.builder, result.loc, scalar, total, n);
  result.clear(sum);
  result.clear(count);
  result.finish({mean, n}, {kLossResult, kTargetCount});
}

struct NNAttachLossPass : pcc::impl::NNAttachLossPassBase<NNAttachLossPass> {
  using NNAttachLossPassBase::NNAttachLossPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>(kForward);
    if (!function || !function.getBody().hasOneBlock()) {
      module.emitError("has no function @forward of one block");
      return signalPassFailure();
    }
    bool isOwn = function->hasAttr(kHasLossAttr), needsEvaluation = true;
    FailureOr<Loss> sums = failure();
    std::string countNode;
    if (isOwn && !loss.empty()) {
      InFlightDiagnostic diag =
          function.emitError() << "loss " << loss
                               << " has no output to be attached to: the model "
                                  "computes its loss itself";
      diag.attachNote()
          << "leave --loss out, or give it where the model is read";
      return signalPassFailure();
    }
    if (isOwn) {
      auto own = attachOwnLoss(module, function, wholeBatch);
      if (failed(own))
        return signalPassFailure();
      sums = own->loss;
      needsEvaluation = own->needsEvaluation;
      countNode = own->countNode;
    } else {
      sums = attach(function);
    }
    if (failed(sums) || (!isOwn && failed(checkSamples(function, sums->sum))))
      return signalPassFailure();
    StringRef name = loss.empty() ? StringRef("causal-lm") : StringRef(loss);
    module->setAttr(kLossAttr,
                    StringAttr::get(&getContext(), isOwn ? "own" : name));
    returnLoss(function, *sums);
    if (!countNode.empty())
      function.setResultAttr(1, kCountAttr,
                             StringAttr::get(&getContext(), countNode));
    function->removeAttr(kHasLossAttr);
    function->removeAttr(kJoinsSamplesAttr);
    function.setSymName(kLoss);
    removeDeadOps(function);
    if (needsEvaluation)
      addEvaluation(module, function);
  }

  /// Checks that each output row belongs to one sample: only then can an
  /// attached loss be accumulated over batches.
  LogicalResult checkSamples(func::FuncOp function, Value sum) {
    auto problem = findMixedSamples(function, sum);
    if (!problem || (wholeBatch && !problem->isSure))
      return success();
    if (!problem->isSure) {
      warnOfMixedSamples(function, problem->what);
      return success();
    }
    if (!wholeBatch)
      return emitNotAdditive(function, *problem);
    getOperation()->setAttr(kWholeBatchAttr,
                            StringAttr::get(&getContext(), problem->what));
    return success();
  }

  FailureOr<Loss> attach(func::FuncOp function) {
    LossBuilder builder(function);
    if (loss.empty())
      return builder.assumed();
    if (loss == "causal-lm")
      return builder.causalLM();
    if (loss == "cross-entropy")
      return builder.crossEntropy();
    if (loss == "mse")
      return builder.meanSquaredError();
    InFlightDiagnostic diag = function.emitError()
                              << "there is no loss '" << loss << "'";
    diag.attachNote() << "losses are causal-lm, cross-entropy and mse";
    return diag;
  }
};

} // namespace
