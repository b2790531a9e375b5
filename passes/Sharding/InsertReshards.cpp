//===- InsertReshards.cpp - --dist-insert-reshards ------------------------===//
//
// Propagation has chosen dims; here partial sums are found, and every place
// where a value lies differently from how an op takes it becomes an op.
//
//===----------------------------------------------------------------------===//

#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Projection.h"
#include "passes/Sharding/Reshard.h"
#include "llvm/ADT/MapVector.h"

namespace pcc {
#define GEN_PASS_DEF_DISTINSERTRESHARDSPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

/// A value of the rewritten program and how it lies.
struct Placed {
  Value value;
  Layout layout;
};

class Inserter {
public:
  explicit Inserter(Program &program);
  LogicalResult run();

private:
  void runOnFunction(func::FuncOp function);
  void emitRead(ReadOp op);
  void emitOp(const ShardedOp &op);
  void emitSum(const ShardedOp &op);
  void emitStore(const ShardedOp &op);
  void emitReturn(func::ReturnOp op);

  bool passes(OpOperand &use, Axis axis) const;
  void resolve(Value result, Operation *at);
  Value reshard(const Placed &from, const Layout &to, Operation *user);
  Layout chosenLayout(Value value, AxisSet partial) const;
  void annotate(Operation *op);

  Program &program;
  const Mesh &mesh;
  OpBuilder builder;
  llvm::DenseMap<Operation *, const ShardedOp *> byOp;
  llvm::DenseMap<Operation *, FactorAxes> factors;
  llvm::DenseMap<Value, Placed> placed;
  /// Of the results of new ops and of old ones.
  llvm::DenseMap<Value, Layout> layouts;
  llvm::DenseMap<StringAttr, Layout> stateLayouts;
  /// (value, target sharding, where it is used) -> resharded value.
  llvm::DenseMap<std::pair<Value, Attribute>,
                 SmallVector<std::pair<Attribute, Value>, 2>>
      cache;
  bool failedAny = false;
};

} // namespace

/// Where an op runs: its stage, and whether in the backward pass.
static Attribute stageOf(Operation *op) { return op->getAttr(kStageAttr); }

static Attribute regionOf(Operation *op) {
  Attribute stage = stageOf(op);
  Builder builder(op->getContext());
  return builder.getArrayAttr(
      {builder.getBoolAttr(op->hasAttr(kBackwardAttr)),
       stage ? stage : builder.getUnitAttr()});
}

/// Marks a new op as belonging where `op` does.
static void inherit(Operation *created, Operation *op) {
  for (StringRef name : {StringRef(kBackwardAttr), StringRef(kStageAttr)})
    if (Attribute attr = op->getAttr(name))
      created->setAttr(name, attr);
}

Inserter::Inserter(Program &program)
    : program(program), mesh(program.mesh),
      builder(program.module.getContext()) {
  for (const ShardedOp &op : program.ops) {
    byOp[op.op] = &op;
    FactorAxes &axes = factors[op.op];
    if (auto attr = op.op->getAttrOfType<ArrayAttr>(kFactorsAttr))
      for (auto list : attr.getAsRange<ArrayAttr>()) {
        axes.emplace_back();
        for (auto name : list.getAsRange<StringAttr>())
          axes.back().push_back(*mesh.find(name));
      }
    axes.resize(op.rule.factors.size());
  }
}

