//===- VerifyAttention.cpp - Stats of attention gradients -----------------===//
//
// The library computes an attention gradient from the stats of its forward
// pass. It does not check that both calls have the same mask and scale. This
// check finds the uses of the same stats: a buffer that calls of both functions
// take, or a temporary.
//
//     rt.func @forward(..., %stats)   rt.attention causal ..., %stats
//     rt.func @backward(..., %stats)  rt.attention_grad ..., %stats   an error
//     rt.call @forward(..., %a)       %a = rt.address @stats.0
//     rt.call @backward(..., %b)      %b = rt.address @stats.0
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyAttention.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace pcc;

namespace {

/// A use of stats, with the parameters that the library gets.
struct StatsUse {
  Operation *op;
  bool isCausal;
  double scale;

  std::string text() const {
    std::string text;
    llvm::raw_string_ostream(text)
        << (isCausal ? "causal" : "not causal") << " with scale " << scale;
    return text;
  }
};

class AttentionVerifier {
public:
  explicit AttentionVerifier(rt::StageOp stage) : stage(stage) {}
  LogicalResult verify();

private:
  /// Adds a use of `stats`.
  void note(Value stats, const StatsUse &use);

  rt::StageOp stage;
  /// By parameter of a function: the uses of its argument.
  llvm::MapVector<Value, SmallVector<StatsUse>> ofParameters;
  /// By buffer or temporary.
  llvm::MapVector<Operation *, SmallVector<StatsUse>> uses;
};

} // namespace

void AttentionVerifier::note(Value stats, const StatsUse &use) {
  Value whole = rt::getViewedBuffer(stats);
  if (isa<BlockArgument>(whole))
    return ofParameters[whole].push_back(use);
  Operation *place = whole.getDefiningOp();
  if (auto address = dyn_cast<rt::AddressOp>(place))
    place = SymbolTable::lookupSymbolIn(stage, address.getBuffer());
  uses[place].push_back(use);
}

LogicalResult AttentionVerifier::verify() {
  stage.walk([&](Operation *op) {
    if (auto attention = dyn_cast<rt::AttentionOp>(op))
      note(attention.getStats(),
           {op, attention.getCausal(), attention.getScale().convertToDouble()});
    else if (auto grad = dyn_cast<rt::AttentionGradOp>(op))
      note(grad.getStats(),
           {op, grad.getCausal(), grad.getScale().convertToDouble()});
  });
  if (uses.empty() && ofParameters.empty())
    return success();
  SymbolTable functions(stage);
  stage.walk([&](rt::CallOp call) {
    auto callee = functions.lookup<rt::FuncOp>(call.getCallee());
    for (auto [given, parameter] :
         llvm::zip(call.getArgs(), callee.getBlock()->getArguments()))
      if (auto found = ofParameters.find(parameter);
          found != ofParameters.end())
        for (const StatsUse &use : SmallVector<StatsUse>(found->second))
          note(given, use);
  });
  for (auto &[place, all] : uses) {
    const StatsUse *made = llvm::find_if(
        all, [](const StatsUse &use) { return isa<rt::AttentionOp>(use.op); });
    for (const StatsUse &use : all) {
      if (made == all.end())
        return use.op->emitOpError("is the gradient of an attention that the "
                                   "library does not compute");
      if (use.isCausal == made->isCausal && use.scale == made->scale)
        continue;
      InFlightDiagnostic diag =
          use.op->emitOpError()
          << "is " << use.text()
          << ", but its stats are of an attention that is " << made->text();
      diag.attachNote(made->op->getLoc()) << "computed here";
      return diag;
    }
  }
  return success();
}

LogicalResult pcc::verifyAttention(rt::StageOp stage) {
  return AttentionVerifier(stage).verify();
}
