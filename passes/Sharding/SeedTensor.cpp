//===- SeedTensor.cpp - --dist-seed-tensor --------------------------------===//

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

/// A type as diagnostics should show it, which put quotes around types.
std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The sizes that must be multiples of the number of tensor ranks for a
/// component to be split.
struct Extents {
  /// Of the attention op with the fewest heads; null if there is none.
  Operation *attention = nullptr;
  int64_t queryHeads = 0, keyHeads = 0;
  /// Over all other major factors, where there is no attention.
  int64_t common = 0;
  int64_t count = 0; ///< the smallest of them

  /// Whether n tensor ranks could split it, dist-mesh declaring the axes.
  bool allows(int64_t n) const {
    if (attention)
      return keyHeads % n == 0 || (n % keyHeads == 0 && queryHeads % n == 0);
    return common % n == 0;
  }
};

struct DistSeedTensorPass
    : pcc::impl::DistSeedTensorPassBase<DistSeedTensorPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp mesh = findMesh(module);
    if (!mesh || Mesh(mesh).tensorAxes().empty())
      return;
    Program program(module, mesh);
    if (failed(seed(program)))
      signalPassFailure();
  }

  LogicalResult seed(const Program &program);
  Extents extentsOf(const Program &program, const Components &components,
                    const Components::Choice &choice);
  LogicalResult refuse(const Program &program, const Components::Choice &choice,
                       const Extents &extents, ArrayRef<Extents> all);
  LogicalResult seedClasses(const Program &program, bool &found);
};

} // namespace

Extents DistSeedTensorPass::extentsOf(const Program &program,
                                      const Components &components,
                                      const Components::Choice &choice) {
  unsigned component =
      components.find({choice.uses[0].param, choice.uses[0].dim});
  Extents extents;
  for (const ShardedOp &op : program.ops) {
    if (!isForward(op.op))
      continue;
    op.forEach([&](unsigned value, const ValueFactors &factors, unsigned) {
      for (auto [dim, list] : llvm::enumerate(factors)) {
        ValueDim member{value, static_cast<unsigned>(dim)};
        if (list.empty() || components.find(member) != component)
          continue;
        int64_t size = op.rule.factors[list.front()].size;
        extents.common = std::gcd(extents.common, size);
        if (!extents.count || size < extents.count)
          extents.count = size;
      }
    });
    auto attention = dyn_cast<AttentionOp>(op.op);
    if (!attention || components.find({op.operands[0], 2}) != component)
      continue;
    int64_t heads = tensorType(attention.getQ()).getDimSize(2);
    if (extents.attention && extents.queryHeads <= heads)
      continue;
    extents.attention = op.op;
    extents.queryHeads = heads;
    extents.keyHeads = tensorType(attention.getK()).getDimSize(2);
  }
  return extents;
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
  if (extents.attention) {
    what = "heads";
    if (extents.queryHeads % ranks)
      diag << extents.queryHeads << " heads are not a multiple of " << ranks;
    else
      diag << extents.keyHeads << " key/value heads are not a multiple of "
           << ranks << ", nor is " << ranks << " of them";
  } else {
    diag << extents.count << " columns are not a multiple of " << ranks;
  }
  diag.attachNote(weight.owner->getLoc())
      << what << " come from weight '" << weight.name
      << "' : " << print(weight.type);
  Diagnostic &note = diag.attachNote(column->op->op->getLoc());
  note << "valid values for --tp are 1";
  int64_t most = 0;
  for (const Extents &one : all)
    most = std::max(most, one.attention ? one.queryHeads : one.common);
  for (int64_t n = 2; n <= most; ++n)
    if (llvm::all_of(all, [&](const Extents &one) { return one.allows(n); }))
      note << ", " << n;
  return diag;
}

LogicalResult DistSeedTensorPass::seedClasses(const Program &program,
                                              bool &found) {
  const Mesh &mesh = program.mesh;
  AxisSet axes = mesh.tensorAxes();
  int64_t ranks = mesh.extent(axes.list());
  // Whole over two functions (training and evaluation) when of one parameter.
  auto add = [&](Operation *op, unsigned value, unsigned dim,
                 StringRef what) -> LogicalResult {
    found = true;
    int64_t size = program[value].type.getDimSize(dim);
    if (size % ranks) {
      InFlightDiagnostic diag = cannotSplit(op, layerName(op), mesh, axes);
      diag << size << " " << what << " are not a multiple of " << ranks;
      diag.attachNote(program[value].owner->getLoc())
          << what << " come from '" << program[value].name
          << "' : " << print(program[value].type);
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
  SmallVector<Extents> extents;
  for (const Components::Choice &choice : choices)
    extents.push_back(extentsOf(program, components, choice));

  int64_t ranks = mesh.extent(mesh.tensorAxes().list());
  for (auto [choice, extent] : llvm::zip_equal(choices, extents)) {
    bool fits = extent.allows(ranks);
    // A mesh by hand may lack the two axes that grouped queries need.
    if (auto tp = mesh.find("tp"); tp && extent.attention)
      fits &= extent.keyHeads % mesh.extent(*tp) == 0 || extent.keyHeads == 1;
    if (!fits)
      return refuse(program, choice, extent, extents);
    for (const WeightUse &use : choice.uses)
      if (use.isRow && getSeeds(program[use.param]).empty())
        addSeed(program, use.param, use.dim, mesh.tensorAxes(), TensorLevel,
                "row-parallel weight");
  }
  bool found = !choices.empty();
  if (failed(seedClasses(program, found)))
    return failure();
  if (!found) {
    ModuleOp module = program.module;
    InFlightDiagnostic diag = module.emitError();
    diag << "cannot split the model " << ranks
         << " ways over mesh axis \"tp\": no pair of layers is column then "
            "row parallel";
    diag.attachNote() << "use --tp 1, and --dp or --pp to use more ranks";
    return diag;
  }
  return success();
}
