//===- VerifyPlan.cpp - --dist-verify -------------------------------------===//

#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Projection.h"

namespace pcc {
#define GEN_PASS_DEF_DISTVERIFYPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

class PlanVerifier {
public:
  explicit PlanVerifier(const Program &program)
      : program(program), mesh(program.mesh) {}
  LogicalResult run();

private:
  LogicalResult readLayouts();
  LogicalResult verifyOp(const ShardedOp &op);
  LogicalResult verifyStore(const ShardedOp &op);
  LogicalResult verifyPartial(const ShardedOp &op, const FactorAxes &factors,
                              AxisSet &passed);
  ArrayAttr names(AxisSet axes) { return mesh.names(axes.list()); }

  const Program &program;
  const Mesh &mesh;
  std::vector<Layout> layouts; ///< by value number
};

} // namespace

LogicalResult PlanVerifier::readLayouts() {
  for (const ShardedValue &value : program.values) {
    ShardingAttr sharding =
        value.value ? getSharding(value.value)
                    : value.owner->getAttrOfType<ShardingAttr>(kShardingAttr);
    if (!sharding)
      return mlir::emitError(value.owner->getLoc())
             << "'" << value.name << "' has no sharding";
    layouts.push_back(mesh.layout(sharding));
  }
  return success();
}

/// An axis over which an operand is partial may be handed on only where the op
/// adds nothing but such parts, or is linear in this operand alone and no
/// factor is split over the axis.
LogicalResult PlanVerifier::verifyPartial(const ShardedOp &op,
                                          const FactorAxes &factors,
                                          AxisSet &passed) {
  const ShardingRule &rule = op.rule;
  for (unsigned number : op.operands)
    passed = passed | layouts[number].partial;
  AxisSet split;
  for (const AxisList &axes : factors)
    split = split | AxisSet(axes);
  for (auto [i, number] : llvm::enumerate(op.operands)) {
    AxisSet partial = layouts[number].partial;
    if (rule.kind == ShardingRule::Kind::Additive) {
      if (partial == passed)
        continue;
      return op.op->emitOpError()
             << "adds parts of a sum over " << names(passed - partial)
             << " to operand " << i << ", which is whole there: it would be "
             << "counted once per rank";
    }
    if (partial.empty())
      continue;
    if (rule.kind == ShardingRule::Kind::None || !rule.linear[i])
      return op.op->emitOpError()
             << "is not linear in operand " << i << ", which is partial over "
             << names(partial);
    for (auto [j, other] : llvm::enumerate(op.operands))
      if (j != i && !(layouts[other].partial & partial).empty())
        return op.op->emitOpError() << "multiplies operands " << i << " and "
                                    << j << ", which are both partial over "
                                    << names(layouts[other].partial & partial);
    if (!(split & partial).empty())
      return op.op->emitOpError()
             << "is split over " << names(split & partial)
             << ", over which operand " << i << " is partial";
  }
  return success();
}

LogicalResult PlanVerifier::verifyOp(const ShardedOp &op) {
  SmallVector<Layout> operands, results;
  for (unsigned number : op.operands)
    operands.push_back(layouts[number]);
  for (unsigned number : op.results)
    results.push_back(layouts[number]);
  FactorAxes factors = factorsOf(mesh, op.rule, operands, results);
  AxisSet passed;
  if (failed(verifyPartial(op, factors, passed)))
    return failure();
  auto fits = [&](const Layout &layout, const ValueFactors &dims) {
    return ArrayRef(layout.dims) == ArrayRef(valueAxes(dims, factors));
  };
  for (auto [i, layout] : llvm::enumerate(operands))
    if (!fits(layout, op.rule.operands[i]))
      return op.op->emitOpError()
             << "takes operand " << i << " as " << mesh.attr(layout)
             << ", which does not fit how the op is split";
  for (auto [i, layout] : llvm::enumerate(results)) {
    if (!fits(layout, op.rule.results[i]))
      return op.op->emitOpError()
             << "gives result " << i << " as " << mesh.attr(layout)
             << ", which does not fit how the op is split";
    AxisSet expected =
        missingAxes(op.rule, op.rule.results[i], factors) | passed;
    if (isZero(op.op))
      continue; // and so are its parts
    if (layout.partial != expected)
      return op.op->emitOpError()
             << "gives result " << i << " partial over " << names(expected)
             << ", its sharding says " << names(layout.partial);
  }
  return success();
}

LogicalResult PlanVerifier::verifyStore(const ShardedOp &op) {
  Layout value = layouts[op.operands[0]], symbol = layouts[op.results[0]];
  if (isa<AccumulateOp>(op.op))
    // One stage adds to a sum over stages, the others have zero there.
    if (auto pp = mesh.find("pp"))
      symbol.partial.erase(*pp);
  if (value != symbol)
    return op.op->emitOpError()
           << "stores a value that lies as " << mesh.attr(value)
           << " to a symbol that lies as " << mesh.attr(symbol);
  return success();
}

LogicalResult PlanVerifier::run() {
  if (failed(readLayouts()))
    return failure();
  for (const ShardedOp &op : program.ops) {
    bool store = isa<WriteOp, AccumulateOp>(op.op);
    if (failed(store ? verifyStore(op) : verifyOp(op)))
      return failure();
  }
  ModuleOp module = program.module;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    for (Value value :
         function.getBody().front().getTerminator()->getOperands()) {
      const Layout &layout = layouts[program.numberOf(value)];
      if (!layout.partial.empty())
        return function.emitOpError()
               << "returns a value that is still partial over "
               << names(layout.partial);
    }
  }
  return success();
}

namespace {
struct DistVerifyPass : pcc::impl::DistVerifyPassBase<DistVerifyPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp mesh = findMesh(module);
    if (!mesh)
      return;
    if (!module->hasAttr(kSpmdAttr)) {
      Program program(module, mesh);
      if (failed(PlanVerifier(program).run()))
        signalPassFailure();
      return;
    }
    WalkResult result = module.walk([](ReshardOp op) {
      op.emitOpError("is left in a partitioned program");
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
