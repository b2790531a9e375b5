//===- Check.cpp - Whether a plan uses the tensor axes --------------------===//

#include "passes/Sharding/Check.h"
#include "passes/Sharding/Components.h"
#include "passes/Sharding/Seeds.h"
#include <set>

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

/// Whether an op takes a dim with these factors only as a whole.
static bool needsWhole(const ShardedOp &op, const DimFactors &factors) {
  return llvm::any_of(
      factors, [&](int factor) { return op.rule.factors[factor].unshardable; });
}

/// Whether the factors of a dim could take all its axes, were there no other
/// dims.
static bool fitsAlone(const Program &program, const ShardedOp &op,
                      const ShardedValue &value, unsigned dim,
                      const DimFactors &factors) {
  size_t taken = 0;
  for (const AxisList &axes :
       distribute(program.mesh, value.dims[dim], factors, op.rule))
    taken += axes.size();
  return taken == value.dims[dim].size();
}

/// What keeps an op from splitting a dim of a value over all its axes.
static void explainLost(InFlightDiagnostic &diag, const Program &program,
                        const ShardedOp &op, const ShardedValue &value,
                        unsigned dim, const DimFactors &factors) {
  if (needsWhole(op, factors)) {
    diag << op.op->getName() << " needs dim " << dim << " of '" << value.name
         << "' whole on each rank";
    return;
  }
  diag << "dim " << dim << " of '" << value.name << "' ";
  if (fitsAlone(program, op, value, dim, factors)) {
    diag << "is there the minor part of a dim whose major part is not split "
            "into single elements";
    return;
  }
  diag << "is ";
  llvm::interleave(
      factors, diag, [&](int factor) { diag << op.rule.factors[factor].size; },
      " x ");
  diag << " here, and " << op.rule.factors[majorFactor(op.rule, factors)].size
       << " is not a multiple of " << program.mesh.extent(value.dims[dim]);
}

/// An op cannot use an axis that one of its values is split over.
static LogicalResult reportLost(const Program &program, const ShardedOp &op,
                                const ShardedValue &value, unsigned dim,
                                Axis axis, const DimFactors &factors) {
  const Mesh &mesh = program.mesh;
  InFlightDiagnostic diag =
      cannotSplit(op.op, layerName(op.op), mesh, AxisSet::of(axis));
  explainLost(diag, program, op, value, dim, factors);
  diag.attachNote(value.owner->getLoc())
      << "it is split because of: " << value.origins[axis].reason;
  Location loc = op.op->getLoc();
  if (needsWhole(op, factors) || fitsAlone(program, op, value, dim, factors))
    diag.attachNote(loc) << "use --tp 1, and --dp or --pp to use more ranks";
  else if (isa<AttentionOp, AttentionGradOp>(op.op))
    diag.attachNote(loc)
        << "with fewer key/value heads than tensor ranks the mesh needs the "
           "axes tp_kv and tp_rep in place of tp; --dist-mesh declares them";
  else
    noteValidValues(diag, loc, "tp",
                    op.rule.factors[majorFactor(op.rule, factors)].size);
  return diag;
}

static LogicalResult checkLost(const Program &program, const ShardedOp &op) {
  LogicalResult result = success();
  op.forEach([&](unsigned number, const ValueFactors &dims, unsigned position) {
    const ShardedValue &value = program[number];
    auto usable = usableAxes(program, op, position);
    for (auto [i, axes] : llvm::enumerate(value.dims))
      if (usable[i].size() < axes.size() && succeeded(result))
        result =
            reportLost(program, op, value, i, axes[usable[i].size()], dims[i]);
  });
  return result;
}

/// Attention and the weights that were chosen run on each rank in part.
static LogicalResult checkCoverage(const Program &program, const ShardedOp &op,
                                   llvm::DenseSet<unsigned> &reported) {
  const Mesh &mesh = program.mesh;
  AxisSet used;
  for (const AxisList &axes : project(program, op).factors)
    used = used | AxisSet(axes);
  AxisSet missing = mesh.tensorAxes() - used;
  if (missing.empty())
    return success();
  bool attention = isa<AttentionOp>(op.op);
  if (attention || isRowParallel(program, op)) {
    InFlightDiagnostic diag =
        mlir::emitError(op.op->getLoc())
        << "'" << layerName(op.op) << "' would run whole on each of "
        << mesh.extent(missing.list()) << " ranks: mesh axis \"tp\" does not "
        << "reach its " << (attention ? "heads" : "weight");
    diag.attachNote(op.op->getLoc())
        << "its weights must be column parallel: a projection whose columns "
           "are cut into parts must be factored (part, head, dim)";
    return diag;
  }
  auto contract = dyn_cast<ContractOp>(op.op);
  std::optional<unsigned> weight;
  if (!contract || !(weight = weightOf(contract)))
    return success();
  Axis missingAxis = missing.list().front();
  // Where key/value heads are fewer than ranks, that is what tp_rep means.
  if (mesh.name(missingAxis) == "tp_rep" && !used.empty())
    return success();
  // Training and evaluation share the weight.
  if (!reported.insert(op.operands[*weight]).second)
    return success();
  mlir::emitRemark(op.op->getLoc())
      << "'" << layerName(op.op) << "' runs whole on each of "
      << mesh.extent(missing.list()) << " tensor-parallel ranks ("
      << static_cast<int64_t>(contract.getFlops()) << " FLOPs)";
  return success();
}

LogicalResult pcc::checkTensorParallel(const Program &program) {
  if (program.mesh.tensorAxes().empty())
    return success();
  for (const ShardedOp &op : program.ops)
    if (failed(checkLost(program, op)))
      return failure();
  llvm::DenseSet<unsigned> reported;
  for (const ShardedOp &op : program.ops)
    if (isForward(op.op) && failed(checkCoverage(program, op, reported)))
      return failure();
  return success();
}

void pcc::reportGathers(const Program &program) {
  const Mesh &mesh = program.mesh;
  // Training and evaluation have the same layers.
  std::set<std::pair<std::string, std::string>> reported;
  for (const ShardedOp &op : program.ops) {
    // Attention needs all keys and values on purpose.
    if (!isForward(op.op) || isa<AttentionOp>(op.op))
      continue;
    for (auto [position, number] : llvm::enumerate(op.operands)) {
      const ShardedValue &value = program[number];
      auto usable = usableAxes(program, op, position);
      for (auto [i, axes] : llvm::enumerate(value.dims)) {
        std::string layer = layerName(op.op);
        if (usable[i].size() == axes.size() ||
            !reported.insert({layer, value.name}).second)
          continue;
        Axis axis = axes[usable[i].size()];
        InFlightDiagnostic diag = mlir::emitRemark(op.op->getLoc());
        diag << "'" << layer << "' gathers '" << value.name
             << "' over mesh axis " << mesh.name(axis) << ": ";
        explainLost(diag, program, op, value, i, op.rule.operands[position][i]);
      }
    }
  }
}
