//===- VerifyPlan.cpp - Verifies a sharded program ------------------------===//

#include "dialects/NN/AttrNames.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Projection.h"
#include "passes/Sharding/Sequence/SequenceOrder.h"
#include "passes/Sharding/VerifyBuckets.h"
#include "passes/Sharding/VerifySpmd.h"

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
  PlanVerifier(const Program &program, std::vector<Layout> layouts)
      : program(program), mesh(program.mesh), layouts(std::move(layouts)) {}
  LogicalResult run();

private:
  LogicalResult verifyOp(const ShardedOp &op);
  LogicalResult verifyStore(const ShardedOp &op);
  LogicalResult verifyReturn(func::FuncOp function);
  LogicalResult verifyOrder();
  LogicalResult verifyPartial(const ShardedOp &op, const FactorAxes &factors,
                              AxisSet &passed);
  ArrayAttr names(AxisSet axes) { return mesh.names(axes.list()); }

  const Program &program;
  const Mesh &mesh;
  std::vector<Layout> layouts; ///< by value number
};

} // namespace

/// Checks partial operands. An op may pass on an axis over which operands are
/// partial if it only adds operands that are all partial over it, or if it is
/// linear in one such operand and no factor is split over the axis.
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
             << "adds a partial sum over " << names(passed - partial)
             << " to operand " << i
             << ", which is not partial there: it would be "
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
             << ", which does not fit the op's sharding";
  for (auto [i, layout] : llvm::enumerate(results)) {
    if (!fits(layout, op.rule.results[i]))
      return op.op->emitOpError()
             << "gives result " << i << " as " << mesh.attr(layout)
             << ", which does not fit the op's sharding";
    AxisSet expected =
        missingAxes(op.rule, op.rule.results[i], factors) | passed;
    if (isZero(op.op))
      continue; // zero may be partial over any axes
    if (layout.partial != expected)
      return op.op->emitOpError()
             << "gives result " << i << " partial over " << names(expected)
             << ", but its sharding says " << names(layout.partial);
  }
  return success();
}

LogicalResult PlanVerifier::verifyStore(const ShardedOp &op) {
  Layout value = layouts[op.operands[0]], symbol = layouts[op.results[0]];
  if (isa<AccumulateOp>(op.op))
    // One stage adds to a sum over stages; the others have zero there.
    symbol.partial = symbol.partial - mesh.withRole(AxisRole::Pipeline);
  if (value != symbol)
    return op.op->emitOpError()
           << "stores a value with sharding " << mesh.attr(value)
           << " to a symbol with sharding " << mesh.attr(symbol);
  return success();
}

LogicalResult PlanVerifier::verifyReturn(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &result : terminator->getOpOperands()) {
    unsigned i = result.getOperandNumber();
    const Layout &layout = layouts[program.numberOf(result.get())];
    if (!layout.partial.empty())
      return function.emitOpError()
             << "returns a value that is still partial over "
             << names(layout.partial);
    auto said = function.getResultAttrOfType<ShardingAttr>(i, kShardingAttr);
    if (said && mesh.layout(said) != layout)
      return function.emitOpError()
             << "declares that result " << i << " has sharding " << said
             << ", but it has sharding " << mesh.attr(layout);
  }
  return success();
}

/// The order of an input or a constant along sequences; null: that of the data.
static HeadTailAttr orderOf(const ShardedValue &value) {
  if (value.kind == ShardedValue::Kind::Input)
    return cast<func::FuncOp>(value.owner)
        .getArgAttrOfType<HeadTailAttr>(
            cast<BlockArgument>(value.value).getArgNumber(), kOrderAttr);
  return value.kind == ShardedValue::Kind::Inner
             ? value.owner->getAttrOfType<HeadTailAttr>(kOrderAttr)
             : HeadTailAttr();
}

/// Checks that the program computes the same in the order of its inputs.
LogicalResult PlanVerifier::verifyOrder() {
  HeadTailAttr first;
  for (const ShardedValue &value : program.values) {
    HeadTailAttr order = orderOf(value);
    if (!order)
      continue;
    if (!first)
      first = order;
    if (order.getRanks() != first.getRanks())
      return value.owner->emitOpError()
             << "has values in the orders of " << first.getRanks() << " and "
             << order.getRanks() << " ranks";
    for (int64_t dim : order.getDims().asArrayRef())
      if (dim >= value.type.getRank() ||
          value.type.getDimSize(dim) % (2 * order.getRanks()))
        return value.owner->emitOpError()
               << "has '" << value.name << "' of type " << value.type
               << ", whose dim " << dim << " has no whole pieces of " << order;
  }
  if (!first)
    return success();
  SequenceOrder found(program, [&](unsigned number, unsigned dim) {
    HeadTailAttr order = orderOf(program[number]);
    bool isListed =
        order && llvm::is_contained(order.getDims().asArrayRef(), int64_t(dim));
    return isListed ? SequenceOrder::Order::Reordered
                    : SequenceOrder::Order::Data;
  });
  if (Operation *counter = found.getCounter())
    return counter->emitOpError()
           << "does not compute the same with inputs in the order " << first;
  return success();
}

LogicalResult PlanVerifier::run() {
  if (failed(verifyOrder()))
    return failure();
  for (auto [value, layout] : llvm::zip_equal(program.values, layouts))
    if (value.kind == ShardedValue::Kind::Param && !layout.partial.empty())
      return value.owner->emitOpError()
             << "is partial over " << names(layout.partial)
             << ": a parameter must not be partial";
  for (const ShardedOp &op : program.ops) {
    bool store = isa<WriteOp, AccumulateOp>(op.op);
    if (failed(store ? verifyStore(op) : verifyOp(op)))
      return failure();
  }
  ModuleOp module = program.module;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isExternal() && failed(verifyReturn(function)))
      return failure();
  }
  return success();
}

namespace {
struct DistVerifyPass : pcc::impl::DistVerifyPassBase<DistVerifyPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    markAllAnalysesPreserved();
    if (failed(verifyBuckets(module)) || failed(verifyAdded(module)) ||
        failed(verifyRounding(module)))
      return signalPassFailure();
    MeshOp mesh = findMesh(module);
    if (!mesh)
      return;
    if (module->hasAttr(kSpmdAttr)) {
      if (failed(verifySpmd(module)))
        signalPassFailure();
      return;
    }
    FailureOr<Program> program = Program::read(module, mesh);
    if (failed(program))
      return signalPassFailure();
    auto layouts = program->readLayouts("dist-insert-reshards");
    if (failed(layouts) ||
        failed(PlanVerifier(*program, std::move(*layouts)).run()))
      signalPassFailure();
  }
};
} // namespace
