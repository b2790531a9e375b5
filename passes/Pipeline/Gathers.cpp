//===- Gathers.cpp - When a step gathers parameter shards -----------------===//

#include "passes/Pipeline/Gathers.h"
#include "analysis/Buckets.h"
#include "dialects/NN/AttrNames.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

/// Whether a step is one run of a segment's task.
static bool isSegmentRun(const Step &step) {
  return step.tasks.size() == 1 &&
         isSegmentPhase(TaskOp(step.tasks.front()).getPhase());
}

/// A step for each run.
static std::vector<Step> splitRuns(ArrayRef<Step> steps) {
  std::vector<Step> single;
  for (const Step &step : steps) {
    if (step.tasks.empty())
      single.push_back(step);
    for (size_t i = 0; i < step.tasks.size(); ++i)
      single.push_back(Step::run(step.tasks.slice(i, 1), step.microbatch));
  }
  return single;
}

//===----------------------------------------------------------------------===//
// Gathers of parameters that stay for the whole step
//===----------------------------------------------------------------------===//

/// By gather, the index of the first task that uses its result, or the number
/// of tasks. A task that computes an operand of a gather is first used with it.
SmallVector<size_t> GatherPlacement::firstUses(ArrayRef<TaskOp> gathers,
                                               ArrayRef<TaskOp> tasks) const {
  llvm::StringMap<size_t> firstUse;
  for (auto [i, task] : llvm::enumerate(tasks))
    for (unsigned j = 0; j < TaskOp(task).getSources().size(); ++j)
      firstUse.try_emplace(TaskOp(task).getSource(j), i);
  SmallVector<size_t> uses(gathers.size());
  // Tasks that use others' results come after these.
  for (size_t place = gathers.size(); place-- > 0;) {
    TaskOp gather = gathers[place];
    size_t use = tasks.size();
    auto note = [&](StringRef name) {
      if (auto known = firstUse.find(name); known != firstUse.end())
        use = std::min(use, known->second);
    };
    for (unsigned i = 0; i < gather.getTargets().size(); ++i) {
      note(gather.getTarget(i));
      if (auto bucket = symbols.lookup<nn::StateOp>(gather.getTarget(i)))
        for (StringRef held : nn::heldBy(bucket))
          note(held);
    }
    uses[place] = use;
    for (unsigned i = 0; i < gather.getSources().size(); ++i)
      if (symbols.lookup<ValueOp>(gather.getSource(i))) {
        size_t &known =
            firstUse.try_emplace(gather.getSource(i), use).first->second;
        known = std::min(known, use);
      }
  }
  return uses;
}

void GatherPlacement::sortByFirstUse(SmallVector<TaskOp> &gathers,
                                     ArrayRef<TaskOp> tasks) const {
  SmallVector<size_t> uses = firstUses(gathers, tasks);
  SmallVector<std::pair<size_t, size_t>> order;
  for (auto [place, use] : llvm::enumerate(uses))
    order.push_back({use, place});
  llvm::sort(order);
  SmallVector<TaskOp> sorted;
  for (auto [use, place] : order)
    sorted.push_back(gathers[place]);
  gathers = std::move(sorted);
}

void GatherPlacement::interleave(std::vector<Step> &steps,
                                 ArrayRef<TaskOp> gathers,
                                 ArrayRef<TaskOp> tasks) const {
  constexpr size_t kLead = 2;
  std::vector<Step> single = splitRuns(steps);
  llvm::DenseMap<Operation *, size_t> firstRun;
  size_t runs = 0;
  for (const Step &step : single)
    if (isSegmentRun(step))
      firstRun.try_emplace(TaskOp(step.tasks.front()), runs++);
  // Buckets that no segment uses are gathered together with the last of the
  // others.
  std::vector<SmallVector<size_t>> before(std::max<size_t>(runs, 1));
  size_t last = 0;
  for (auto [i, use] : llvm::enumerate(firstUses(gathers, tasks))) {
    size_t run = use == tasks.size() ? 0 : firstRun.lookup(TaskOp(tasks[use]));
    // All ranks issue gathers in the order of the list.
    last = std::max(last, run < kLead ? 0 : run - kLead);
    before[last].push_back(i);
  }
  steps.clear();
  size_t run = 0;
  for (const Step &step : single) {
    if (isSegmentRun(step))
      for (size_t gather : before[run++])
        steps.push_back(Step::run(gathers.slice(gather, 1), step.microbatch));
    steps.push_back(step);
  }
}

//===----------------------------------------------------------------------===//
// Gathers of parameters that stay while a segment runs
//===----------------------------------------------------------------------===//

void GatherPlacement::gatherForUse(std::vector<Step> &steps,
                                   ArrayRef<TaskOp> gathers,
                                   size_t lead) const {
  llvm::StringMap<size_t> gatherOf;
  for (auto [i, gather] : llvm::enumerate(gathers)) {
    StringRef bucket = TaskOp(gather).getTarget(0);
    gatherOf[bucket] = i;
    for (StringRef held : nn::heldBy(symbols.lookup<nn::StateOp>(bucket)))
      gatherOf[held] = i;
  }
  // By gather, the runs that use its bucket.
  std::vector<Step> single = splitRuns(steps);
  std::vector<SmallVector<size_t>> uses(gathers.size());
  size_t runs = 0;
  for (const Step &step : single) {
    if (!isSegmentRun(step))
      continue;
    TaskOp task = step.tasks.front();
    for (unsigned j = 0; j < task.getSources().size(); ++j)
      if (auto found = gatherOf.find(task.getSource(j));
          found != gatherOf.end() &&
          (uses[found->second].empty() || uses[found->second].back() != runs))
        uses[found->second].push_back(runs);
    ++runs;
  }
  // By run: the gathers before it, in the order of use, and the releases after
  // it.
  std::vector<SmallVector<std::pair<size_t, size_t>>> before(runs);
  std::vector<SmallVector<size_t>> behind(runs);
  for (size_t gather = 0; gather < uses.size(); ++gather) {
    ArrayRef<size_t> all = uses[gather];
    auto isKept = [&](size_t later) {
      return later > 0 && later < all.size() &&
             all[later] - all[later - 1] <= 1 + lead;
    };
    for (auto [number, use] : llvm::enumerate(all)) {
      if (!isKept(number))
        before[use < lead ? 0 : use - lead].push_back({use, gather});
      if (!isKept(number + 1))
        behind[use].push_back(gather);
    }
  }
  steps.clear();
  size_t run = 0;
  for (const Step &step : single) {
    if (!isSegmentRun(step)) {
      steps.push_back(step);
      continue;
    }
    llvm::sort(before[run]);
    for (auto [use, gather] : before[run])
      steps.push_back(Step::run(gathers.slice(gather, 1), step.microbatch));
    steps.push_back(step);
    for (size_t gather : behind[run])
      steps.push_back(
          Step::release(TaskOp(gathers[gather]).getTarget(0), step.microbatch));
    ++run;
  }
}
