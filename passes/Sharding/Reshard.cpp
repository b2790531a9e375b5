//===- Reshard.cpp - Plans changes of sharding ----------------------------===//

#include "passes/Sharding/Reshard.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

using Kind = ReshardStep::Kind;

/// Whether `axes` begins with `prefix`.
static bool beginsWith(ArrayRef<Axis> axes, ArrayRef<Axis> prefix) {
  return axes.size() >= prefix.size() &&
         axes.take_front(prefix.size()) == prefix;
}

namespace {
struct Planner {
  Layout now, target;
  SmallVector<ReshardStep> steps;

  void step(Kind kind, ArrayRef<Axis> axes, unsigned dim = 0, unsigned to = 0) {
    steps.push_back({kind, AxisList(axes), dim, to, now});
  }
  void exchange();
  void append();
  void append(unsigned dim);
  void gather(unsigned dim);
};
} // namespace

/// Moves the last axis of a dim to the end of another one that needs it.
void Planner::exchange() {
  for (unsigned dim = 0; dim < now.dims.size(); ++dim) {
    AxisList &from = now.dims[dim];
    while (!from.empty() && !beginsWith(target.dims[dim], from)) {
      Axis axis = from.back();
      auto takes = [&](unsigned other) {
        AxisList longer = now.dims[other];
        longer.push_back(axis);
        return other != dim && beginsWith(target.dims[other], longer);
      };
      unsigned other = 0;
      while (other < now.dims.size() && !takes(other))
        ++other;
      if (other == now.dims.size())
        break;
      from.pop_back();
      now.dims[other].push_back(axis);
      step(Kind::AllToAll, axis, dim, other);
    }
  }
}

/// Appends the axes that a dim still lacks, major to minor, up to one that
/// still splits another dim. Adjacent axes with the same kind of step are one
/// step.
void Planner::append(unsigned dim) {
  AxisList &axes = now.dims[dim];
  if (!beginsWith(target.dims[dim], axes))
    return;
  AxisSet taken = now.split();
  ArrayRef<Axis> pending =
      ArrayRef<Axis>(target.dims[dim])
          .drop_front(axes.size())
          .take_while([&](Axis axis) { return !taken.contains(axis); });
  while (!pending.empty()) {
    bool partial = now.partial.contains(pending.front());
    ArrayRef<Axis> run = pending.take_while(
        [&](Axis axis) { return now.partial.contains(axis) == partial; });
    axes.append(run.begin(), run.end());
    now.partial = now.partial - AxisSet(run);
    step(partial ? Kind::ReduceScatter : Kind::Slice, run, dim);
    pending = pending.drop_front(run.size());
  }
}

void Planner::append() {
  for (unsigned dim = 0; dim < now.dims.size(); ++dim)
    append(dim);
}

/// Gathers the axes of a dim from the first one that differs from the target's.
void Planner::gather(unsigned dim) {
  AxisList &axes = now.dims[dim];
  size_t kept = 0;
  while (kept < axes.size() && kept < target.dims[dim].size() &&
         axes[kept] == target.dims[dim][kept])
    ++kept;
  AxisList dropped(ArrayRef<Axis>(axes).drop_front(kept));
  if (dropped.empty())
    return;
  axes.truncate(kept);
  step(Kind::AllGather, dropped, dim);
}

SmallVector<ReshardStep> pcc::planReshard(const Layout &from,
                                          const Layout &to) {
  Planner planner{from, to, {}};
  planner.exchange();
  planner.append();
  // Axes that precede others in their new dim are in place now.
  planner.exchange();
  for (unsigned dim = 0; dim < from.dims.size(); ++dim)
    planner.gather(dim);
  planner.append();
  AxisSet left = planner.now.partial - to.partial;
  if (!left.empty()) {
    planner.now.partial = planner.now.partial - left;
    planner.step(Kind::AllReduce, left.list());
  }
  AxisSet made = to.partial - planner.now.partial;
  if (!made.empty()) {
    planner.now.partial = planner.now.partial | made;
    planner.step(Kind::Spread, made.list());
  }
  assert(planner.now == to && "a reshard must arrive");
  return planner.steps;
}
