//===- TestAnalyses.cpp - Test passes for analyses ------------------------===//
//
// A pass often reduces an analysis to a single bit, such as causal or not.
// These passes let tests check the analysis itself, by a remark at each op:
//
//   // expected-remark @+1 {{sees [1, 4, 1]: 0 1 2 3}}
//   %x = nn.embedding %ids, %table ...
//
//===----------------------------------------------------------------------===//

#include "TestAnalyses.h"
#include "dialects/NN/Roles.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/Training/DependenceTracker.h"
#include "passes/Training/LoopTracker.h"
#include "passes/Training/Regularity.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// A pass over functions of one block.
template <typename Self>
struct TestPass : PassWrapper<Self, OperationPass<ModuleOp>> {
  void runOnOperation() override {
    for (auto function : this->getOperation().template getOps<func::FuncOp>())
      static_cast<Self *>(this)->test(function);
    this->markAllAnalysesPreserved();
  }
};

/// Emits a remark at the op of a result; if the op has several results, with
/// the result's number.
InFlightDiagnostic remarkOn(Value result) {
  Operation *op = result.getDefiningOp();
  InFlightDiagnostic diag = op->emitRemark();
  if (op->getNumResults() > 1)
    diag << "#" << cast<OpResult>(result).getResultNumber() << " ";
  return diag;
}

/// Remarks the shape and the entries of a result's dependence bound, unless it
/// depends on no token. The positions of tokens are along their last dim.
struct TestHorizons : TestPass<TestHorizons> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestHorizons)

  StringRef getArgument() const override { return "test-horizons"; }
  StringRef getDescription() const override {
    return "Remarks which positions of the tokens values see";
  }

  void test(func::FuncOp function) {
    DependenceTracker horizons;
    if (Value tokens = findInput(function, InputRole::Tokens)) {
      RankedTensorType type = tensorType(tokens);
      int64_t last = type.getRank() - 1;
      horizons.set(tokens, DependenceBound::along(type.getRank(), last,
                                                  type.getShape().back()));
    }
    for (Operation &op : function.getBody().front().without_terminator()) {
      horizons.visit(&op);
      for (Value result : op.getResults()) {
        DependenceBound horizon = horizons.of(result);
        if (horizon.highest() < 0)
          continue;
        InFlightDiagnostic diag = remarkOn(result);
        diag << "sees [";
        llvm::interleaveComma(horizon.shape(), diag);
        diag << "]:";
        horizon.forEach([&](DependenceBound::Index, int32_t position) {
          diag << " " << position;
        });
      }
    }
  }
};

/// Remarks which dim of a result the samples of data (the first dim) are along,
/// and which ops mix them.
struct TestSamples : TestPass<TestSamples> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSamples)

  StringRef getArgument() const override { return "test-samples"; }
  StringRef getDescription() const override {
    return "Remarks where the samples of data are in values";
  }

  void test(func::FuncOp function) {
    LoopTracker samples("samples", batchOf(function));
    for (BlockArgument argument : function.getArguments())
      if (roleOf(argument) == InputRole::Data)
        samples.start(argument, 0);
    for (Operation &op : function.getBody().front().without_terminator()) {
      std::string problem = samples.visit(&op);
      for (Value result : op.getResults())
        if (const LoopTracker::Dependence *place = samples.find(result))
          describe(remarkOn(result), *place);
      if (!problem.empty())
        op.emitRemark() << (samples.combinesSurely() ? "surely " : "maybe ")
                        << problem;
    }
  }

  static void describe(InFlightDiagnostic diag,
                       const LoopTracker::Dependence &place) {
    if (place.kind == LoopTracker::Dependence::Summed)
      diag << "added";
    else if (place.kind == LoopTracker::Dependence::Mixed)
      diag << "mixed";
    else
      diag << "apart along " << place.dim << " by " << place.inner;
  }
};

/// Remarks how a result repeats or grows along each dim: from one index to the
/// next, and by each divisor of the extent.
struct TestSteps : TestPass<TestSteps> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestSteps)

  StringRef getArgument() const override { return "test-steps"; }
  StringRef getDescription() const override {
    return "Remarks how values repeat or grow along their dims";
  }

  void test(func::FuncOp function) {
    for (Operation &op : function.getBody().front().without_terminator())
      for (Value result : op.getResults()) {
        InFlightDiagnostic diag = remarkOn(result) << "steps";
        for (auto [dim, extent] :
             llvm::enumerate(tensorType(result).getShape())) {
          diag << " along " << dim << ":";
          for (int64_t inner = 1; inner < extent; ++inner)
            if (extent % inner == 0)
              describe(diag, result, dim, inner);
        }
      }
  }

  static void describe(InFlightDiagnostic &diag, Value value, int64_t dim,
                       int64_t inner) {
    std::optional<int64_t> step = stepAlong(value, dim, inner);
    if (isUniformAlong(value, dim, inner))
      diag << " same";
    else if (step)
      diag << " " << *step;
    else
      diag << " any";
  }
};

} // namespace

void pcc::registerTestPasses() {
  PassRegistration<TestHorizons>();
  PassRegistration<TestSamples>();
  PassRegistration<TestSteps>();
}
