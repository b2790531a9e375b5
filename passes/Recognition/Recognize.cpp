//===- Recognize.cpp - Finds ops by what they compute ---------------------===//

#include "analysis/AssignRoles.h"
#include "analysis/Params.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/Recognition/Passes.h"
#include "passes/Recognition/Patterns.h"

namespace pcc {
#define GEN_PASS_DEF_NNRECOGNIZEPASS
#include "passes/Recognition/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::recognition;

namespace {

/// Many times what models take that were met, a few for each op.
constexpr int64_t kRewritesPerOp = 200;

/// Counts the rewrites of a sweep.
struct RewriteCounter : RewriterBase::Listener {
  void notifyPatternEnd(const Pattern &, LogicalResult status) override {
    count += succeeded(status);
  }
  int64_t count = 0;
};

/// Applies patterns in sweeps over the module until none matches. What a sweep
/// removes may make room at an op that it has left behind, the other reader of
/// a value perhaps, and a reshape may climb one layer in each sweep: their
/// number grows with the model's depth. They end, as every pattern leaves fewer
/// ops or brings a reshape or a transpose nearer to where the dims come from.
/// Should two patterns undo each other all the same, `budget` ends it. Every
/// rewrite keeps what is computed, so what is there then is right, with less of
/// it recognized. Returns whether it came to an end by itself.
bool applyAll(ModuleOp module, RewritePatternSet patterns, int64_t &budget) {
  FrozenRewritePatternSet frozen(std::move(patterns));
  for (bool changed = true; changed && budget > 0;) {
    RewriteCounter counter;
    GreedyRewriteConfig config;
    config.setMaxIterations(1).setMaxNumRewrites(budget).setListener(&counter);
    // Fails while there may be more to do, which `changed` tells.
    (void)applyPatternsGreedily(module, frozen, config, &changed);
    budget -= counter.count;
  }
  return budget > 0;
}

struct NNRecognizePass : pcc::impl::NNRecognizePassBase<NNRecognizePass> {
  using NNRecognizePassBase::NNRecognizePassBase;
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
    populateUnequalHeadPatterns(primitives);
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
    int64_t most = maxRewrites;
    if (most == 0)
      module.walk([&](Operation *) { most += kRewritesPerOp; });
    int64_t budget = most;
    for (RewritePatternSet *patterns :
         {&primitives, &contractions, &heads, &forms})
      if (!applyAll(module, std::move(*patterns), budget)) {
        module.emitWarning()
            << "recognition stopped after " << most
            << " rewrites: the program is correct, but attention and "
               "projections may be computed and sharded as in the file";
        break;
      }
    reshapeParams(module);
    renameLabels(module);
    sweep(module);
    classifyParams(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(nn::kHasLossAttr))
        assignTargets(function);
  }
};

} // namespace
