//===- Staleness.cpp - Parameters are gathered before use -----------------===//
//
// If a bucket of parameters is sharded over the data axes, a step updates the
// shards. Gathers compute the bucket, or the working copies that tasks use,
// from them:
//
//     pipe.schedule train stage 0 ... {
//       pipe.run @round.0                   // @value.7 from @bucket.0.own
//       pipe.run @gather.0                  // @bucket.0.copy from @value.7
//       pipe.run @gather.1                  // @bucket.1.param from @...own
//       pipe.run @forward.0 microbatch 0    // uses members of these
//       ...
//       pipe.run @update.0                  // changes @bucket.0.own
//     }
//
// A bucket that is marked `nn.released` may be resident only while the current
// task or the next one uses it, and is dead after its release.
//
// Each schedule is followed in order, a loop twice: the second iteration starts
// from the result of the first.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline/Staleness.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Dist/Layout.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

namespace {

/// The buckets that the current schedule has gathered and that are up to date.
struct Gathered {
  llvm::StringSet<> all;
  /// Those of them that must be released.
  llvm::StringSet<> passing;
};

class Staleness {
public:
  explicit Staleness(ModuleOp module)
      : module(module), symbols(module), mesh(dist::findMesh(module)) {
    findRows();
  }
  LogicalResult check();

private:
  void findRows();
  LogicalResult checkGather(TaskOp task);
  LogicalResult checkResult(TaskOp task, unsigned result);
  LogicalResult check(ScheduleOp schedule);
  LogicalResult run(RunOp run, Gathered &fresh);
  bool isUsedBy(StringRef row, Operation *step);
  LogicalResult checkNeeded(RunOp run, Operation *next, const Gathered &fresh);
  /// Returns the parameter of a working copy, else the symbol itself.
  Operation *paramOf(StringRef member);
  ArrayAttr dataAxes(StringRef bucket);

  ModuleOp module;
  SymbolTable symbols;
  dist::Mesh mesh;
  /// By gathered bucket and by its members: the bucket.
  llvm::StringMap<StringRef> rowOf;
  /// By gathered bucket, and by value that holds a rounded shard: the shard.
  llvm::StringMap<StringRef> ownOf;
  /// By shard: the buckets and values that are computed from it.
  llvm::StringMap<SmallVector<StringRef>> madeOf;
};

} // namespace

Operation *Staleness::paramOf(StringRef member) {
  Operation *op = symbols.lookup(member);
  auto state = dyn_cast_or_null<nn::StateOp>(op);
  if (state && state.getKind() == nn::StateKind::Copy)
    return symbols.lookup(*state.getOf());
  return op;
}

/// Returns the axes along which ranks have different shards of a gathered
/// bucket: the data axes that split no member.
ArrayAttr Staleness::dataAxes(StringRef bucket) {
  dist::AxisSet data = mesh.dataAxes();
  if (auto row = symbols.lookup<nn::StateOp>(bucket))
    if (auto sharding =
            row->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr))
      data = data - dist::AxisSet(mesh.layout(sharding).dims[0]);
  return mesh.names(data.list());
}

void Staleness::findRows() {
  // By parameter: its shard.
  llvm::DenseMap<Operation *, StringRef> kept;
  auto members = [&](nn::StateOp row) {
    return row.getMembersAttr().getAsRange<FlatSymbolRefAttr>();
  };
  for (auto part : module.getOps<nn::StateOp>())
    if (part.getKind() == nn::StateKind::Part)
      for (auto member : members(symbols.lookup<nn::StateOp>(*part.getOf())))
        kept[symbols.lookup(member.getValue())] = part.getSymName();
  for (auto state : module.getOps<nn::StateOp>()) {
    auto sharding =
        state->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr);
    if (state.getKind() != nn::StateKind::Bucket || !mesh || !sharding ||
        mesh.layout(sharding).dims[1].empty())
      continue;
    for (auto member : members(state))
      if (isa<nn::ParamOp>(symbols.lookup(member.getValue())))
        kept[symbols.lookup(member.getValue())] = state.getSymName();
  }
  for (auto row : module.getOps<nn::StateOp>()) {
    if (row.getKind() != nn::StateKind::Bucket)
      continue;
    for (auto member : members(row)) {
      StringRef own = kept.lookup(paramOf(member.getValue()));
      if (own.empty() || own == row.getSymName())
        continue;
      rowOf[member.getValue()] = rowOf[row.getSymName()] = row.getSymName();
      ownOf[row.getSymName()] = own;
    }
  }
}

