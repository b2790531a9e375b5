//===- OutlineGather.cpp - What ranks keep made whole, by bucket ----------===//
//
// Of a row of copies @gather does two things: a rank rounds what it keeps of
// the parameters, and all ranks' parts are put together. The first is computed,
// the second is a message that others may compute beside; so these are two
// tasks:
//
//     pipe.task @round.0 ... gather ... (@bucket.0.own) -> (@value.7)
//     pipe.task @gather.0 ... gather ... (@value.7, @bucket.0.copy)
//         -> (@bucket.0.copy)
//
// What is gathered as it is kept has the second one alone.
//
//===----------------------------------------------------------------------===//

#include "analysis/Buckets.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/NN.h"
#include "passes/Pipeline/Outline.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

/// The stages that use what a rank keeps: those of any of its parameters, since
/// a bucket's are used alike. What nobody uses the first one keeps.
static SmallVector<int64_t> holdersOf(TaskSymbols &symbols, nn::StateOp own,
                                      const StageUses &uses) {
  auto row = symbols.lookup<nn::StateOp>(nn::rowOf(own));
  for (StringRef member : nn::heldBy(row)) {
    auto found = uses.find(member);
    if (found != uses.end())
      return found->second;
  }
  return {0};
}

/// The ops that use a value and what is made of it, in their order.
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
  // Found ahead of the tasks that are made here.
  StageUses uses = findStageUses(symbols.getModule());
  int64_t number = 0;
  for (auto read : gather.getOps<nn::ReadOp>()) {
    auto own = symbols.lookup<nn::StateOp>(read.getSymbol());
    SmallVector<Operation *> users = findUsers(gather, read);
    auto *message = llvm::find_if(users, llvm::IsaPred<dist::AllGatherOp>);
    auto computed = llvm::ArrayRef(users.begin(), message);
    SmallVector<int64_t> holders = holdersOf(symbols, own, uses);
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
        task.give(mapping.lookup(given), part);
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
