//===- OutlineReduce.cpp - Tasks that reduce each microbatch --------------===//
//
// @reduce reduces the gradients of each bucket and accumulates the rank's shard
// of the result. Each bucket is a task of its own, so that it is reduced as
// soon as the microbatch has added to all of its gradients:
//
//     pipe.body @reduce_each.0.0.body (%g: tensor<1x64xf32> as #x_x_sum_dp,
//         %s: tensor<1x32xf32> as #x_dp)
//         -> (tensor<1x32xf32> into 1, tensor<1x64xf32> into 0) {
//       %0 = dist.reduce_scatter %g dim 1 over ["dp"] ...
//       %1 = nn.sum %s, %0 : tensor<1x32xf32>
//       pipe.yield %1, %zero : tensor<1x32xf32>, tensor<1x64xf32>
//     }
//
//===----------------------------------------------------------------------===//

#include "analysis/Buckets.h"
#include "passes/Pipeline/Outline.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

/// Adds an op after the ops that compute its operands.
static void addWithOperands(Operation *op,
                            llvm::SetVector<Operation *> &added) {
  for (Value operand : op->getOperands())
    addWithOperands(operand.getDefiningOp(), added);
  added.insert(op);
}

void pcc::outlineReduce(TaskSymbols &symbols, func::FuncOp reduce) {
  // Before this function creates tasks.
  StageUses uses = findStageUses(symbols.getModule());
  // By bucket: the ops on it and on its sum.
  llvm::MapVector<StringRef, llvm::SetVector<Operation *>> rows;
  for (auto write : reduce.getOps<nn::WriteOp>()) {
    auto state = symbols.lookup<nn::StateOp>(write.getSymbol());
    StringRef row =
        nn::isBucket(state) ? state.getSymName() : StringRef(*state.getOf());
    addWithOperands(write, rows[row]);
  }
  int64_t number = 0;
  for (auto &[row, ops] : rows) {
    for (int64_t stage : stagesOf(symbols, row, uses)) {
      std::string name =
          ("reduce_each." + Twine(number) + "." + Twine(stage)).str();
      TaskBuilder task(symbols, name, stage, Phase::ReduceEach,
                       reduce.getLoc());
      IRMapping mapping;
      for (Operation *op : ops)
        task.clone(*op, mapping);
      task.close();
      task.finish();
    }
    ++number;
  }
}