/// The layout propagation chose for a value that stays partial over some axes.
Layout Inserter::chosenLayout(Value value, AxisSet partial) const {
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

/// Whether a use may take its operand partial over an axis and hand it on.
bool Inserter::passes(OpOperand &use, Axis axis) const {
  Operation *user = use.getOwner();
  auto it = byOp.find(user);
  if (it == byOp.end())
    return false; // a function's result
  // An activation is resolved before it crosses a stage cut; the gradient of a
  // parameter that two stages share crosses as it is, to be reduced once.
  if (Operation *def = use.get().getDefiningOp())
    if (stageOf(def) && stageOf(user) && stageOf(def) != stageOf(user) &&
        !mesh.dataAxes().contains(axis))
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
  // A factor that another operand has, or that this one lacks, cannot be split
  // over the axis: its parts would be multiplied with the wrong sums.
  const ValueFactors &own = rule.operands[operand];
  auto has = [](const ValueFactors &value, int factor) {
    return llvm::any_of(value, [&](const DimFactors &dim) {
      return llvm::is_contained(dim, factor);
    });
  };
  for (auto [factor, axes] : llvm::enumerate(factors.lookup(user))) {
    if (!llvm::is_contained(axes, axis))
      continue;
    if (!has(own, factor))
      return false;
    for (auto [i, other] : llvm::enumerate(rule.operands))
      if (i != operand && has(other, factor))
        return false;
  }
  return true;
}

/// Reshards for `user`, before it; a reshard made earlier serves again, but a
/// gathered value never in another stage or from forward to backward.
Value Inserter::reshard(const Placed &from, const Layout &to,
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
  inherit(op, user);
  known.push_back({where, op.getResult()});
  layouts[op.getResult()] = to;
  return op.getResult();
}

/// Resolves, once and right here, the axes over which some use of a result
/// cannot take it partial. The builder stands behind the result's op.
void Inserter::resolve(Value result, Operation *at) {
  Placed &now = placed[result];
  AxisSet partial = now.layout.partial, stays = partial;
  for (Axis axis : partial.list())
    for (OpOperand &use : result.getUses())
      if (!isa<ReshardOp>(use.getOwner()) && !passes(use, axis))
        stays.erase(axis);
  if (stays == partial)
    return;
  // Gradients are added over the data axes first: what other axes they are
  // partial over then moves less, once the data axes leave only a shard.
  AxisSet data = partial & mesh.dataAxes(), rest = partial - data;
  if (isa<ReadOp>(at) && !(data - stays).empty() && !(rest - stays).empty() &&
      cast<RankedTensorType>(result.getType()).getRank() > 0) {
    Layout between = chosenLayout(result, rest | stays);
    now = {reshard(now, between, at), between};
  }
  Layout final = chosenLayout(result, stays);
  now = {reshard(now, final, at), final};
}

void Inserter::emitRead(ReadOp op) {
  auto state = stateLayouts.find(op.getSymbolAttr().getAttr());
  Layout layout = state != stateLayouts.end()
                      ? state->second
                      : chosenLayout(op.getResult(), {});
  layouts[op.getResult()] = layout;
  placed[op.getResult()] = {op.getResult(), layout};
  builder.setInsertionPointAfter(op);
  resolve(op.getResult(), op);
}

void Inserter::emitOp(const ShardedOp &op) {
  FactorAxes &axes = factors[op.op];
  const ShardingRule &rule = op.rule;
  SmallVector<Placed> operands;
  for (Value operand : op.op->getOperands())
    operands.push_back(placed.lookup(operand));

  // Which partial sums this op hands on.
  SmallVector<AxisSet> keep(operands.size());
  AxisSet kept;
  for (auto [i, operand] : llvm::enumerate(operands))
    for (Axis axis : operand.layout.partial.list()) {
      auto isPartial = [&](const Placed &other) {
        return other.layout.partial.contains(axis);
      };
      size_t count = llvm::count_if(operands, isPartial);
      bool alone = rule.kind == ShardingRule::Kind::Additive
                       ? count == operands.size()
                       : count == 1;
      if (!alone || !passes(op.op->getOpOperand(i), axis))
        continue;
      keep[i].insert(axis);
      kept.insert(axis);
      // Only this operand or a result wants the axis: it comes from a dim.
      for (AxisList &list : axes)
        if (auto it = llvm::find(list, axis); it != list.end())
          list.erase(it, list.end());
    }

  builder.setInsertionPoint(op.op);
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Layout wanted;
    wanted.dims = valueAxes(rule.operands[i], axes);
    wanted.partial = keep[i];
    op.op->setOperand(i, reshard(operand, wanted, op.op));
  }
  builder.setInsertionPointAfter(op.op);
  for (auto [result, dims] :
       llvm::zip_equal(op.op->getResults(), rule.results)) {
    Layout layout;
    layout.dims = valueAxes(dims, axes);
    layout.partial = missingAxes(rule, dims, axes) | kept;
    layouts[result] = layout;
    placed[result] = {result, layout};
    // What is summed here is a share of the whole sum: each of n replicas
    // counts as 1/n, so that one all_reduce over all axes adds all of them.
    if (isa<SumOfSquaresOp>(op.op) && layout.partial != mesh.all()) {
      Layout spread = layout;
      spread.partial = mesh.all();
      placed[result] = {reshard(placed[result], spread, op.op), spread};
    }
    resolve(result, op.op);
  }
}

