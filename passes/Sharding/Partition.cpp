//===- Partition.cpp - Turns the global program into one rank's -----------===//

#include "dialects/NN/Location.h"
#include "passes/Sharding/Passes.h"
#include "passes/Sharding/Projection.h"
#include "passes/Sharding/Reshard.h"

namespace pcc {
#define GEN_PASS_DEF_DISTPARTITIONPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

namespace {

/// Copies the stage, the segment and the mark of the backward pass from the
/// current op to every created op.
struct Inheritor : OpBuilder::Listener {
  Operation *from = nullptr;

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (from)
      inheritStage(op, from);
  }
};

/// Sets the sharding of a value on its op.
void setShardingOf(const Mesh &mesh, Value value, const Layout &layout) {
  auto result = cast<OpResult>(value);
  SmallVector<ShardingAttr> all;
  for (OpResult other : result.getOwner()->getResults())
    all.push_back(other == result ? mesh.attr(layout) : getSharding(other));
  setShardings(result.getOwner(), all);
}

/// The context in which an op builds its local form.
class LocalContext : public PartitionContext {
public:
  LocalContext(const Mesh &mesh, const ShardedOp &op, FactorAxes factors,
               SmallVector<Type> results)
      : mesh(mesh), op(op), factors(std::move(factors)),
        results(std::move(results)) {}

  ValueRange getOperands() const override { return op.op->getOperands(); }
  TypeRange getResultTypes() const override { return results; }
  const ShardingRule &getRule() const override { return op.rule; }
  bool isSharded(ArrayRef<int> dim) const override {
    return !dimAxes(DimFactors(dim), factors).empty();
  }
  Value getOffset(OpBuilder &builder, ArrayRef<int> dim) override {
    int64_t extent = 1;
    for (int factor : dim)
      extent *= op.rule.factors[factor].size / mesh.extent(factors[factor]);
    return OffsetOp::create(builder, op.op->getLoc(),
                            RankedTensorType::get({}, builder.getI64Type()),
                            mesh.names(dimAxes(DimFactors(dim), factors)),
                            extent);
  }
  Value allReduce(OpBuilder &builder, Value value, const ValueFactors &dims,
                  ArrayRef<int> dim,
                  nn::PartitionContext::Reduction reduction) override {
    bool isMax = reduction == Reduction::Max;
    AxisList axes = dimAxes(DimFactors(dim), factors);
    Layout layout;
    layout.dims = valueAxes(dims, factors);
    Layout part = layout;
    (isMax ? part.partialMax : part.partial) = AxisSet(axes);
    setShardingOf(mesh, value, part);
    Value whole =
        AllReduceOp::create(builder, op.op->getLoc(),
                            isMax ? dist::Reduction::Max : dist::Reduction::Sum,
                            ValueRange(value), mesh.names(axes))
            .getResult(0);
    setShardingOf(mesh, whole, layout);
    return whole;
  }

private:
  const Mesh &mesh;
  const ShardedOp &op;
  FactorAxes factors;
  SmallVector<Type> results;
};

class Partitioner {
public:
  Partitioner(const Program &program, std::vector<Layout> layouts);
  LogicalResult run();

private:
  LogicalResult localize(Operation &op);
  LogicalResult localizeRuled(const ShardedOp &op);
  void lower(ReshardOp op);
  Value lower(const ReshardStep &step, Value input, Type local, Location loc);
  void localizeArguments(func::FuncOp function);
  void localizeSignature(func::FuncOp function);
  void localizeSymbols();

  Type localType(unsigned number) const {
    return mesh.localType(program[number].type, layouts[number]);
  }

  const Program &program;
  const Mesh &mesh;
  Inheritor inheritor;
  OpBuilder builder;
  std::vector<Layout> layouts; ///< by value number
  llvm::DenseMap<Operation *, const ShardedOp *> byOp;
};

} // namespace

Partitioner::Partitioner(const Program &program, std::vector<Layout> layouts)
    : program(program), mesh(program.mesh),
      builder(ModuleOp(program.module).getContext(), &inheritor),
      layouts(std::move(layouts)) {
  for (const ShardedOp &op : program.ops)
    byOp[op.op] = &op;
}

