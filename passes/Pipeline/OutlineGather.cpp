//===- OutlineGather.cpp - Tasks that gather buckets ----------------------===//
//
// For a bucket of working copies @gather does two things: a rank rounds its
// shard of the parameters, and all ranks' shards are gathered. The first is
// compute, the second a collective that can overlap with compute. So these are
// two tasks:
//
//     pipe.task @round.0 ... gather ... (@bucket.0.own) -> (@value.7)
//     pipe.task @gather.0 ... gather ... (@value.7, @bucket.0.copy)
//         -> (@bucket.0.copy)
//
// A bucket whose shards need no rounding has the second task only.
//
//===----------------------------------------------------------------------===//

#include "analysis/Buckets.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/NN.h"
#include "passes/Pipeline/Outline.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

/// Returns the stages that use a shard: those of any parameter of its bucket,
/// because all of them have the same stages; the first stage if none uses it.
static SmallVector<int64_t> stagesHolding(TaskSymbols &symbols, nn::StateOp own,
                                          const StageUses &uses) {
  auto row = symbols.lookup<nn::StateOp>(nn::rowOf(own));
  for (StringRef member : nn::heldBy(row)) {
    auto found = uses.find(member);
    if (found != uses.end())
      return found->second;
  }
  return {0};
}

/// Returns the ops that depend on a value, in their order.
static SmallVector<Operation *> findUsers(func::FuncOp gather, Value value) {
  SmallVector<Operation *> users;
  llvm::SmallDenseSet<Value> made = {value};
  for (Operation &op : gather.getBody().front().without_terminator())
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return made.contains(operand); })) {
      users.push_back(&op);
      made.insert(op.result_begin(), op.result_end());
    }
  return users;
}

void pcc::outlineGather(TaskSymbols &symbols, func::FuncOp gather) {
  // Before this function creates tasks.
  StageUses uses = findStageUses(symbols.getModule());
  int64_t number = 0;
  for (auto read : gather.getOps<nn::ReadOp>()) {
    auto own = symbols.lookup<nn::StateOp>(read.getSymbol());
    SmallVector<Operation *> users = findUsers(gather, read);
    auto *message = llvm::find_if(users, llvm::IsaPred<dist::AllGatherOp>);
    auto computed = llvm::ArrayRef(users.begin(), message);
    SmallVector<int64_t> holders = stagesHolding(symbols, own, uses);
    for (int64_t stage : holders) {
      std::string name = Twine(number).str();
      if (holders.size() > 1)
        name += "." + std::to_string(stage);
      FlatSymbolRefAttr part;
      if (!computed.empty()) {
        TaskBuilder task(symbols, "round." + name, stage, Phase::Gather,
                         read.getLoc());
        IRMapping mapping;
        task.clone(*read, mapping);
        for (Operation *op : computed)
          task.clone(*op, mapping);
        Value given = computed.back()->getResult(0);
        part = symbols.addValue(given.getType(), read.getLoc(),
                                dist::getSharding(given));
        task.addResult(mapping.lookup(given), part);
        task.close();
        task.finish();
      }
      TaskBuilder task(symbols, "gather." + name, stage, Phase::Gather,
                       read.getLoc());
      IRMapping mapping;
      if (part)
        mapping.map(computed.back()->getResult(0),
                    task.take(part, computed.back()->getResult(0).getType()));
      else
        task.clone(*read, mapping);
      for (Operation *op : llvm::ArrayRef(message, users.end()))
        task.clone(*op, mapping);
      task.close();
      task.finish();
    }
    ++number;
  }
}
