//===- Projection.cpp - From dims of values to factors of ops -------------===//

#include "passes/Sharding/Projection.h"
#include <tuple>

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

bool pcc::hasFactor(const ValueFactors &value, int factor) {
  return llvm::any_of(value, [factor](const DimFactors &dim) {
    return llvm::is_contained(dim, factor);
  });
}

FactorAxes pcc::readFactors(const Mesh &mesh, const ShardedOp &op) {
  FactorAxes factors;
  if (auto attr = op.op->getAttrOfType<ArrayAttr>(kFactorsAttr))
    for (auto list : attr.getAsRange<ArrayAttr>()) {
      factors.emplace_back();
      for (auto name : list.getAsRange<StringAttr>())
        factors.back().push_back(*mesh.find(name));
    }
  factors.resize(op.rule.factors.size());
  return factors;
}

FactorAxes pcc::distribute(const Mesh &mesh, ArrayRef<Axis> axes,
                           const DimFactors &factors,
                           const ShardingRule &rule) {
  FactorAxes taken(factors.size());
  size_t at = 0;
  int64_t left = factors.empty() ? 1 : rule.factors[factors[0]].size;
  for (Axis axis : axes) {
    while (left == 1 && at + 1 < factors.size())
      left = rule.factors[factors[++at]].size;
    if (factors.empty() || rule.factors[factors[at]].unshardable ||
        left % mesh.extent(axis))
      break;
    taken[at].push_back(axis);
    left /= mesh.extent(axis);
  }
  return taken;
}

AxisList pcc::dimAxes(const DimFactors &dim, const FactorAxes &factors) {
  AxisList axes;
  for (int factor : dim)
    llvm::append_range(axes, factors[factor]);
  return axes;
}

SmallVector<AxisList, 4> pcc::valueAxes(const ValueFactors &value,
                                        const FactorAxes &factors) {
  SmallVector<AxisList, 4> dims;
  for (const DimFactors &dim : value)
    dims.push_back(dimAxes(dim, factors));
  return dims;
}

/// Extends a factor's axes by a longer list if that begins with them.
static void extend(AxisList &present, ArrayRef<Axis> wanted) {
  if (wanted.size() > present.size() &&
      wanted.take_front(present.size()) == ArrayRef<Axis>(present))
    present.assign(wanted.begin(), wanted.end());
}

/// Drops the axes of minor factors of merged dims unless the major factors are
/// split into single elements.
static void dropUnreachable(const Mesh &mesh, const ShardingRule &rule,
                            const ValueFactors &value, FactorAxes &factors) {
  for (const DimFactors &dim : value) {
    bool usedUp = true;
    for (int factor : dim) {
      if (!usedUp)
        factors[factor].clear();
      usedUp &= rule.factors[factor].size == mesh.extent(factors[factor]);
    }
  }
}

Projection pcc::project(const Program &program, const ShardedOp &op) {
  const Mesh &mesh = program.mesh;
  struct Request {
    int factor;
    AxisList axes;
    unsigned value, position;
  };
  SmallVector<Request> requests;
  op.forEach([&](unsigned value, const ValueFactors &dims, unsigned position) {
    for (auto [axes, dim] : llvm::zip_equal(program[value].dims, dims)) {
      FactorAxes taken = distribute(mesh, axes, dim, op.rule);
      for (auto [factor, list] : llvm::zip_equal(dim, taken))
        if (!list.empty())
          requests.push_back({factor, list, value, position});
    }
  });

  // The priority of a request for an axis: level, parameters first, position.
  using Key = std::tuple<int64_t, bool, unsigned>;
  SmallVector<std::optional<std::pair<Key, int>>> winners(mesh.size());
  for (const Request &request : requests)
    for (Axis axis : request.axes) {
      const ShardedValue &value = program[request.value];
      Key key{value.origins[axis].level,
              value.kind != ShardedValue::Kind::Param, request.position};
      if (!winners[axis] || key < winners[axis]->first)
        winners[axis] = {key, request.factor};
    }

  Projection result;
  result.factors.resize(op.rule.factors.size());
  for (const auto &winner : winners)
    result.levels.push_back(winner ? std::get<0>(winner->first) : 0);
  for (const Request &request : requests) {
    auto own = llvm::ArrayRef(request.axes)
                   .take_while([&winners, &request](Axis axis) {
                     return winners[axis]->second == request.factor;
                   });
    extend(result.factors[request.factor], own);
  }
  op.forEach([&](unsigned, const ValueFactors &dims, unsigned) {
    dropUnreachable(mesh, op.rule, dims, result.factors);
  });
  return result;
}

SmallVector<AxisList, 4> pcc::usableAxes(const Program &program,
                                         const ShardedOp &op,
                                         unsigned position) {
  const Mesh &mesh = program.mesh;
  FactorAxes factors(op.rule.factors.size());
  ValueFactors own;
  op.forEach([&](unsigned value, const ValueFactors &dims, unsigned at) {
    if (at != position)
      return;
    own = dims;
    for (auto [axes, dim] : llvm::zip_equal(program[value].dims, dims))
      for (auto [factor, list] :
           llvm::zip_equal(dim, distribute(mesh, axes, dim, op.rule)))
        factors[factor] = list;
  });
  op.forEach([&](unsigned, const ValueFactors &dims, unsigned) {
    dropUnreachable(mesh, op.rule, dims, factors);
  });
  return valueAxes(own, factors);
}

FactorAxes pcc::factorsOf(const Mesh &mesh, const ShardingRule &rule,
                          ArrayRef<Layout> operands, ArrayRef<Layout> results) {
  FactorAxes factors(rule.factors.size());
  auto collect = [&](const Layout &layout, const ValueFactors &dims) {
    for (auto [axes, dim] : llvm::zip_equal(layout.dims, dims))
      for (auto [factor, list] :
           llvm::zip_equal(dim, distribute(mesh, axes, dim, rule)))
        extend(factors[factor], list);
  };
  for (auto [layout, dims] : llvm::zip_equal(operands, rule.operands))
    collect(layout, dims);
  for (auto [layout, dims] : llvm::zip_equal(results, rule.results))
    collect(layout, dims);
  return factors;
}

AxisSet pcc::missingAxes(const ShardingRule &rule, const ValueFactors &result,
                         const FactorAxes &factors) {
  AxisSet missing;
  for (int i = 0, end = factors.size(); i < end; ++i) {
    if (!hasFactor(result, i) && !rule.factors[i].resolved)
      missing = missing | AxisSet(factors[i]);
  }
  return missing;
}
