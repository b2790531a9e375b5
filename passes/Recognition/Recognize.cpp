//===- Recognize.cpp - Recognizes ops by their computation ----------------===//

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

/// Many times as many as any known model needs: a few per op.
constexpr int64_t kRewritesPerOp = 200;

/// Counts the rewrites of one iteration over the module.
struct RewriteCounter : RewriterBase::Listener {
  void notifyPatternEnd(const Pattern &, LogicalResult status) override {
    count += succeeded(status);
  }
  int64_t count = 0;
};

/// Applies patterns in iterations over the module until none matches. A rewrite
/// may enable one at an op that was already visited, such as another reader of
/// a value, and a reshape may move up only one layer per iteration. The number
/// of iterations therefore grows with the model's depth. They terminate because
/// every pattern leaves fewer ops or moves a reshape or transpose closer to the
/// origin of the dims. `budget` stops patterns that undo each other
/// nevertheless. Every rewrite preserves the computed values, so the program is
/// then correct, but less of it is recognized. Returns whether the iterations
/// terminated within the budget.
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

template <typename Op>
bool has(ModuleOp module) {
  return module.walk([](Op) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

struct NNRecognizePass : pcc::impl::NNRecognizePassBase<NNRecognizePass> {
  using NNRecognizePassBase::NNRecognizePassBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Patterns compare SSA values, so equal expressions must be one value.
    {
      IRRewriter rewriter(&getContext());
      for (auto function : module.getOps<func::FuncOp>()) {
        DominanceInfo dominance(function);
        eliminateCommonSubExpressions(rewriter, dominance, function);
      }
    }
    int64_t most = maxRewrites;
    if (most == 0)
      module.walk([&](Operation *) { most += kRewritesPerOp; });
    int64_t budget = most;
    // Experts first: other patterns would move the reshapes between their ops.
    RewritePatternSet experts(&getContext());
    populateActivationPatterns(experts);
    populateExpertPatterns(experts);
    RewritePatternSet tokens(&getContext());
    populateReshapePatterns(tokens);
    populateTokenPatterns(tokens);
    bool isComplete = !has<nn::TopKOp>(module) ||
                      applyAll(module, std::move(experts), budget);
    if (isComplete && has<nn::ExpertsOp>(module))
      isComplete = applyAll(module, std::move(tokens), budget);
    // Then recognize ops built from primitives: flattening sums would break
    // them up.
    RewritePatternSet primitives(&getContext());
    populateUnequalHeadPatterns(primitives);
    populateReshapePatterns(primitives);
    populateActivationPatterns(primitives);
    populateNormPatterns(primitives);
    populateRopePatterns(primitives);
    // Then reduce contractions to their labels: later patterns read only these.
    RewritePatternSet contractions(&getContext());
    populateContractPatterns(contractions);
    // Stack heads before projections of concatenated values are split.
    RewritePatternSet heads(&getContext());
    populateHeadPatterns(heads);
    // Reshapes, transposes and scores; each rewrite may enable others.
    RewritePatternSet forms(&getContext());
    populateContractPatterns(forms);
    populateReshapePatterns(forms);
    populateLossPatterns(forms);
    populateAttentionPatterns(forms);
    populateProjectionPatterns(forms);
    populateUnequalProjectionPatterns(forms);
    for (RewritePatternSet *patterns :
         {&primitives, &contractions, &heads, &forms})
      isComplete = isComplete && applyAll(module, std::move(*patterns), budget);
    if (!isComplete)
      module.emitWarning()
          << "recognition stopped after " << most
          << " rewrites: the program is correct, but attention and "
             "projections may be computed and sharded as in the file";
    reshapeParams(module);
    transposeExpertParams(module);
    renameLabels(module);
    eraseUnused(module);
    classifyParams(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(nn::kHasLossAttr))
        assignTargets(function);
  }
};

} // namespace
