//===- Propagate.cpp - Spreads shardings from the seeds to all values -----===//
//
// A seed shards dims of one value; this pass derives the shardings of all
// others. For each op it finds the axes of its loops from the shardings of its
// values (`project`) and extends the dims of its values by them (`visit`).
// Passes over all ops, forward and backward, are repeated until nothing
// changes. From the one seed on `down`:
//
//     down [m:tp c]                       seed
//     %y = contract %a, down              its loop m has tp, so a [b s m:tp]
//     %a = gelu %h                        h [b s m:tp]
//     %h = contract %x, up                its loop m has tp, so up [c m:tp]
//
// Dims are only ever extended, so it terminates. Levels are processed one after
// the other: the choices of tensor parallelism stay when the batch is split.
// Partial sums do not matter here: --dist-insert-reshards finds them, and the
// places where an op needs another sharding than its operand has.
//
//===----------------------------------------------------------------------===//

#include "passes/Sharding/Check.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Projection.h"
#include "passes/Sharding/Seeds.h"
#include <set>

namespace pcc {
#define GEN_PASS_DEF_DISTPROPAGATEPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

class Propagation {
public:
  explicit Propagation(Program &program) : program(program) {}
  LogicalResult run();

private:
  using Kind = ShardedValue::Kind;

  LogicalResult applySeeds(int64_t level);
  void seedLikeParams();
  void runToFixPoint(int64_t level, bool update = true);
  bool visit(const ShardedOp &op, int64_t level);

  Program &program;
};

} // namespace

LogicalResult Propagation::applySeeds(int64_t level) {
  const Mesh &mesh = program.mesh;
  for (ShardedValue &value : program.values) {
    for (SeedAttr seed : getSeeds(value)) {
      if (seed.getLevel() != level)
        continue;
      Layout wanted = mesh.layout(seed.getSharding());
      for (auto [i, axes] : llvm::enumerate(wanted.dims)) {
        value.open[i] = seed.getSharding().getDims()[i].getOpen();
        if (llvm::any_of(axes, [&](Axis axis) { return value.uses(axis); }))
          continue;
        AxisList all = value.dims[i];
        llvm::append_range(all, axes);
        if (value.type.getDimSize(i) % mesh.extent(all)) {
          InFlightDiagnostic diag =
              cannotSplit(value.owner, value.name, mesh, AxisSet(axes));
          diag << "dim " << i << " of " << value.type
               << " is not a multiple of " << mesh.extent(all);
          diag.attachNote(value.owner->getLoc())
              << "asked for as: " << seed.getReason();
          return diag;
        }
        value.dims[i] = all;
        for (Axis axis : axes)
          value.origins[axis] = {level, seed.getReason().str()};
      }
    }
  }
  return success();
}

/// Seeds gradients and optimizer state with their parameter's sharding.
/// Otherwise a weight gradient would be computed whole wherever its operands
/// allow it.
void Propagation::seedLikeParams() {
  for (ShardedValue &value : program.values) {
    auto state = dyn_cast<StateOp>(value.owner);
    if (!state || !state.getOf())
      continue;
    auto param = program.numberOf(*state.getOf());
    if (!param || program[*param].type.getShape() != value.type.getShape())
      continue;
    value.dims = program[*param].dims;
    for (Axis axis = 0; axis < program.mesh.size(); ++axis)
      if (value.uses(axis))
        value.origins[axis] = {TensorLevel, "as its parameter"};
  }
}

/// Extends the dims of an op's values by the axes of its factors; returns
/// whether any changed.
bool Propagation::visit(const ShardedOp &op, int64_t level) {
  const Mesh &mesh = program.mesh;
  Projection projection = project(program, op);
  bool changed = false;
  op.forEach([&](unsigned number, const ValueFactors &dims, unsigned) {
    ShardedValue &value = program[number];
    // An input has the same sharding in every function, and slicing it is free.
    if (value.kind == Kind::Input ||
        (level > TensorLevel && value.kind != Kind::Inner))
      return;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      AxisList wanted = dimAxes(dim, projection.factors);
      AxisList &present = value.dims[i];
      if (!value.open[i] || wanted.size() <= present.size() ||
          ArrayRef<Axis>(wanted).take_front(present.size()) !=
              ArrayRef<Axis>(present))
        continue;
      ArrayRef<Axis> more = ArrayRef<Axis>(wanted).drop_front(present.size());
      if (llvm::any_of(more, [&](Axis axis) { return value.uses(axis); }) ||
          value.type.getDimSize(i) % mesh.extent(wanted))
        continue;
      for (Axis axis : more)
        value.origins[axis] = {projection.levels[axis],
                               op.op->getName().getStringRef().str() + " '" +
                                   layerName(op.op) + "'"};
      present = wanted;
      changed = true;
    }
  });
  return changed;
}

