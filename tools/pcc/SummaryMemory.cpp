//===- SummaryMemory.cpp - Kept activations, and savings of memory --------===//

#include "analysis/Activations.h"
#include "dialects/Pipe/Pipe.h"
#include "passes/Pipeline/Passes.h"
#include "tools/pcc/Summary.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;

/// Values that a forward task hands to a backward task are kept in between.
void Summary::collectKept(ModuleOp module) {
  for (Stage &stage : stages)
    stage.kept.clear();
  llvm::StringSet<> read;
  for (auto task : module.getOps<pipe::TaskOp>())
    if (task.getPhase() == pipe::Phase::Backward)
      for (unsigned i = 0; i < task.getSources().size(); ++i)
        read.insert(task.getSource(i));
  SymbolTable symbols(module);
  for (auto task : module.getOps<pipe::TaskOp>()) {
    if (task.getPhase() != pipe::Phase::Forward)
      continue;
    auto body = symbols.lookup<pipe::BodyOp>(task.getBody());
    int64_t bytes = 0;
    for (auto [i, value] : llvm::enumerate(body.getResults()))
      if (isa_and_nonnull<pipe::ValueOp>(symbols.lookup(task.getTarget(i))) &&
          read.contains(task.getTarget(i)))
        bytes += bytesOf(value);
    // A task is named forward.SEGMENT.
    int64_t segment = 0;
    task.getSymName().rsplit('.').second.getAsInteger(10, segment);
    stages[task.getStage()].kept.push_back({segment, bytes});
  }
  for (auto schedule : module.getOps<pipe::ScheduleOp>())
    if (auto live = schedule->getAttrOfType<IntegerAttr>(kLiveAttr);
        live && schedule.getEntry() == pipe::Entry::Train)
      stages[schedule.getStage()].live = live.getInt();
}

/// Prints equal segments together: "segments 1-12 144.0 MiB each".
void Summary::printKept(llvm::raw_ostream &os) const {
  for (auto [i, stage] : llvm::enumerate(stages)) {
    if (stage.kept.empty())
      continue;
    os << "kept:     stage " << i << ", for the backward pass of "
       << (stage.live == 1 ? std::string("a microbatch")
                           : std::to_string(stage.live) + " microbatches");
    for (size_t at = 0; at < stage.kept.size();) {
      size_t end = at + 1;
      while (end < stage.kept.size() &&
             stage.kept[end].second == stage.kept[at].second)
        ++end;
      bool isOne = end == at + 1;
      os << (at ? ", " : ": ") << (isOne ? "segment " : "segments ")
         << stage.kept[at].first;
      if (!isOne)
        os << "-" << stage.kept[end - 1].first;
      os << " " << formatBytes(stage.kept[at].second * stage.live)
         << (isOne ? "" : " each");
      at = end;
    }
    os << "\n";
  }
}

void Summary::printSavings(llvm::raw_ostream &os) const {
  auto [stage, now] = getLargestStage();
  for (const auto &[flags, bytes] : savings) {
    os << "with:     " << flags << ": " << formatBytes(bytes);
    if (bytes < now)
      os << ", " << formatBytes(now - bytes) << " less";
    else if (bytes > now)
      os << ", " << formatBytes(bytes - now) << " more";
    os << "\n";
  }
}
