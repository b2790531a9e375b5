//===- AttentionHeads.cpp - Moves context axes to attention's heads -------===//

#include "dialects/NN/Location.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Projection.h"

namespace pcc {
#define GEN_PASS_DEF_DISTATTENTIONHEADSPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

struct DistAttentionHeadsPass
    : pcc::impl::DistAttentionHeadsPassBase<DistAttentionHeadsPass> {
  using DistAttentionHeadsPassBase::DistAttentionHeadsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp meshOp = findMesh(module);
    if (!meshOp || Mesh(meshOp).withRole(AxisRole::Sequence).empty())
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, meshOp);
    if (failed(program))
      return signalPassFailure();
    // All attention of a model moves, or none: the choice is one of the plan.
    SmallVector<const ShardedOp *> all;
    for (const ShardedOp &op : program->ops) {
      if (!isa<AttentionOp, AttentionGradOp>(op.op))
        continue;
      Split split(*program, op);
      if (split.context.empty())
        continue;
      if (!split.fits()) {
        if (isAsked && failed(refuse(*program, op, split)))
          signalPassFailure();
        return;
      }
      all.push_back(&op);
    }
    for (const ShardedOp *op : all)
      Split(*program, *op).move();
    if (isAsked && all.empty())
      module.emitWarning()
          << "--cp-comm-type a2a changes nothing: no attention "
             "has its sequence split";
  }

  /// The axes of an attention's queries and heads.
  struct Split {
    Split(const Program &program, const ShardedOp &op)
        : mesh(program.mesh), op(op) {
      // Queries, and the cotangent of the result, are [b, s, (g r), d].
      queries = op.rule.operands[0][1].front();
      heads = op.rule.operands[0][2].front();
      factors = readFactors(mesh, op);
      AxisSet sequence = mesh.withRole(AxisRole::Sequence);
      for (Axis axis : factors[queries])
        if (sequence.contains(axis))
          context.push_back(axis);
    }

    /// The key/value heads of a rank.
    int64_t headsOfRank() const {
      return op.rule.factors[heads].size / mesh.extent(factors[heads]);
    }
    /// Whether a rank's heads can be divided further. Ranks that share a
    /// key/value head have no whole one.
    bool fits() const {
      for (int repeats : llvm::drop_begin(op.rule.operands[0][2]))
        if (!factors[repeats].empty())
          return false;
      return headsOfRank() % mesh.extent(context) == 0;
    }
    void move() {
      llvm::erase_if(factors[queries], [&](Axis axis) {
        return llvm::is_contained(context, axis);
      });
      llvm::append_range(factors[heads], context);
      SmallVector<Attribute> names;
      for (const AxisList &axes : factors)
        names.push_back(mesh.names(axes));
      op.op->setAttr(kFactorsAttr, ArrayAttr::get(op.op->getContext(), names));
    }

    const Mesh &mesh;
    const ShardedOp &op;
    int queries, heads;
    FactorAxes factors;
    AxisList context;
  };

  static LogicalResult refuse(const Program &program, const ShardedOp &op,
                              const Split &split) {
    int64_t ranks = program.mesh.extent(split.context);
    InFlightDiagnostic diag = op.op->emitError();
    diag << "--cp-comm-type a2a: attention";
    if (StringRef node = sourceNode(op.op->getLoc()); !node.empty())
      diag << " of '" << node << "'";
    diag << " has " << split.headsOfRank()
         << (split.headsOfRank() == 1 ? " key/value head" : " key/value heads")
         << " on a tensor-parallel rank, not a multiple of cp " << ranks;
    diag.attachNote(op.op->getParentOfType<ModuleOp>().getLoc())
        << "--cp-comm-type allgather gathers keys and values instead";
    return diag;
  }
};

} // namespace