/// Checks a result of a gather task: a bucket, gathered from all ranks' shards
/// of it, or a rank's shard rounded to a narrower type for another gather.
LogicalResult Staleness::checkResult(TaskOp task, unsigned result) {
  auto body = symbols.lookup<BodyOp>(task.getBody());
  auto fail = [&]() {
    return emitError(task.getLoc()) << "task '" << task.getSymName() << "' ";
  };
  StringRef target = task.getTarget(result);
  bool isPart = symbols.lookup<ValueOp>(target) != nullptr;
  auto own = ownOf.find(target);
  if (!isPart && own == ownOf.end())
    return fail() << "gathers '" << target << "', which is not sharded";
  unsigned gathers = 0;
  Value from = body.getResults()[result];
  while (Operation *made = from.getDefiningOp()) {
    auto gather = dyn_cast<dist::AllGatherOp>(made);
    if (!gather && !isa<nn::CastOp>(made))
      return fail() << "may not produce '" << target << "' by "
                    << made->getName();
    if (gather &&
        (gather.getDim() != 1 || gather.getAxes() != dataAxes(target)))
      return fail() << "does not gather '" << target << "' over the data axes";
    gathers += gather ? 1 : 0;
    from = made->getOperand(0);
  }
  StringRef source = task.getSource(cast<BlockArgument>(from).getArgNumber());
  bool isOfPart = symbols.lookup<ValueOp>(source) != nullptr;
  StringRef kept = isOfPart ? ownOf.lookup(source) : source;
  if (isPart) {
    bool isKept = llvm::any_of(
        ownOf, [&](const auto &entry) { return entry.second == source; });
    if (gathers || !isKept)
      return fail() << "computes '" << target << "' from '" << source
                    << "', not by rounding a rank's shard of a bucket";
    ownOf[target] = source;
    return success();
  }
  if (gathers != 1 || kept != own->second)
    return fail() << "computes '" << target << "' from '" << source
                  << "', not by one all_gather of its shards, '" << own->second
                  << "'";
  return success();
}

LogicalResult Staleness::checkGather(TaskOp task) {
  for (unsigned i = 0; i < task.getTargets().size(); ++i)
    if (failed(checkResult(task, i)))
      return failure();
  return success();
}

LogicalResult Staleness::run(RunOp run, Gathered &fresh) {
  auto task = symbols.lookup<TaskOp>(run.getTask());
  auto body = symbols.lookup<BodyOp>(task.getBody());
  for (BlockArgument argument : body.getBlock()->getArguments()) {
    StringRef source = task.getSource(argument.getArgNumber());
    if (ownOf.contains(source) && !fresh.all.contains(source) &&
        symbols.lookup<ValueOp>(source))
      return emitError(run.getLoc())
             << "task '" << task.getSymName() << "' uses '" << source
             << "', which is stale: no task has computed it from '"
             << ownOf.lookup(source) << "' since that changed";
    auto row = rowOf.find(source);
    if (row == rowOf.end() || argument.use_empty() ||
        fresh.all.contains(row->second))
      continue;
    return emitError(run.getLoc())
           << "task '" << task.getSymName() << "' uses '" << source
           << "', which is stale: no task has gathered '" << row->second
           << "' from its shards, '" << ownOf.lookup(row->second) << "'";
  }
  for (unsigned i = 0; i < task.getTargets().size(); ++i) {
    StringRef target = task.getTarget(i);
    if (task.getPhase() == Phase::Gather) {
      fresh.all.insert(target);
      auto state = symbols.lookup<nn::StateOp>(target);
      if (state && state->hasAttr(nn::kReleasedAttr) && ownOf.contains(target))
        fresh.passing.insert(target);
    } else if (rowOf.contains(target)) {
      return emitError(run.getLoc())
             << "task '" << task.getSymName() << "' writes '" << target
             << "', of which only the shard '"
             << ownOf.lookup(rowOf.lookup(target)) << "' may be updated";
    }
    for (StringRef row : madeOf.lookup(target)) {
      fresh.all.erase(row);
      fresh.passing.erase(row);
    }
  }
  return success();
}

