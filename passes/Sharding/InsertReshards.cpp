//===- InsertReshards.cpp - Makes changes of sharding explicit ------------===//
//
// Propagation has chosen the axes of dims. This pass finds partial sums, and
// inserts a dist.reshard wherever an op needs an operand in another sharding.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/Location.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/ReshardInserter.h"
#include "passes/Training/Entry.h"

namespace pcc {
#define GEN_PASS_DEF_DISTINSERTRESHARDSPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

class Inserter : public ReshardInserter {
public:
  using ReshardInserter::ReshardInserter;
  LogicalResult run();

private:
  LogicalResult runOnFunction(func::FuncOp function);
  void emitRead(ReadOp op);
  void emitOp(const ShardedOp &op);
  void emitSum(const ShardedOp &op);
  LogicalResult emitAccumulate(const ShardedOp &op);
  void emitWrite(const ShardedOp &op);
  void emitReturn(func::ReturnOp op);
  void annotate(Operation *op);

  /// The shardings of states that are accumulated into.
  llvm::DenseMap<StringAttr, Layout> stateLayouts;
};

} // namespace

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

  // The partial sums that this op passes on.
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
      // Only this operand or a result uses the axis: remove it, and the axes
      // after it, from the factors.
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
    // The sum of squares becomes a share of the whole sum: each of n replicas
    // counts as 1/n, so that one all_reduce over all axes adds all of them.
    if (isa<SumOfSquaresOp>(op.op) && layout.partial != mesh.all()) {
      Layout spread = layout;
      spread.partial = mesh.all();
      placed[result] = {reshard(placed[result], spread, op.op), spread};
    }
    resolve(result, op.op);
  }
}

