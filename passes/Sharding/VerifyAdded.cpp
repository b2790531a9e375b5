//===- VerifyAdded.cpp - Checks that sums are accumulated and cleared -----===//

#include "analysis/Buckets.h"
#include "dialects/NN/NN.h"
#include "dialects/NN/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Sharding/VerifyLayouts.h"
#include "passes/Sharding/VerifySpmd.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

LogicalResult pcc::verifyAdded(ModuleOp module) {
  // An update may be checked by itself.
  if (!module.lookupSymbol(kMicrobatch))
    return success();
  llvm::StringMap<StateOp> states;
  for (auto state : module.getOps<StateOp>())
    states[state.getSymName()] = state;
  llvm::StringSet<> added;
  module.walk([&](AccumulateOp op) { added.insert(op.getSymbol()); });
  // The shard of a sum is written instead of accumulated into.
  if (auto reduce = module.lookupSymbol<func::FuncOp>(kReduce))
    for (auto write : reduce.getOps<WriteOp>())
      if (write.getValue().getDefiningOp<SumOp>())
        added.insert(write.getSymbol());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getSymName() != kUpdate && function.getSymName() != kReduce &&
        function.getSymName() != kEvaluateResult)
      continue;
    llvm::StringSet<> cleared;
    for (auto write : function.getOps<WriteOp>())
      if (StateOp holder = states.lookup(write.getSymbol());
          holder && isUniformZero(write.getValue()))
        for (StringRef name : heldBy(holder))
          cleared.insert(name);
    for (auto read : function.getOps<ReadOp>()) {
      StateOp holder = states.lookup(read.getSymbol());
      // The sums that @reduce accumulates into are cleared by @update.
      if (!holder || (function.getSymName() == kReduce && !isBucket(holder)))
        continue;
      for (StringRef name : heldBy(holder)) {
        StateOp state = states.lookup(name);
        bool isSum = state && (state.getKind() == StateKind::Gradient ||
                               state.getKind() == StateKind::Sum);
        if (!isSum || (added.contains(name) && cleared.contains(name)))
          continue;
        InFlightDiagnostic diag =
            read.emitOpError()
            << "uses the sum '" << name << "', "
            << (added.contains(name) ? "which is not cleared for the next"
                                     : "to which nothing is added");
        diag.attachNote(state.getLoc()) << "this one";
        return diag;
      }
    }
  }
  return success();
}