/// Lowers one step of a reshard.
Value Partitioner::lower(const ReshardStep &step, Value input, Type local,
                         Location loc) {
  ArrayAttr axes = mesh.names(step.axes);
  switch (step.kind) {
  case ReshardStep::Kind::AllToAll:
    return AllToAllOp::create(builder, loc, local, input, step.dim, step.to,
                              axes);
  case ReshardStep::Kind::ReduceScatter:
    return ReduceScatterOp::create(builder, loc, local, input, step.dim, axes);
  case ReshardStep::Kind::Slice:
    return ShardSliceOp::create(builder, loc, local, input, step.dim, axes);
  case ReshardStep::Kind::AllGather:
    return AllGatherOp::create(builder, loc, local, input, step.dim, axes);
  case ReshardStep::Kind::AllReduce:
    return AllReduceOp::create(builder, loc, dist::Reduction::Sum,
                               ValueRange(input), axes)
        .getResult(0);
  case ReshardStep::Kind::Spread: {
    // Stages are no replicas: each has parameters of its own.
    int64_t replicas = 1;
    for (Axis axis : step.axes)
      if (mesh.role(axis) != AxisRole::Pipeline)
        replicas *= mesh.extent(axis);
    // A value of one stage only is a valid partial sum over stages.
    if (replicas == 1 && input.hasOneUse() && input.getDefiningOp())
      return input;
    return ScaleOp::create(builder, loc, local, input,
                           builder.getF64FloatAttr(1.0 / replicas));
  }
  }
  llvm_unreachable("unknown step");
}

void Partitioner::lower(ReshardOp op) {
  builder.setInsertionPoint(op);
  Value value = op.getInput();
  Value input = value;
  auto type = cast<RankedTensorType>(op.getType());
  for (const ReshardStep &step :
       planReshard(mesh.layout(op.getSource()), mesh.layout(op.getTarget()))) {
    value = lower(step, value, mesh.localType(type, step.after), op.getLoc());
    setShardingOf(mesh, value, step.after);
  }
  if (Attribute id = op->getAttr(kIdAttr); id && value != input)
    value.getDefiningOp()->setAttr(kIdAttr, id);
  op.getResult().replaceAllUsesWith(value);
  op.erase();
}

LogicalResult Partitioner::localizeRuled(const ShardedOp &op) {
  SmallVector<Layout> operands, results;
  SmallVector<Type> types;
  for (unsigned number : op.operands)
    operands.push_back(layouts[number]);
  for (unsigned number : op.results) {
    results.push_back(layouts[number]);
    types.push_back(localType(number));
  }
  auto partition = dyn_cast<PartitionInterface>(op.op);
  if (!partition) {
    for (auto [result, type] : llvm::zip_equal(op.op->getResults(), types))
      result.setType(type);
    // Only a splat constant is sharded.
    auto constant = dyn_cast<ConstantOp>(op.op);
    // Without ids CSE merges equal zeros, one for each cleared state.
    if (constant && isZero(constant))
      constant->removeAttr(kIdAttr);
    if (constant && constant.getValue().getType() != types[0])
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue())
                                .resizeSplat(cast<ShapedType>(types[0])));
    return success();
  }
  LocalContext context(mesh, op, factorsOf(mesh, op.rule, operands, results),
                       types);
  builder.setInsertionPoint(op.op);
  FailureOr<SmallVector<Value>> local = partition.buildLocal(builder, context);
  if (failed(local))
    return failure();
  Operation *last = local->front().getDefiningOp();
  for (NamedAttribute attr : op.op->getDiscardableAttrs())
    last->setAttr(attr.getName(), attr.getValue());
  op.op->replaceAllUsesWith(*local);
  op.op->erase();
  return success();
}

LogicalResult Partitioner::localize(Operation &op) {
  inheritor.from = &op;
  if (auto reshard = dyn_cast<ReshardOp>(op)) {
    lower(reshard);
    return success();
  }
  if (auto read = dyn_cast<ReadOp>(op)) {
    read.getResult().setType(
        cast<RankedTensorType>(localType(program.numberOf(read.getResult()))));
    return success();
  }
  auto it = byOp.find(&op);
  if (it == byOp.end() || isa<WriteOp, AccumulateOp>(op))
    return success();
  return localizeRuled(*it->second);
}

