//===- SeedSequence.cpp - Sequence parallelism of norms and residuals -----===//

#include "analysis/Axes.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Projection.h"
#include "passes/Sharding/Seeds.h"

namespace pcc {
#define GEN_PASS_DEF_DISTSEEDSEQUENCEPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

/// Returns the dims of an op's result that do not come from its operand
/// `weight`.
SmallVector<unsigned> dimsOfRows(const ShardedOp &op, unsigned weight) {
  SmallVector<unsigned> dims;
  for (auto [dim, factors] : llvm::enumerate(op.rule.results[0]))
    if (llvm::none_of(factors, [&](int factor) {
          return hasFactor(op.rule.operands[weight], factor);
        }))
      dims.push_back(dim);
  return dims;
}

struct DistSeedSequencePass
    : pcc::impl::DistSeedSequencePassBase<DistSeedSequencePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp meshOp = findMesh(module);
    if (!meshOp || Mesh(meshOp).tensorAxes().empty())
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, meshOp);
    if (failed(program))
      return signalPassFailure();
    analysis::SequenceFinder sequences;
    for (const ShardedOp &op : program->ops) {
      if (!isForward(op.op))
        continue;
      auto lookup = dyn_cast<EmbeddingOp>(op.op);
      bool isRow = isRowParallel(*program, op);
      if (!isRow && (!lookup || !isTokenLookup(lookup)))
        continue;
      unsigned weight = isRow ? *weightOf(op) : 1;
      if (failed(seed(*program, op, sequences, dimsOfRows(op, weight))))
        return signalPassFailure();
    }
  }

  LogicalResult seed(const Program &program, const ShardedOp &op,
                     analysis::SequenceFinder &sequences,
                     ArrayRef<unsigned> rows) {
    const Mesh &mesh = program.mesh;
    unsigned result = op.results[0];
    RankedTensorType type = program[result].type;
    std::optional<unsigned> dim = sequences.find(op.op->getResult(0), rows);
    if (type.getRank() < 3 || !dim) {
      mlir::emitRemark(op.op->getLoc())
          << "'" << layerName(op.op)
          << "' is not split by the sequence: " << type
          << " is no [batch, sequence, ...]";
      return success();
    }
    // For example the result of a learned pooling query, which has one
    // position.
    int64_t length = type.getDimSize(*dim);
    if (length == 1) {
      mlir::emitRemark(op.op->getLoc())
          << "'" << layerName(op.op)
          << "' is not split by the sequence: it has one position";
      return success();
    }
    AxisSet axes = mesh.tensorAxes();
    int64_t ranks =
        mesh.extent((axes | mesh.withRole(AxisRole::Sequence)).list());
    if (length % ranks) {
      InFlightDiagnostic diag =
          cannotSplit(op.op, layerName(op.op), mesh, axes);
      diag << "a sequence of " << length << " is not a multiple of " << ranks
           << ", which --sequence-parallel needs";
      diag.attachNote(op.op->getLoc())
          << "leave --sequence-parallel out, or choose --seq a multiple of "
          << ranks;
      return diag;
    }
    addSeed(program, result, *dim, axes, SequenceLevel, "sequence parallelism");
    return success();
  }
};

} // namespace
