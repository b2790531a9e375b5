//===- SeedTensor.cpp - Chooses the dims that tensor parallelism splits ---===//

#include "mlir/Support/DebugStringHelper.h"
#include "passes/Sharding/Components.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Seeds.h"
#include <numeric>

namespace pcc {
#define GEN_PASS_DEF_DISTSEEDTENSORPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

/// The sizes of a component that limit the number of tensor ranks.
struct Extents {
  struct Heads {
    int64_t query, key;
    /// Whether n tensor ranks could split them with the axes that dist-mesh
    /// declares.
    bool allow(int64_t n) const {
      return key % n == 0 || (n % key == 0 && query % n == 0);
    }
  };
  /// The distinct head counts of attention ops.
  SmallVector<Heads, 1> heads;
  /// The greatest common divisor of the major factors; used for components
  /// without attention.
  int64_t common = 0;
  int64_t count = 0; ///< the smallest major factor

  bool allows(int64_t n) const {
    if (heads.empty())
      return common % n == 0;
    return llvm::all_of(heads, [n](Heads one) { return one.allow(n); });
  }
  /// Returns a bound on the allowed numbers.
  int64_t most() const { return heads.empty() ? common : heads[0].query; }
};

struct DistSeedTensorPass
    : pcc::impl::DistSeedTensorPassBase<DistSeedTensorPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp mesh = findMesh(module);
    if (!mesh || Mesh(mesh).tensorAxes().empty())
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, mesh);
    if (failed(program))
      return signalPassFailure();
    if (failed(seed(*program)))
      signalPassFailure();
  }

  LogicalResult seed(const Program &program);
  SmallVector<Extents> extentsOf(const Program &program,
                                 const Components &components,
                                 ArrayRef<Components::Choice> choices);
  LogicalResult refuse(const Program &program, const Components::Choice &choice,
                       const Extents &extents, ArrayRef<Extents> all);
  LogicalResult seedClasses(const Program &program,
                            const Components &components, bool &found);
};

} // namespace

/// Whether the tensor axes can split an attention's heads. A hand-written mesh
/// may lack the two axes that grouped queries need: the first ones split the
/// key/value heads down to one, which the others replicate.
static bool fit(const Mesh &mesh, Extents::Heads heads) {
  AxisList axes = mesh.tensorAxes().list();
  int64_t rest = heads.key;
  for (Axis axis : axes)
    if (rest % mesh.extent(axis) == 0)
      rest /= mesh.extent(axis);
    else if (rest > 1)
      return false;
  return heads.allow(mesh.extent(axes));
}

/// Returns the sizes by choice.
SmallVector<Extents>
DistSeedTensorPass::extentsOf(const Program &program,
                              const Components &components,
                              ArrayRef<Components::Choice> choices) {
  SmallVector<Extents> all(choices.size());
  // Dims that no choice splits have no requirement.
  DenseMap<unsigned, Extents *> byComponent;
  for (auto [choice, extents] : llvm::zip_equal(choices, all)) {
    const WeightUse &use = choice.uses[0];
    byComponent[components.find({use.param, use.dim})] = &extents;
  }
  auto find = [&](ValueDim dim) {
    return byComponent.lookup(components.find(dim));
  };
  for (const ShardedOp &op : program.ops) {
    if (!isForward(op.op))
      continue;
    op.forEach([&](unsigned value, const ValueFactors &factors, unsigned) {
      for (auto [dim, list] : llvm::enumerate(factors)) {
        ValueDim member{value, static_cast<unsigned>(dim)};
        Extents *extents = list.empty() ? nullptr : find(member);
        if (!extents)
          continue;
        int64_t size = op.rule.factors[majorFactor(op.rule, list)].size;
        extents->common = std::gcd(extents->common, size);
        if (!extents->count || size < extents->count)
          extents->count = size;
      }
    });
    auto attention = dyn_cast<AttentionOp>(op.op);
    Extents *extents = attention ? find({op.operands[0], 2}) : nullptr;
    if (!extents)
      continue;
    Extents::Heads heads{tensorType(attention.getQ()).getDimSize(2),
                         tensorType(attention.getK()).getDimSize(2)};
    bool isKnown = llvm::any_of(extents->heads, [&](Extents::Heads one) {
      return one.query == heads.query && one.key == heads.key;
    });
    if (!isKnown)
      extents->heads.push_back(heads);
  }
  return all;
}

/// Returns the type of a parameter in the user's file, if it has one there.
static RankedTensorType sourceType(const ShardedValue &weight) {
  auto param = dyn_cast<ParamOp>(weight.owner);
  SourceAttr source = param ? param.getSource() : SourceAttr();
  return source ? cast<RankedTensorType>(source.getType()) : weight.type;
}

