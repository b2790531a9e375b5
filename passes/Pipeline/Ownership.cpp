//===- Ownership.cpp - Which stage keeps a parameter or a sum -------------===//

#include "passes/Pipeline/Ownership.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "passes/Training/Entry.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// A symbol on one stage.
using OnStage = std::pair<StringRef, int64_t>;

/// What the tasks of a program do where.
struct StateUses {
  llvm::DenseSet<OnStage> trained;
  /// Sums that are read, and cleared, once all microbatches have run.
  llvm::DenseSet<OnStage> read, cleared;
};

} // namespace

static StateUses findUses(ModuleOp module) {
  StateUses uses;
  for (auto task : module.getOps<TaskOp>())
    for (Operation &op : *task.getBlock()) {
      int64_t stage = task.getStage();
      auto read = dyn_cast<nn::ReadOp>(op);
      if (read && !task.isPerMicrobatch())
        uses.read.insert({read.getSymbol(), stage});
      else if (read && task.getEntry() == Entry::Train)
        uses.trained.insert({read.getSymbol(), stage});
      else if (auto write = dyn_cast<nn::WriteOp>(op))
        uses.cleared.insert({write.getSymbol(), stage});
    }
  return uses;
}

LogicalResult pcc::checkOwnership(ModuleOp module) {
  StateUses uses = findUses(module);
  SymbolTable symbols(module);
  for (auto task : module.getOps<TaskOp>()) {
    // A forward-only program trains nothing.
    if (!task.isPerMicrobatch() || task.getEntry() == Entry::Forward)
      continue;
    int64_t stage = task.getStage();
    for (Operation &op : *task.getBlock()) {
      auto read = dyn_cast<nn::ReadOp>(op);
      if (read && symbols.lookup<nn::ParamOp>(read.getSymbol()) &&
          !uses.trained.contains({read.getSymbol(), stage}))
        return emitError(task.getLoc())
               << "task '" << task.getSymName() << "' evaluates parameter '"
               << read.getSymbol() << "', which stage " << stage
               << " does not train";
      auto add = dyn_cast<nn::AccumulateOp>(op);
      if (!add)
        continue;
      OnStage sum = {add.getSymbol(), stage};
      // What is added up ahead of the microbatches is for them.
      auto state = symbols.lookup<nn::StateOp>(add.getSymbol());
      auto &readers =
          state && state->hasAttr(nn::kAheadAttr) ? uses.trained : uses.read;
      if (!readers.contains(sum) || !uses.cleared.contains(sum))
        return emitError(task.getLoc())
               << "task '" << task.getSymName() << "' adds to '"
               << add.getSymbol() << "', which no task of stage " << stage
               << (readers.contains(sum) ? " clears" : " uses")
               << " at the end of a step";
    }
  }
  return success();
}