/// Operands that are partial over the same axes are added first; each such
/// group is resolved once.
void Inserter::emitSum(const ShardedOp &op) {
  const FactorAxes &axes = factors[op.op];
  Value sum = op.op->getResult(0);
  struct Group {
    AxisSet partial;
    SmallVector<Placed> members;
  };
  SmallVector<Group> groups;
  for (Value operand : op.op->getOperands()) {
    Placed member = placed.lookup(operand);
    auto group = llvm::find_if(groups, [&](const Group &g) {
      return g.partial == member.layout.partial;
    });
    if (group == groups.end()) {
      groups.push_back({member.layout.partial, {}});
      group = std::prev(groups.end());
    }
    group->members.push_back(member);
  }
  /// The op's dims without what follows a partial axis.
  auto dimsWithout = [&](AxisSet partial) {
    FactorAxes left = axes;
    for (AxisList &list : left)
      list.truncate(llvm::ArrayRef(list)
                        .take_while([&](Axis axis) {
                          return !partial.contains(axis);
                        })
                        .size());
    Layout layout;
    layout.dims = valueAxes(op.rule.results[0], left);
    layout.partial = partial;
    return layout;
  };

  builder.setInsertionPoint(op.op);
  Layout whole = dimsWithout(groups.size() == 1 ? groups[0].partial
                                                : AxisSet());
  SmallVector<Value> terms;
  for (const Group &group : groups) {
    Layout layout = dimsWithout(group.partial);
    SmallVector<Value> members;
    for (const Placed &member : group.members)
      members.push_back(reshard(member, layout, op.op));
    if (layout == whole) {
      llvm::append_range(terms, members);
      continue;
    }
    Placed added{members[0], layout};
    if (members.size() > 1) {
      auto part = SumOp::create(builder, op.op->getLoc(), sum.getType(),
                                members);
      inherit(part, op.op);
      layouts[part.getResult()] = layout;
      added.value = part.getResult();
    }
    terms.push_back(reshard(added, whole, op.op));
  }
  op.op->setOperands(terms);
  layouts[sum] = whole;
  placed[sum] = {sum, whole};
  builder.setInsertionPointAfter(op.op);
  resolve(sum, op.op);
}