LogicalResult DistSeedTensorPass::refuse(const Program &program,
                                         const Components::Choice &choice,
                                         const Extents &extents,
                                         ArrayRef<Extents> all) {
  const Mesh &mesh = program.mesh;
  AxisSet axes = mesh.tensorAxes();
  int64_t ranks = mesh.extent(axes.list());
  auto column = llvm::find_if(choice.uses,
                              [](const WeightUse &use) { return !use.isRow; });
  const ShardedValue &weight = program[column->param];
  InFlightDiagnostic diag =
      cannotSplit(column->op->op, layerName(column->op->op), mesh, axes);
  StringRef what = "columns";
  if (!extents.heads.empty()) {
    what = "heads";
    auto wrong = llvm::find_if(
        extents.heads, [&](Extents::Heads one) { return !fit(mesh, one); });
    if (wrong->query % ranks)
      diag << wrong->query << " heads are not a multiple of " << ranks;
    else
      diag << wrong->key << " key/value heads are not a multiple of " << ranks
           << ", nor is " << ranks << " of them";
  } else {
    diag << extents.count << " columns are not a multiple of " << ranks;
  }
  // Diagnostics would put quotes around a type.
  diag.attachNote(weight.owner->getLoc())
      << what << " come from weight '" << weight.name
      << "' : " << debugString(sourceType(weight));
  Diagnostic &note = diag.attachNote(column->op->op->getLoc());
  note << "valid values for --tp are 1";
  int64_t most = 0;
  for (const Extents &one : all)
    most = std::max(most, one.most());
  for (int64_t n = 2; n <= most; ++n)
    if (llvm::all_of(all, [&](const Extents &one) { return one.allows(n); }))
      note << ", " << n;
  if (isa<ExpertsOp>(column->op->op))
    diag.attachNote(column->op->op->getLoc())
        << "--etp 1 splits the experts over --tp instead of each expert";
  return diag;
}

LogicalResult DistSeedTensorPass::seedClasses(const Program &program,
                                              const Components &components,
                                              bool &found) {
  const Mesh &mesh = program.mesh;
  AxisSet axes = mesh.tensorAxes();
  int64_t ranks = mesh.extent(axes.list());
  // A parameter that training and evaluation share is seeded once.
  auto add = [&](Operation *op, unsigned value, unsigned dim,
                 StringRef what) -> LogicalResult {
    found = true;
    if (components.isUnsplittable({value, dim})) {
      mlir::emitRemark(op->getLoc())
          << "the " << what << " of '" << layerName(op) << "' stay whole on "
          << "each of " << ranks << " tensor-parallel ranks: another op needs "
          << "all of them";
      return success();
    }
    int64_t size = program[value].type.getDimSize(dim);
    if (size % ranks) {
      InFlightDiagnostic diag = cannotSplit(op, layerName(op), mesh, axes);
      diag << size << " " << what << " are not a multiple of " << ranks;
      diag.attachNote(program[value].owner->getLoc())
          << what << " come from '" << program[value].name
          << "' : " << debugString(program[value].type);
      diag.attachNote(op->getLoc())
          << "pad them: --nn-pad-vocab=multiple=" << ranks;
      return diag;
    }
    for (SeedAttr seed : getSeeds(program[value]))
      if (seed.getLevel() == TensorLevel &&
          !seed.getSharding().getDims()[dim].getAxes().empty())
        return success();
    addSeed(program, value, dim, axes, TensorLevel, what);
    return success();
  };
  for (const ShardedOp &op : program.ops) {
    if (!isForward(op.op))
      continue;
    if (isa<CrossEntropyOp>(op.op)) {
      unsigned logits = op.operands[0];
      unsigned last = program[logits].type.getRank() - 1;
      if (failed(add(op.op, logits, last, "classes")))
        return failure();
    }
    auto lookup = dyn_cast<EmbeddingOp>(op.op);
    if (lookup && isTokenLookup(lookup) &&
        failed(add(op.op, op.operands[1], 0, "table rows")))
      return failure();
  }
  return success();
}

LogicalResult DistSeedTensorPass::seed(const Program &program) {
  const Mesh &mesh = program.mesh;
  Components components(program);
  std::vector<Components::Choice> choices = components.choose(program);
  // Of experts that tensor axes split already each one stays whole.
  bool found = !choices.empty();
  llvm::erase_if(choices, [&](const Components::Choice &choice) {
    return llvm::any_of(choice.uses, [&](const WeightUse &use) {
      return isa<ExpertsOp>(use.op->op) &&
             isSeededOver(program[use.param], mesh, mesh.tensorAxes());
    });
  });
  SmallVector<Extents> extents = extentsOf(program, components, choices);

  int64_t ranks = mesh.extent(mesh.tensorAxes().list());
  for (auto [choice, extent] : llvm::zip_equal(choices, extents)) {
    bool fits = extent.heads.empty()
                    ? extent.allows(ranks)
                    : llvm::all_of(extent.heads, [&](Extents::Heads heads) {
                        return fit(mesh, heads);
                      });
    if (!fits)
      return refuse(program, choice, extent, extents);
    for (const WeightUse &use : choice.uses)
      if (use.isRow &&
          (getSeeds(program[use.param]).empty() ||
           (isa<ExpertsOp>(use.op->op) &&
            !isSeededOver(program[use.param], mesh, mesh.tensorAxes()))))
        addSeed(program, use.param, use.dim, mesh.tensorAxes(), TensorLevel,
                "row-parallel weight");
  }
  if (failed(seedClasses(program, components, found)))
    return failure();
  if (!found) {
    ModuleOp module = program.module;
    InFlightDiagnostic diag = module.emitError();
    diag << "cannot split the model " << ranks << " ways over mesh axis \""
         << userName(mesh, mesh.tensorAxes())
         << "\": no pair of layers is column then row parallel";
    diag.attachNote() << "use --tp 1, and --dp or --pp to use more ranks";
    return diag;
  }
  return success();
}