/// Adds operands that are partial over the same axes first. Each such group is
/// reduced once, except over the axes that all groups are partial over.
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
  /// Returns the sharding of the op's dims up to the first axis in `partial`,
  /// and partial over that.
  auto dimsWithout = [&](AxisSet partial) {
    FactorAxes left = axes;
    for (AxisList &list : left)
      list.truncate(
          llvm::ArrayRef(list)
              .take_while([&](Axis axis) { return !partial.contains(axis); })
              .size());
    Layout layout;
    layout.dims = valueAxes(op.rule.results[0], left);
    layout.partial = partial;
    return layout;
  };

  // Axes that all groups are partial over may be reduced later, after the sum.
  AxisSet common = mesh.all();
  for (const Group &group : groups)
    common = common & group.partial;
  builder.setInsertionPoint(op.op);
  Layout whole = dimsWithout(common);
  SmallVector<Value> terms;
  for (Group &group : groups) {
    Layout layout = dimsWithout(group.partial);
    // Operands from another stage are reduced before they are sent.
    llvm::erase_if(group.members, [&](const Placed &member) {
      Operation *def = member.value.getDefiningOp();
      if (group.partial == common || !def || !crossesStages(def, op.op))
        return false;
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfter(def);
      terms.push_back(reshard(member, whole, def));
      return true;
    });
    if (group.members.empty())
      continue;
    // Parts that insert, pad or broadcast enlarge are reduced before that.
    if (layout != whole && resolveBeforeEnlarging(group.members, whole)) {
      for (const Placed &member : group.members)
        terms.push_back(member.value);
      continue;
    }
    SmallVector<Value> members;
    for (const Placed &member : group.members)
      members.push_back(reshard(member, layout, op.op));
    if (layout == whole) {
      llvm::append_range(terms, members);
      continue;
    }
    Placed added{members[0], layout};
    if (members.size() > 1) {
      auto part =
          SumOp::create(builder, op.op->getLoc(), sum.getType(), members);
      inheritStage(part, op.op);
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

/// Chooses the sharding of a state that is accumulated into: the parameter's
/// dims, partial over the axes that the backward pass leaves.
LogicalResult Inserter::emitAccumulate(const ShardedOp &op) {
  const ShardedValue &symbol = program[op.results[0]];
  Placed value = placed.lookup(op.op->getOperand(0));
  Layout wanted;
  wanted.dims = symbol.dims;
  wanted.partial = value.layout.partial - wanted.split();
  // Sums such as the loss are added to by the stage that computes them and stay
  // zero on the others.
  AxisSet others;
  // Counts are computed by every stage that reads them.
  if (cast<StateOp>(symbol.owner).getKind() == StateKind::Sum &&
      !symbol.owner->hasAttr(kAheadAttr))
    others = mesh.withRole(AxisRole::Pipeline);
  Layout layout = wanted;
  layout.partial = wanted.partial | others;
  StringAttr name = SymbolTable::getSymbolName(symbol.owner);
  auto [state, isNew] = stateLayouts.try_emplace(name, layout);
  if (!isNew) {
    // The state has a sharding from another value; this value is reduced to
    // match it.
    wanted.partial = wanted.partial & state->second.partial;
    layout.partial = wanted.partial | others;
    if (layout != state->second) {
      InFlightDiagnostic diag =
          op.op->emitError()
          << "adds a value with sharding " << mesh.attr(layout)
          << " to a state with sharding " << mesh.attr(state->second);
      diag.attachNote(symbol.owner->getLoc()) << "the state is here";
      return diag;
    }
  }
  builder.setInsertionPoint(op.op);
  op.op->setOperand(0, reshard(value, wanted, op.op));
  return success();
}

void Inserter::emitWrite(const ShardedOp &op) {
  const ShardedValue &symbol = program[op.results[0]];
  Layout wanted;
  wanted.dims = symbol.dims;
  auto state = stateLayouts.find(SymbolTable::getSymbolName(symbol.owner));
  if (state != stateLayouts.end())
    wanted.partial = state->second.partial;
  builder.setInsertionPoint(op.op);
  // Zero is a sum of zeros over any axes. So the zero that clears a state gets
  // the state's axes of partial sums.
  auto constant = op.op->getOperand(0).getDefiningOp<ConstantOp>();
  if (constant && isZero(constant)) {
    auto zero = cast<ConstantOp>(builder.clone(*constant));
    inheritStage(zero, op.op);
    layouts[zero.getResult()] = wanted;
    op.op->setOperand(0, zero.getResult());
    if (constant->use_empty())
      constant->erase();
    return;
  }
  Placed value = placed.lookup(op.op->getOperand(0));
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

LogicalResult Inserter::runOnFunction(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    placed[argument] = {argument, chosenLayout(argument, {})};
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      emitRead(read);
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      emitReturn(ret);
    } else if (isa<AccumulateOp>(op)) {
      if (failed(emitAccumulate(*byOp.lookup(op))))
        return failure();
    } else if (isa<WriteOp>(op)) {
      emitWrite(*byOp.lookup(op));
    } else if (isa<SumOp>(op)) {
      emitSum(*byOp.lookup(op));
    } else {
      emitOp(*byOp.lookup(op));
    }
  }
  return success();
}

LogicalResult Inserter::run() {
  // Functions that accumulate determine the shardings of states, so they come
  // before functions that only read them.
  SmallVector<func::FuncOp> functions;
  for (auto function : program.module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  for (bool accumulates : {true, false})
    for (func::FuncOp function : functions)
      if (function.getOps<AccumulateOp>().empty() != accumulates &&
          failed(runOnFunction(function)))
        return failure();
  int64_t id = 0;
  for (func::FuncOp function : functions)
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
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, mesh);
    if (failed(program))
      return signalPassFailure();
    auto layouts = program->readLayouts("dist-propagate");
    if (failed(layouts))
      return signalPassFailure();
    for (auto [value, layout] : llvm::zip_equal(program->values, *layouts))
      value.dims = layout.dims;
    if (failed(Inserter(*program).run()))
      signalPassFailure();
  }
};
} // namespace