/// Visits all ops forward and backward until nothing changes. Terminates
/// because dims are only ever extended.
void Propagation::runToFixPoint(int64_t level, bool update) {
  bool changed = true;
  auto visitAll = [&](auto &&ops) {
    for (const ShardedOp &op : ops)
      if (update || !op.inUpdate)
        changed |= visit(op, level);
  };
  while (changed) {
    changed = false;
    visitAll(program.ops);
    visitAll(llvm::reverse(program.ops));
  }
}

LogicalResult Propagation::run() {
  std::set<int64_t> levels = {TensorLevel};
  for (const ShardedValue &value : program.values)
    for (SeedAttr seed : getSeeds(value))
      levels.insert(seed.getLevel());
  for (int64_t level : levels) {
    if (failed(applySeeds(level)))
      return failure();
    // The model's requests take precedence over the optimizer's.
    runToFixPoint(level, /*update=*/level != TensorLevel);
    if (level != TensorLevel)
      continue;
    seedLikeParams();
    runToFixPoint(level);
    if (failed(checkTensorParallel(program)))
      return failure();
  }
  reportGathers(program);
  return success();
}

namespace {

struct DistPropagatePass : pcc::impl::DistPropagatePassBase<DistPropagatePass> {
  using DistPropagatePassBase::DistPropagatePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp mesh = findMesh(module);
    if (!mesh)
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, mesh);
    if (failed(program))
      return signalPassFailure();
    if (failed(Propagation(*program).run()))
      return signalPassFailure();
    if (remarks)
      explain(*program);
    annotate(*program);
  }

  void explain(const Program &program);
  void annotate(const Program &program);
};

} // namespace

void DistPropagatePass::explain(const Program &program) {
  for (const ShardedValue &value : program.values) {
    if (value.kind == ShardedValue::Kind::State)
      continue; // as their parameters
    for (auto [i, dim] : llvm::enumerate(value.dims))
      for (Axis axis : dim) {
        Location loc =
            value.value ? value.value.getLoc() : value.owner->getLoc();
        mlir::emitRemark(loc)
            << "'" << value.name << "' " << value.type << ": dim " << i
            << " is split over " << program.mesh.name(axis) << " (level "
            << value.origins[axis].level << "): " << value.origins[axis].reason;
      }
  }
}

/// Returns the sharding attribute of a value's dims.
static ShardingAttr attrOf(const Program &program, const ShardedValue &value) {
  Layout layout;
  layout.dims = value.dims;
  return program.mesh.attr(layout);
}

void DistPropagatePass::annotate(const Program &program) {
  const Mesh &mesh = program.mesh;
  for (const ShardedValue &value : program.values) {
    if (auto argument = dyn_cast_or_null<BlockArgument>(value.value)) {
      auto function = cast<func::FuncOp>(value.owner);
      unsigned index = argument.getArgNumber();
      function.setArgAttr(index, kShardingAttr, attrOf(program, value));
      function.removeArgAttr(index, kSeedsAttr);
      continue;
    }
    value.owner->removeAttr(kSeedsAttr);
    if (!value.value)
      value.owner->setAttr(kShardingAttr, attrOf(program, value));
  }
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    for (Operation &op : function.getBody().front()) {
      SmallVector<Attribute> all;
      for (Value result : op.getResults())
        all.push_back(attrOf(program, program[program.numberOf(result)]));
      if (!all.empty())
        op.setAttr(kShardingsAttr, ArrayAttr::get(&getContext(), all));
    }
  }
  for (const ShardedOp &op : program.ops) {
    SmallVector<Attribute> all;
    for (const AxisList &axes : project(program, op).factors)
      all.push_back(mesh.names(axes));
    op.op->setAttr(kFactorsAttr, ArrayAttr::get(&getContext(), all));
  }
}
