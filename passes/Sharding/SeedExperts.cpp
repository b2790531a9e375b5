//===- SeedExperts.cpp - Splits experts over the expert axes --------------===//

#include "mlir/Support/DebugStringHelper.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Seeds.h"
#include <numeric>

namespace pcc {
#define GEN_PASS_DEF_DISTSEEDEXPERTSPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

struct DistSeedExpertsPass
    : pcc::impl::DistSeedExpertsPassBase<DistSeedExpertsPass> {
  using DistSeedExpertsPassBase::DistSeedExpertsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp meshOp = findMesh(module);
    Mesh mesh(meshOp);
    AxisSet axes;
    if (mesh)
      axes = mesh.expertAxes() | (whole ? mesh.tensorAxes() : AxisSet());
    if (axes.empty())
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, meshOp);
    if (failed(program) || failed(seed(*program, axes)))
      signalPassFailure();
  }

  LogicalResult seed(const Program &program, AxisSet axes);
  LogicalResult refuseWithout(const Program &program, AxisSet axes);
  LogicalResult refuse(const Program &program, const ShardedOp &op,
                       AxisSet axes);
};

} // namespace

LogicalResult DistSeedExpertsPass::refuseWithout(const Program &program,
                                                 AxisSet axes) {
  const Mesh &mesh = program.mesh;
  ModuleOp module = program.module;
  InFlightDiagnostic diag = module.emitError();
  int64_t ranks = mesh.extent(mesh.expertAxes().list());
  if (ranks > 1) {
    diag << "--ep " << ranks << " splits experts over " << ranks
         << " ranks, but the model has no experts";
    diag.attachNote() << "leave --ep out: its ranks share the batch as all "
                         "ranks of --dp do";
  } else {
    diag << "--etp 1 gives each of " << mesh.extent(axes.list())
         << " tensor-parallel ranks experts of its own, but the model has no "
            "experts";
    diag.attachNote() << "leave --etp out";
  }
  return diag;
}

/// Reports that the ranks are no divisor of an op's experts.
LogicalResult DistSeedExpertsPass::refuse(const Program &program,
                                          const ShardedOp &op, AxisSet axes) {
  const Mesh &mesh = program.mesh;
  int64_t ranks = mesh.extent(axes.list()), common = 0;
  int64_t tensor = mesh.extent((axes & mesh.tensorAxes()).list());
  for (const ShardedOp &other : program.ops)
    if (auto experts = dyn_cast<ExpertsOp>(other.op))
      common = std::gcd(common, tensorType(experts.getW2()).getShape().front());
  const ShardedValue &weight = program[op.operands[*weightOf(op)]];
  InFlightDiagnostic diag = cannotSplit(op.op, layerName(op.op), mesh, axes);
  diag << weight.type.getDimSize(0) << " experts are not a multiple of "
       << ranks;
  if (tensor > 1 && tensor < ranks)
    diag << " = --ep " << ranks / tensor << " x --tp " << tensor;
  diag.attachNote(weight.owner->getLoc())
      << "experts come from weight '" << weight.name
      << "' : " << debugString(weight.type);
  if (common % tensor) {
    diag.attachNote(op.op->getLoc())
        << "leave --etp 1 out: then --tp splits each expert";
    return diag;
  }
  // The ranks of --ep are ranks of --dp.
  noteValidValues(
      diag, op.op->getLoc(), AxisRole::Expert,
      std::gcd(common / tensor, mesh.extent(mesh.batchAxes().list())));
  return diag;
}

/// Whether an operand of a contraction has the gates by expert: it computes the
/// biases of the experts' results.
static bool hasGates(Value value, const llvm::DenseSet<Value> &ids) {
  if (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  auto spread = value.getDefiningOp<SpreadOp>();
  return spread && ids.contains(spread.getIds());
}

LogicalResult DistSeedExpertsPass::seed(const Program &program, AxisSet axes) {
  int64_t ranks = program.mesh.extent(axes.list());
  auto add = [&](unsigned value, unsigned dim, StringRef reason) {
    // A parameter that training and evaluation share is seeded once.
    if (getSeeds(program[value]).empty())
      addSeed(program, value, dim, axes, TensorLevel, reason);
  };
  llvm::DenseSet<Value> ids;
  for (const ShardedOp &op : program.ops) {
    auto experts = dyn_cast<ExpertsOp>(op.op);
    if (!experts || !isForward(op.op))
      continue;
    ids.insert(experts.getIds());
    unsigned weight = op.operands[*weightOf(op)];
    if (program[weight].type.getDimSize(0) % ranks)
      return refuse(program, op, axes);
    add(weight, 0, "experts");
  }
  if (ids.empty())
    return refuseWithout(program, axes);
  for (const ShardedOp &op : program.ops) {
    auto contract = dyn_cast<ContractOp>(op.op);
    std::optional<unsigned> bias;
    if (!contract || !isForward(op.op) || !(bias = weightOf(op)) ||
        !hasGates(contract->getOperand(1 - *bias), ids))
      continue;
    // The last dim of the gates is that of experts.
    int factor = op.rule.operands[1 - *bias].back().front();
    for (auto [dim, factors] : llvm::enumerate(op.rule.operands[*bias]))
      if (llvm::is_contained(factors, factor) &&
          program[op.operands[*bias]].type.getDimSize(dim) % ranks == 0)
        add(op.operands[*bias], dim, "biases of experts");
  }
  return success();
}