/// Makes arguments local; their global types, which the runtime needs to fill
/// them, stay in attributes.
void Partitioner::localizeArguments(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments()) {
    function.setArgAttr(argument.getArgNumber(), kGlobalAttr,
                        TypeAttr::get(argument.getType()));
    argument.setType(localType(program.numberOf(argument)));
  }
}

/// Updates a function's type from its body; the global result types stay in
/// attributes.
void Partitioner::localizeSignature(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  for (auto [i, result] : llvm::enumerate(type.getResults()))
    function.setResultAttr(i, kGlobalAttr, TypeAttr::get(result));
  SmallVector<Type> results;
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(value.getType());
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getBody().getArgumentTypes(), results));
}

void Partitioner::localizeSymbols() {
  for (unsigned i = 0; i < program.values.size(); ++i) {
    const ShardedValue &value = program[i];
    if (value.value)
      continue;
    value.owner->setAttr(kGlobalAttr, TypeAttr::get(value.type));
    value.owner->setAttr("type", TypeAttr::get(localType(i)));
  }
}

/// Merges consecutive sum all_reduces of scalars over the same axes, in the
/// same stage, into one at the later position, unless an op up to there needs
/// the earlier result.
static void mergeScalars(func::FuncOp function) {
  auto isScalarSum = [](AllReduceOp op) {
    return op.getReduction() == dist::Reduction::Sum &&
           llvm::all_of(op.getInputs().getTypes(), [](Type type) {
             return cast<RankedTensorType>(type).getRank() == 0;
           });
  };
  auto all = llvm::to_vector(
      llvm::make_filter_range(function.getOps<AllReduceOp>(), isScalarSum));
  for (size_t i = 0; i + 1 < all.size(); ++i) {
    AllReduceOp first = all[i], second = all[i + 1];
    bool usedBefore = llvm::any_of(first->getUsers(), [&](Operation *user) {
      return user->getBlock() == second->getBlock() &&
             (user->isBeforeInBlock(second) || user == second);
    });
    if (first.getAxes() != second.getAxes() || usedBefore ||
        first->getAttr(kStageAttr) != second->getAttr(kStageAttr))
      continue;
    SmallVector<Value> inputs(first.getInputs());
    llvm::append_range(inputs, second.getInputs());
    OpBuilder builder(second);
    auto joint = AllReduceOp::create(
        builder, first.getLoc(), first.getReduction(), inputs, first.getAxes());
    inheritStage(joint, second);
    SmallVector<ShardingAttr> layouts;
    for (AllReduceOp op : {first, second})
      for (OpResult result : op->getResults())
        layouts.push_back(getSharding(result));
    setShardings(joint, layouts);
    unsigned split = first.getNumResults();
    first->replaceAllUsesWith(joint.getResults().take_front(split));
    second->replaceAllUsesWith(joint.getResults().drop_front(split));
    first.erase();
    second.erase();
    all[i + 1] = joint;
  }
}

LogicalResult Partitioner::run() {
  ModuleOp module = program.module;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    localizeArguments(function);
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
      if (failed(localize(op)))
        return failure();
    localizeSignature(function);
    mergeScalars(function);
  }
  localizeSymbols();
  module->setAttr(kSpmdAttr, builder.getUnitAttr());
  return success();
}

namespace {
struct DistPartitionPass : pcc::impl::DistPartitionPassBase<DistPartitionPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(kSpmdAttr))
      return;
    MeshOp mesh = findMesh(module);
    if (!mesh)
      return markAllAnalysesPreserved();
    FailureOr<Program> program = Program::read(module, mesh);
    if (failed(program))
      return signalPassFailure();
    auto layouts = program->readLayouts("dist-insert-reshards");
    if (failed(layouts) ||
        failed(Partitioner(*program, std::move(*layouts)).run()))
      signalPassFailure();
  }
};
} // namespace
