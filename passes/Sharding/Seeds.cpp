//===- Seeds.cpp - Seeds of sharding propagation --------------------------===//

#include "passes/Sharding/Seeds.h"
#include "passes/Sharding/Projection.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

static ArrayAttr append(ArrayAttr seeds, SeedAttr seed) {
  SmallVector<Attribute> all;
  if (seeds)
    llvm::append_range(all, seeds);
  all.push_back(seed);
  return ArrayAttr::get(seed.getContext(), all);
}

void pcc::addSeed(const Program &program, unsigned number, const Seed &seed) {
  const ShardedValue &value = program[number];
  const Mesh &mesh = program.mesh;
  Layout layout;
  layout.dims = seed.dims;
  ShardingAttr closed = mesh.attr(layout);
  SmallVector<DimAttr> dims;
  for (DimAttr dim : closed.getDims())
    dims.push_back(DimAttr::get(dim.getContext(), dim.getAxes(), seed.open));
  auto sharding =
      ShardingAttr::get(mesh.getContext(), closed.getMesh(), dims,
                        closed.getPartial(), closed.getPartialMax());
  unsigned result = 0;
  if (auto opResult = dyn_cast_or_null<OpResult>(value.value))
    result = opResult.getResultNumber();
  auto attr = SeedAttr::get(mesh.getContext(), seed.level, result, sharding,
                            seed.reason);
  if (auto argument = dyn_cast_or_null<BlockArgument>(value.value)) {
    auto function = cast<func::FuncOp>(value.owner);
    unsigned index = argument.getArgNumber();
    function.setArgAttr(
        index, kSeedsAttr,
        append(function.getArgAttrOfType<ArrayAttr>(index, kSeedsAttr), attr));
    return;
  }
  value.owner->setAttr(
      kSeedsAttr,
      append(value.owner->getAttrOfType<ArrayAttr>(kSeedsAttr), attr));
}

void pcc::addSeed(const Program &program, unsigned value, unsigned dim,
                  AxisSet axes, int64_t level, StringRef reason) {
  Seed seed{level, {}, /*open=*/true, reason.str()};
  seed.dims.resize(program[value].type.getRank());
  seed.dims[dim] = axes.list();
  addSeed(program, value, seed);
}

SmallVector<SeedAttr> pcc::getSeeds(const ShardedValue &value) {
  ArrayAttr all;
  unsigned result = 0;
  if (auto argument = dyn_cast_or_null<BlockArgument>(value.value)) {
    all = cast<func::FuncOp>(value.owner)
              .getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kSeedsAttr);
  } else {
    all = value.owner->getAttrOfType<ArrayAttr>(kSeedsAttr);
    if (value.value)
      result = cast<OpResult>(value.value).getResultNumber();
  }
  SmallVector<SeedAttr> seeds;
  if (all)
    for (auto seed : all.getAsRange<SeedAttr>())
      if (seed.getResult() == result)
        seeds.push_back(seed);
  return seeds;
}

bool pcc::isSeededOver(const ShardedValue &value, const Mesh &mesh,
                       AxisSet axes) {
  return llvm::any_of(getSeeds(value), [&](SeedAttr seed) {
    return !(mesh.layout(seed.getSharding()).split() & axes).empty();
  });
}

/// Whether another operand than `weight` has a factor.
static bool isInOther(const ShardingRule &rule, unsigned weight, int factor) {
  for (auto [i, operand] : llvm::enumerate(rule.operands))
    if (i != weight && hasFactor(operand, factor))
      return true;
  return false;
}

bool pcc::isRowParallel(const Program &program, const ShardedOp &op) {
  std::optional<unsigned> weight = weightOf(op);
  if (!weight)
    return false;
  const Mesh &mesh = program.mesh;
  const ShardingRule &rule = op.rule;
  for (SeedAttr seed : getSeeds(program[op.operands[*weight]])) {
    if (seed.getLevel() != TensorLevel)
      continue;
    for (auto [factors, axes] : llvm::zip_equal(
             rule.operands[*weight], mesh.layout(seed.getSharding()).dims))
      if (!(AxisSet(axes) & mesh.tensorAxes()).empty() &&
          isInOther(rule, *weight, factors.front()) &&
          !hasFactor(rule.results[0], factors.front()))
        return true;
  }
  return false;
}

/// Returns the flag of pcc that declares axes of a role.
static StringRef flagOf(AxisRole role) {
  switch (role) {
  case AxisRole::Pipeline:
    return "pp";
  case AxisRole::Data:
    return "dp";
  case AxisRole::Sequence:
    return "cp";
  case AxisRole::Tensor:
    return "tp";
  case AxisRole::Expert:
    return "ep";
  }
  llvm_unreachable("unknown role");
}

StringRef pcc::userName(const Mesh &mesh, AxisSet axes) {
  Axis first = axes.list().front();
  return impliedRole(mesh.name(first)) ? flagOf(mesh.role(first))
                                       : StringRef(mesh.name(first));
}

InFlightDiagnostic pcc::cannotSplit(Operation *op, StringRef node,
                                    const Mesh &mesh, AxisSet axes) {
  return cannotSplit(op, node, mesh.extent(axes.list()), userName(mesh, axes));
}

InFlightDiagnostic pcc::cannotSplit(Operation *op, StringRef node, int64_t ways,
                                    StringRef axes) {
  return mlir::emitError(op->getLoc())
         << "cannot split '" << node << "' " << ways
         << " ways over mesh axis \"" << axes << "\": ";
}

void pcc::noteValidValues(InFlightDiagnostic &diag, Location loc, AxisRole role,
                          int64_t size) {
  Diagnostic &note = diag.attachNote(loc);
  note << "valid values for --" << flagOf(role) << " are 1";
  for (int64_t n = 2; n <= size; ++n)
    if (size % n == 0)
      note << ", " << n;
}
