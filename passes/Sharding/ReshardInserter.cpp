//===- ReshardInserter.cpp - Inserts reshards for partial sums ------------===//

#include "passes/Sharding/ReshardInserter.h"
#include "dialects/NN/Location.h"
#include "passes/Sharding/Reshard.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

static Attribute stageOf(Operation *op) { return op->getAttr(kStageAttr); }

/// Returns the region of an op: its stage, and whether it is in the backward
/// pass.
static Attribute regionOf(Operation *op) {
  Attribute stage = stageOf(op);
  Builder builder(op->getContext());
  return builder.getArrayAttr({builder.getBoolAttr(op->hasAttr(kBackwardAttr)),
                               stage ? stage : builder.getUnitAttr()});
}

ReshardInserter::ReshardInserter(Program &program)
    : program(program), mesh(program.mesh),
      builder(program.module.getContext()) {
  for (const ShardedOp &op : program.ops) {
    byOp[op.op] = &op;
    factors[op.op] = readFactors(mesh, op);
  }
}

Layout ReshardInserter::chosenLayout(Value value, AxisSet partial) const {
  const ShardedValue &info = program[program.numberOf(value)];
  Layout layout(info.dims.size());
  for (auto [dim, axes] : llvm::zip_equal(layout.dims, info.dims))
    for (Axis axis : axes) {
      if (partial.contains(axis))
        break;
      dim.push_back(axis);
    }
  layout.partial = partial;
  return layout;
}

bool ReshardInserter::crossesStages(Operation *def, Operation *user) {
  return stageOf(def) && stageOf(user) && stageOf(def) != stageOf(user);
}

/// Whether an op accumulates into a state, or is the sum that is accumulated
/// there.
static bool isSummedUp(Operation *op) {
  return isa<AccumulateOp>(op) || (isa<SumOp>(op) && op->hasOneUse() &&
                                   isa<AccumulateOp>(*op->user_begin()));
}

bool ReshardInserter::passes(OpOperand &use, Axis axis) const {
  Operation *user = use.getOwner();
  auto it = byOp.find(user);
  if (it == byOp.end())
    return false; // a function's result
  // A value is reduced before it crosses a stage cut. Exception: gradients of a
  // parameter that two stages share, because each stage accumulates its own.
  if (Operation *def = use.get().getDefiningOp())
    if (crossesStages(def, user) && !isSummedUp(user))
      return false;
  const ShardedOp &op = *it->second;
  if (isa<AccumulateOp>(user))
    return !program[op.results[0]].uses(axis);
  const ShardingRule &rule = op.rule;
  unsigned operand = use.getOperandNumber();
  if (rule.kind == ShardingRule::Kind::None || !rule.linear[operand])
    return false;
  if (rule.kind == ShardingRule::Kind::Additive)
    return true;
  // The axis must not shard a factor that another operand has or that this
  // operand lacks: partial sums would be multiplied by the wrong parts.
  for (auto [factor, axes] : llvm::enumerate(factors.lookup(user))) {
    if (!llvm::is_contained(axes, axis))
      continue;
    if (!hasFactor(rule.operands[operand], factor))
      return false;
    for (auto [i, other] : llvm::enumerate(rule.operands))
      if (i != operand && hasFactor(other, factor))
        return false;
  }
  return true;
}

Value ReshardInserter::reshard(const Placed &from, const Layout &to,
                               Operation *user) {
  if (from.layout == to)
    return from.value;
  bool gathers = llvm::any_of(planReshard(from.layout, to), [](auto &step) {
    return step.kind == ReshardStep::Kind::AllGather;
  });
  Attribute where = gathers ? regionOf(user) : Attribute();
  if (!gathers)
    where = stageOf(user) ? stageOf(user) : builder.getUnitAttr();
  ShardingAttr target = mesh.attr(to);
  auto &known = cache[{from.value, target}];
  for (auto [place, value] : known)
    if (place == where)
      return value;
  auto op = ReshardOp::create(builder, user->getLoc(), from.value.getType(),
                              from.value, mesh.attr(from.layout), target);
  inheritStage(op, user);
  known.push_back({where, op.getResult()});
  layouts[op.getResult()] = to;
  return op.getResult();
}

