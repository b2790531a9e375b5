//===- SeedSequence.cpp - Splits norms and residuals by sequence ----------===//

#include "passes/Sharding/Passes.h"
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

/// [batch, sequence, ...]
constexpr unsigned kSequenceDim = 1;

struct DistSeedSequencePass
    : pcc::impl::DistSeedSequencePassBase<DistSeedSequencePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp meshOp = findMesh(module);
    if (!meshOp || Mesh(meshOp).tensorAxes().empty())
      return;
    FailureOr<Program> program = Program::read(module, meshOp);
    if (failed(program))
      return signalPassFailure();
    for (const ShardedOp &op : program->ops) {
      if (!isForward(op.op))
        continue;
      auto lookup = dyn_cast<EmbeddingOp>(op.op);
      if (isRowParallel(*program, op) || (lookup && isTokenLookup(lookup)))
        if (failed(seed(*program, op)))
          return signalPassFailure();
    }
  }

  LogicalResult seed(const Program &program, const ShardedOp &op) {
    const Mesh &mesh = program.mesh;
    unsigned result = op.results[0];
    RankedTensorType type = program[result].type;
    if (type.getRank() < 3) {
      mlir::emitRemark(op.op->getLoc())
          << "'" << layerName(op.op)
          << "' is not split by the sequence: " << type
          << " is no [batch, sequence, ...]";
      return success();
    }
    // What a learned query pools, say: one position beside longer sequences.
    if (type.getDimSize(kSequenceDim) == 1) {
      mlir::emitRemark(op.op->getLoc())
          << "'" << layerName(op.op)
          << "' is not split by the sequence: it has one position";
      return success();
    }
    AxisSet axes = mesh.tensorAxes();
    int64_t ranks =
        mesh.extent((axes | mesh.withRole(AxisRole::Sequence)).list());
    if (type.getDimSize(kSequenceDim) % ranks) {
      InFlightDiagnostic diag =
          cannotSplit(op.op, layerName(op.op), mesh, axes);
      diag << "a sequence of " << type.getDimSize(kSequenceDim)
           << " is not a multiple of " << ranks
           << ", which --sequence-parallel needs";
      diag.attachNote(op.op->getLoc())
          << "leave --sequence-parallel out, or choose --seq a multiple of "
          << ranks;
      return diag;
    }
    addSeed(program, result, kSequenceDim, axes, SequenceLevel,
            "sequence parallelism");
    return success();
  }
};

} // namespace
