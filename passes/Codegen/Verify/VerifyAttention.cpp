//===- VerifyAttention.cpp - Gradients of the attention there was ---------===//
//
// The library makes a gradient from stats that its forward pass left, and asks
// nobody whether the two are of one attention. What has the stats tells: a
// buffer, which the calls of both hand to them, or a temporary.
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

/// What uses stats, as far as the library is told.
struct Use {
  Operation *op;
  bool isCausal;
  double scale;

  std::string text() const {
    std::string text;
    llvm::raw_string_ostream(text)
        << (isCausal ? "causal" : "of all keys") << " and has scale " << scale;
    return text;
  }
};

class AttentionVerifier {
public:
  explicit AttentionVerifier(rt::StageOp stage) : stage(stage) {}
  LogicalResult verify();

private:
  /// Notes that something has the stats of a use.
  void note(Value stats, const Use &use);

  rt::StageOp stage;
  /// By parameter of a body, the uses of what it is given.
  llvm::MapVector<Value, SmallVector<Use>> ofParameters;
  /// By buffer, or temporary.
  llvm::MapVector<Operation *, SmallVector<Use>> uses;
};

} // namespace

void AttentionVerifier::note(Value stats, const Use &use) {
  Value whole = rt::getWhole(stats);
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
        for (const Use &use : SmallVector<Use>(found->second))
          note(given, use);
  });
  for (auto &[place, all] : uses) {
    const Use *made = llvm::find_if(
        all, [](const Use &use) { return isa<rt::AttentionOp>(use.op); });
    for (const Use &use : all) {
      if (made == all.end())
        return use.op->emitOpError(
            "is the gradient of an attention that the library does not make");
      if (use.isCausal == made->isCausal && use.scale == made->scale)
        continue;
      InFlightDiagnostic diag =
          use.op->emitOpError()
          << "is " << use.text()
          << ", and has the stats of an attention that is " << made->text();
      diag.attachNote(made->op->getLoc()) << "there";
      return diag;
    }
  }
  return success();
}

LogicalResult pcc::verifyAttention(rt::StageOp stage) {
  return AttentionVerifier(stage).verify();
}