void Inserter::emitStore(const ShardedOp &op) {
  const ShardedValue &symbol = program[op.results[0]];
  Placed value = placed.lookup(op.op->getOperand(0));
  Layout wanted(symbol.dims.size());
  wanted.dims = symbol.dims;
  StringAttr name = SymbolTable::getSymbolName(symbol.owner);
  auto state = stateLayouts.find(name);
  builder.setInsertionPoint(op.op);
  if (isa<AccumulateOp>(op.op)) {
    wanted.partial = value.layout.partial - wanted.split();
    // The stage that has the loss adds to sums; those of the others stay zero.
    AxisSet others;
    if (cast<StateOp>(symbol.owner).getKind() == StateKind::Sum)
      if (auto pp = mesh.find("pp"))
        others.insert(*pp);
    Layout layout = wanted;
    layout.partial = wanted.partial | others;
    if (state == stateLayouts.end()) {
      stateLayouts[name] = layout;
    } else if (layout != state->second) {
      wanted.partial = wanted.partial & state->second.partial;
      layout.partial = wanted.partial | others;
      if (layout != state->second) {
        InFlightDiagnostic diag =
            op.op->emitError()
            << "adds a value partial over " << mesh.attr(layout)
            << " to a state that lies as " << mesh.attr(state->second);
        diag.attachNote(symbol.owner->getLoc()) << "the state is here";
        failedAny = true;
        return;
      }
    }
  } else if (state != stateLayouts.end()) {
    // Only zero is a sum of parts that are all alike.
    auto constant = op.op->getOperand(0).getDefiningOp<ConstantOp>();
    wanted.partial = state->second.partial;
    if (constant && isZero(constant)) {
      auto zero = cast<ConstantOp>(builder.clone(*constant));
      inherit(zero, op.op);
      layouts[zero.getResult()] = wanted;
      op.op->setOperand(0, zero.getResult());
      if (constant->use_empty())
        constant->erase();
      return;
    }
  }
  op.op->setOperand(0, reshard(value, wanted, op.op));
}

void Inserter::emitReturn(func::ReturnOp op) {
  builder.setInsertionPoint(op);
  auto function = op->getParentOfType<func::FuncOp>();
  for (OpOperand &operand : op->getOpOperands()) {
    Placed value = placed.lookup(operand.get());
    function.setResultAttr(operand.getOperandNumber(), kShardingAttr,
                           mesh.attr(value.layout));
    operand.set(value.value);
  }
}

void Inserter::annotate(Operation *op) {
  op->removeAttr(kFactorsAttr);
  SmallVector<Attribute> all;
  for (Value result : op->getResults())
    all.push_back(mesh.attr(layouts[result]));
  if (!all.empty())
    op->setAttr(kShardingsAttr, builder.getArrayAttr(all));
}

void Inserter::runOnFunction(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    placed[argument] = {argument, chosenLayout(argument, {})};
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (auto read = dyn_cast<ReadOp>(op))
      emitRead(read);
    else if (isa<AccumulateOp, WriteOp>(op))
      emitStore(*byOp.lookup(op));
    else if (auto ret = dyn_cast<func::ReturnOp>(op))
      emitReturn(ret);
    else if (isa<SumOp>(op))
      emitSum(*byOp.lookup(op));
    else
      emitOp(*byOp.lookup(op));
  }
}

LogicalResult Inserter::run() {
  // What accumulates to a state decides how it lies; readers follow.
  for (bool accumulates : {true, false})
    for (auto function : program.module.getOps<func::FuncOp>())
      if (function.getOps<AccumulateOp>().empty() != accumulates)
        runOnFunction(function);
  if (failedAny)
    return failure();
  int64_t id = 0;
  for (auto function : program.module.getOps<func::FuncOp>())
    for (Operation &op : function.getBody().front()) {
      annotate(&op);
      if (!isa<func::ReturnOp>(op))
        op.setAttr(kIdAttr, builder.getI64IntegerAttr(id++));
    }
  for (auto state : program.module.getOps<StateOp>())
    if (auto it = stateLayouts.find(state.getSymNameAttr());
        it != stateLayouts.end())
      state->setAttr(kShardingAttr, mesh.attr(it->second));
  return success();
}

namespace {
struct DistInsertReshardsPass
    : pcc::impl::DistInsertReshardsPassBase<DistInsertReshardsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp mesh = findMesh(module);
    if (!mesh)
      return;
    Program program(module, mesh);
    if (failed(program.loadShardings()) ||
        failed(Inserter(program).run()))
      signalPassFailure();
  }
};
} // namespace