/// Returns the operand sharding for which an op's result has a given sharding;
/// nothing if an operand dim has no dim of its own in the result, or if the op
/// cannot split the result so.
static std::optional<Layout> sourceLayout(const ShardingRule &rule,
                                          const Layout &result) {
  auto isUnshardable = [&](int factor) {
    return rule.factors[factor].unshardable;
  };
  for (auto [dim, axes] : llvm::zip_equal(rule.results[0], result.dims))
    if (!axes.empty() && llvm::any_of(dim, isUnshardable))
      return std::nullopt;
  Layout source;
  source.partial = result.partial;
  for (const DimFactors &dim : rule.operands[0]) {
    auto same = llvm::find(rule.results[0], dim);
    if (same != rule.results[0].end())
      source.dims.push_back(result.dims[same - rule.results[0].begin()]);
    else if (dim.size() == 1 && isUnshardable(dim[0]))
      source.dims.emplace_back();
    else
      return std::nullopt;
  }
  return source;
}

bool ReshardInserter::resolveBeforeEnlarging(ArrayRef<Placed> members,
                                             const Layout &to) {
  struct Source {
    Operation *op;
    Placed from;
    Layout to;
  };
  std::vector<Source> sources;
  int64_t before = 0, after = 0;
  for (const Placed &member : members) {
    Operation *op = member.value.getDefiningOp();
    auto ruled = op ? byOp.find(op) : byOp.end();
    if (ruled == byOp.end() || op->getNumOperands() != 1 ||
        op->getNumResults() != 1 || !member.value.hasOneUse())
      return false;
    const ShardingRule &rule = ruled->second->rule;
    Value source = op->getOperand(0);
    auto known = layouts.find(source);
    if (rule.kind != ShardingRule::Kind::Multiplicative || !rule.linear[0] ||
        known == layouts.end() ||
        stageOf(op) != stageOf(*member.value.user_begin()))
      return false;
    auto due = sourceLayout(rule, to);
    if (!due)
      return false;
    auto elements = [&](Value value, const Layout &layout) {
      return mesh.localType(tensorType(value), layout).getNumElements();
    };
    before += elements(source, known->second);
    after = elements(member.value, member.layout);
    sources.push_back({op, {source, known->second}, *due});
  }
  if (before >= after)
    return false;
  OpBuilder::InsertionGuard guard(builder);
  for (const Source &source : sources) {
    builder.setInsertionPoint(source.op);
    Value resolved = reshard(source.from, source.to, source.op);
    // A reshard that was inserted for a later user is moved here.
    Operation *made = resolved.getDefiningOp();
    if (made->getBlock() == source.op->getBlock() &&
        !made->isBeforeInBlock(source.op))
      made->moveBefore(source.op);
    source.op->setOperand(0, resolved);
    layouts[source.op->getResult(0)] = to;
  }
  return true;
}

void ReshardInserter::resolve(Value result, Operation *at) {
  Placed &now = placed[result];
  AxisSet partial = now.layout.partial, stays = partial;
  for (Axis axis : partial.list())
    for (OpOperand &use : result.getUses())
      if (!isa<ReshardOp>(use.getOwner()) && !passes(use, axis))
        stays.erase(axis);
  if (stays == partial)
    return;
  // Gradients are reduced over the data axes first: where that leaves only a
  // shard, reductions over other axes move less.
  AxisSet data = partial & mesh.dataAxes(), rest = partial - data;
  if (isa<ReadOp>(at) && !(data - stays).empty() && !(rest - stays).empty() &&
      cast<RankedTensorType>(result.getType()).getRank() > 0) {
    Layout between = chosenLayout(result, rest | stays);
    now = {reshard(now, between, at), between};
  }
  Layout final = chosenLayout(result, stays);
  now = {reshard(now, final, at), final};
}