bool Staleness::isUsedBy(StringRef row, Operation *step) {
  auto run = dyn_cast_or_null<RunOp>(step);
  auto task = run ? symbols.lookup<TaskOp>(run.getTask()) : TaskOp();
  for (unsigned i = 0; task && i < task.getSources().size(); ++i)
    if (auto lies = rowOf.find(task.getSource(i));
        lies != rowOf.end() && lies->second == row)
      return true;
  return false;
}

/// Checks that each bucket that must be released is used by the current or the
/// next task, which its gather may overlap with.
LogicalResult Staleness::checkNeeded(RunOp run, Operation *next,
                                     const Gathered &fresh) {
  if (fresh.passing.empty())
    return success();
  auto task = symbols.lookup<TaskOp>(run.getTask());
  if (!isSegmentPhase(task.getPhase()) && task.getPhase() != Phase::Update)
    return success();
  for (const auto &entry : fresh.passing) {
    StringRef row = entry.getKey();
    if (isUsedBy(row, run) || isUsedBy(row, next))
      continue;
    return emitError(run.getLoc())
           << "task '" << task.getSymName() << "' runs while '" << row
           << "' is resident, which neither it nor the next task uses: it must "
              "be released";
  }
  return success();
}

LogicalResult Staleness::check(ScheduleOp schedule) {
  SmallVector<Operation *> steps;
  for (Operation &op : *schedule.getBlock()) {
    auto loop = dyn_cast<LoopOp>(op);
    if (!loop) {
      steps.push_back(&op);
      continue;
    }
    int64_t turns = int64_t(loop.getEnd()) - int64_t(loop.getBegin());
    for (int64_t i = 0; i < std::min<int64_t>(turns, 2); ++i)
      for (Operation &inner : *loop.getBlock())
        steps.push_back(&inner);
  }
  // By step: the next run of a segment's task.
  SmallVector<Operation *> next(steps.size());
  Operation *last = nullptr;
  for (size_t i = steps.size(); i-- > 0;) {
    next[i] = last;
    auto run = dyn_cast<RunOp>(steps[i]);
    if (run && isSegmentPhase(symbols.lookup<TaskOp>(run.getTask()).getPhase()))
      last = run;
  }
  Gathered fresh;
  for (auto [step, later] : llvm::zip(steps, next)) {
    if (auto release = dyn_cast<ReleaseOp>(step)) {
      fresh.passing.erase(release.getRow());
      if (!fresh.all.erase(release.getRow()))
        return emitError(release.getLoc())
               << "'" << release.getRow()
               << "' is released, but it is not resident";
    } else if (auto one = dyn_cast<RunOp>(step)) {
      if (failed(checkNeeded(one, later, fresh)) || failed(run(one, fresh)))
        return failure();
    }
  }
  return success();
}

LogicalResult Staleness::check() {
  for (auto task : module.getOps<TaskOp>())
    if (task.getPhase() == Phase::Gather && failed(checkGather(task)))
      return failure();
  for (auto &[row, own] : ownOf)
    madeOf[own].push_back(row);
  for (auto schedule : module.getOps<ScheduleOp>())
    if (failed(check(schedule)))
      return failure();
  return success();
}

LogicalResult pcc::checkStaleness(ModuleOp module) {
  return Staleness(module).check();
}
