//===- SeedData.cpp - Shards batches and sequences over the data axes -----===//

#include "dialects/NN/Names.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Seeds.h"

namespace pcc {
#define GEN_PASS_DEF_DISTSEEDDATAPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

struct DistSeedDataPass : pcc::impl::DistSeedDataPassBase<DistSeedDataPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp mesh = findMesh(module);
    if (!mesh)
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, mesh);
    if (failed(program))
      return signalPassFailure();
    for (unsigned i = 0; i < program->values.size(); ++i)
      if ((*program)[i].kind == ShardedValue::Kind::Input &&
          failed(seedInput(*program, i)))
        return signalPassFailure();
    AxisSet sequence = program->mesh.withRole(AxisRole::Sequence);
    if (!sequence.empty() && !hasSequence)
      module.emitWarning() << "--" << userName(program->mesh, sequence)
                           << " splits no computation: no input of the model "
                              "is a sequence of tokens";
  }

  LogicalResult seedInput(const Program &program, unsigned number);

  /// Whether an input has a sequence for each sample.
  bool hasSequence = false;
};

} // namespace

/// Returns the batch of a function. A function of counts may have inputs that
/// do not show it; @microbatch does.
static int64_t batchOfProgram(func::FuncOp function) {
  auto module = function->getParentOfType<ModuleOp>();
  auto whole = module.lookupSymbol<func::FuncOp>(kMicrobatch);
  return batchOf(whole ? whole : function);
}

LogicalResult DistSeedDataPass::seedInput(const Program &program,
                                          unsigned number) {
  const Mesh &mesh = program.mesh;
  const ShardedValue &value = program[number];
  auto function = cast<func::FuncOp>(value.owner);
  unsigned index = cast<BlockArgument>(value.value).getArgNumber();
  std::optional<InputRole> role = roleOf(function, index);
  unsigned rank = value.type.getRank();
  InputDims dims = dimsOf(function, index);
  bool isBatched = dims.batch && (role != InputRole::Data ||
                                  value.type.getDimSize(*dims.batch) ==
                                      batchOfProgram(function));
  // Inputs that are equal for all samples, such as positions, are not sharded.
  // Nor are the starts of documents: the runtime computes them from a whole
  // sample, and attention with whole sequences of some heads needs all of them.
  bool isSequence =
      dims.batch && dims.sequence && role != InputRole::DocumentStarts;
  hasSequence |= isSequence;
  Seed seed{DataLevel, {}, /*open=*/false, "an input's batch and sequence"};
  seed.dims.resize(rank);
  auto split = [&](AxisRole axisRole, AxisSet axes, unsigned dim,
                   StringRef what) -> LogicalResult {
    int64_t size = value.type.getDimSize(dim);
    int64_t ranks = mesh.extent(axes.list());
    if (size % ranks) {
      // The ranks of --ep are ranks of --dp.
      bool isExpert = mesh.role(axes.list().front()) == AxisRole::Expert;
      InFlightDiagnostic diag =
          cannotSplit(function, value.name, ranks,
                      isExpert ? StringRef("dp") : userName(mesh, axes));
      diag << "a " << what << " of " << size << " is not a multiple of "
           << ranks;
      noteValidValues(diag, function.getLoc(), axisRole, size);
      return diag;
    }
    llvm::append_range(seed.dims[dim], axes.list());
    return success();
  };
  if (isBatched &&
      failed(split(AxisRole::Data, mesh.batchAxes(), *dims.batch, "batch")))
    return failure();
  if (isSequence &&
      failed(split(AxisRole::Sequence, mesh.withRole(AxisRole::Sequence),
                   *dims.sequence, "sequence")))
    return failure();
  if (rank)
    addSeed(program, number, seed);
  return success();
}
