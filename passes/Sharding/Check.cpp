//===- Check.cpp - Whether a plan uses the tensor axes --------------------===//

#include "passes/Sharding/Check.h"
#include "passes/Sharding/Seeds.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

/// An op cannot use an axis that one of its values is split over.
static LogicalResult reportLost(const Program &program, const ShardedOp &op,
                                const ShardedValue &value, unsigned dim,
                                Axis axis, const DimFactors &factors) {
  const Mesh &mesh = program.mesh;
  InFlightDiagnostic diag =
      cannotSplit(op.op, layerName(op.op), mesh, AxisSet::of(axis));
  bool whole = llvm::any_of(
      factors, [&](int factor) { return op.rule.factors[factor].unshardable; });
  if (whole) {
    diag << op.op->getName() << " needs dim " << dim << " of '" << value.name
         << "' whole on each rank";
  } else {
    diag << "dim " << dim << " of '" << value.name << "' is ";
    llvm::interleave(
        factors, diag,
        [&](int factor) { diag << op.rule.factors[factor].size; }, " x ");
    diag << " here, and " << op.rule.factors[factors.front()].size
         << " is not a multiple of " << mesh.extent(axis);
  }
  diag.attachNote(value.owner->getLoc())
      << "it is split because of: " << value.origins[axis].reason;
  if (isa<AttentionOp, AttentionGradOp>(op.op) && !whole)
    diag.attachNote(op.op->getLoc())
        << "with fewer key/value heads than tensor ranks the mesh needs the "
           "axes tp_kv and tp_rep in place of tp; --dist-mesh declares them";
  else
    diag.attachNote(op.op->getLoc())
        << "choose a --tp that divides this extent";
  return diag;
}

static LogicalResult checkLost(const Program &program, const ShardedOp &op) {
  LogicalResult result = success();
  op.forEach([&](unsigned number, const ValueFactors &dims, unsigned) {
    const ShardedValue &value = program[number];
    for (auto [i, dim] : llvm::enumerate(dims)) {
      size_t kept = 0;
      for (const AxisList &axes :
           distribute(program.mesh, value.dims[i], dim, op.rule))
        kept += axes.size();
      if (kept < value.dims[i].size() && succeeded(result))
        result = reportLost(program, op, value, i, value.dims[i][kept], dim);
    }
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
  if (!contract || !paramOf(contract.getRhs()))
    return success();
  Axis missingAxis = missing.list().front();
  // Where key/value heads are fewer than ranks, that is what tp_rep means.
  if (mesh.name(missingAxis) == "tp_rep" && !used.empty())
    return success();
  // Training and evaluation share the weight.
  if (!reported.insert(op.operands[1]).second)
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
