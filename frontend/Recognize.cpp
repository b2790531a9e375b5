//===- Recognize.cpp - --nn-recognize -------------------------------------===//

#include "frontend/Params.h"
#include "frontend/Passes.h"
#include "frontend/Patterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace pcc {
#define GEN_PASS_DEF_NNRECOGNIZEPASS
#include "frontend/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

namespace {

struct NNRecognizePass : pcc::impl::NNRecognizePassBase<NNRecognizePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Patterns compare values: equal expressions must be one.
    {
      IRRewriter rewriter(&getContext());
      for (auto function : module.getOps<func::FuncOp>()) {
        DominanceInfo dominance(function);
        eliminateCommonSubExpressions(rewriter, dominance, function);
      }
    }
    // First what is made of primitives: moving reshapes and flattening sums
    // would take it apart.
    RewritePatternSet primitives(&getContext());
    populateReshapePatterns(primitives);
    populateActivationPatterns(primitives);
    populateNormPatterns(primitives);
    populateRopePatterns(primitives);
    // Then contractions by labels alone: what follows reads nothing but these.
    RewritePatternSet contractions(&getContext());
    populateContractPatterns(contractions);
    // Heads before projections of what is joined are taken apart.
    RewritePatternSet heads(&getContext());
    populateHeadPatterns(heads);
    // Layout and scores; each makes room for the other.
    RewritePatternSet forms(&getContext());
    populateContractPatterns(forms);
    populateReshapePatterns(forms);
    populateLossPatterns(forms);
    populateAttentionPatterns(forms);
    populateProjectionPatterns(forms);
    populatePartedProjectionPatterns(forms);
    if (failed(applyPatternsGreedily(module, std::move(primitives))) ||
        failed(applyPatternsGreedily(module, std::move(contractions))) ||
        failed(applyPatternsGreedily(module, std::move(heads))) ||
        failed(applyPatternsGreedily(module, std::move(forms)))) {
      module.emitError("recognition finds no end; please report this model");
      return signalPassFailure();
    }
    reshapeParams(module);
    renameLabels(module);
    sweep(module);
    classifyParams(module);
    markFoldedScales(module);
  }
};

} // namespace
