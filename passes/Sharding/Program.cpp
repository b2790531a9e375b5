//===- Program.cpp - A module as sharding passes see it -------------------===//

#include "passes/Sharding/Program.h"
#include "analysis/Dependence.h"
#include "dialects/NN/Location.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;
using namespace pcc::nn;

std::string pcc::layerName(Operation *op) {
  if (StringRef node = sourceNode(op->getLoc()); !node.empty())
    return node.str();
  if (auto symbol = dyn_cast<SymbolOpInterface>(op))
    return symbol.getName().str();
  return op->getName().getStringRef().str();
}

void ShardedOp::forEach(
    function_ref<void(unsigned, const ValueFactors &, unsigned)> visit) const {
  unsigned position = 0;
  for (auto [value, factors] : llvm::zip_equal(operands, rule.operands))
    visit(value, factors, position++);
  for (auto [value, factors] : llvm::zip_equal(results, rule.results))
    visit(value, factors, position++);
}

/// Checks that sharding passes support an op.
static LogicalResult checkKnown(Operation &op) {
  bool known = isa<ReadOp, WriteOp, AccumulateOp, ReshardOp, func::ReturnOp,
                   ShardingRuleInterface>(op);
  if (!known)
    return op.emitError() << "'" << op.getName()
                          << "' has no sharding rule; "
                             "only nn ops can be sharded";
  for (Value result : op.getResults())
    if (!isa<RankedTensorType>(result.getType()))
      return op.emitError()
             << "gives " << result.getType() << ", which is no ranked tensor";
  return success();
}

FailureOr<Program> Program::read(ModuleOp module, MeshOp mesh) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (!function.getBody().hasOneBlock())
      return function.emitError("has more than one block: a training program "
                                "has no branches");
    for (Type type : function.getArgumentTypes())
      if (!isa<RankedTensorType>(type))
        return function.emitError()
               << "takes " << type << ", which is no ranked tensor";
    for (Operation &op : function.getBody().front())
      if (failed(checkKnown(op)))
        return failure();
  }
  return Program(module, mesh);
}

Program::Program(ModuleOp module, MeshOp meshOp)
    : module(module), mesh(meshOp ? Mesh(meshOp) : Mesh()) {
  // About one per op; the entries are large.
  size_t count = module.getBody()->getOperations().size();
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      count += function.getBody().front().getOperations().size();
  values.reserve(count);
  ops.reserve(count);
  for (Operation &op : *module.getBody()) {
    ShardedValue value;
    value.owner = &op;
    if (auto param = dyn_cast<ParamOp>(op)) {
      value.kind = ShardedValue::Kind::Param;
      value.type = param.getTensorType();
      symbols[param.getSymName()] = add(value);
    } else if (auto state = dyn_cast<StateOp>(op)) {
      value.kind = ShardedValue::Kind::State;
      value.type = state.getTensorType();
      symbols[state.getSymName()] = add(value);
    }
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      addFunction(function);
}

unsigned Program::add(ShardedValue value) {
  value.dims.resize(value.type.getRank());
  value.open.assign(value.type.getRank(), true);
  value.origins.resize(mesh.size());
  if (value.name.empty())
    value.name = layerName(value.owner);
  values.push_back(std::move(value));
  return values.size() - 1;
}

std::optional<unsigned> Program::numberOf(StringRef symbol) const {
  auto it = symbols.find(symbol);
  if (it == symbols.end())
    return std::nullopt;
  return it->second;
}

/// Returns the sharding rule of a store: the dims of the value are the
/// symbol's.
static ShardingRule storeRule(RankedTensorType type) {
  ShardingRule rule;
  ValueFactors dims;
  for (int64_t size : type.getShape())
    dims.push_back({rule.addFactor(size)});
  rule.operands = {dims};
  rule.results = {dims};
  rule.linear = {false};
  return rule;
}

/// Closes the dims of a constant or of a value derived from parameters that
/// every rank has whole: users slice their part.
void Program::closeWhole(const ShardedOp &op) {
  // The minor part of a merged dim cannot be sharded alone, either.
  llvm::SmallDenseSet<int> whole;
  op.forEach([&](unsigned, const ValueFactors &dims, unsigned) {
    for (const DimFactors &dim : dims)
      for (auto [i, factor] : llvm::enumerate(dim))
        if (i > 0 || op.rule.factors[factor].unshardable)
          whole.insert(factor);
  });
  for (auto [result, dims] : llvm::zip_equal(op.results, op.rule.results))
    for (auto [dim, factors] : llvm::enumerate(dims))
      if (!factors.empty() && whole.contains(factors.front()))
        values[result].open[dim] = false;
}

/// Whether an op's operands are constants or satisfy `isOperand`, at least one
/// of the latter.
static bool makesOfParams(Operation *op, function_ref<bool(Value)> isOperand) {
  if (op->getNumOperands() == 0 || !isMemoryEffectFree(op))
    return false;
  bool any = false;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) {
                        bool isConstant =
                            operand.getDefiningOp<ConstantOp>() != nullptr;
                        any |= !isConstant;
                        return isConstant || isOperand(operand);
                      }) &&
         any;
}

void Program::addFunction(func::FuncOp function) {
  auto addValue = [&](Value value, Operation *owner, ShardedValue::Kind kind) {
    ShardedValue info;
    info.kind = kind;
    info.value = value;
    info.owner = owner;
    info.type = tensorType(value);
    if (auto argument = dyn_cast<BlockArgument>(value))
      info.name = inputName(function, argument.getArgNumber()).str();
    numbers[value] = add(info);
    return numbers[value];
  };
  for (BlockArgument argument : function.getArguments())
    addValue(argument, function, ShardedValue::Kind::Input);
  bool inUpdate = !function.getOps<WriteOp>().empty();
  llvm::DenseSet<Value> ofParams;
  auto isKnown = [&](Value value) { return ofParams.contains(value); };
  for (Operation &op : function.getBody().front()) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      unsigned number = symbols.lookup(read.getSymbol());
      numbers[read.getResult()] = number;
      if (values[number].kind == ShardedValue::Kind::Param)
        ofParams.insert(read.getResult());
      continue;
    }
    bool isOfParams = makesOfParams(&op, isKnown);
    if (isOfParams)
      ofParams.insert_range(op.getResults());
    ShardedOp info{&op, {}, {}, {}, inUpdate};
    info.isWhole = isa<ConstantOp>(op) ||
                   (isOfParams && op.getNumResults() == 1 && isForward(&op));
    for (Value operand : op.getOperands())
      info.operands.push_back(numbers.lookup(operand));
    if (isa<WriteOp, AccumulateOp>(op)) {
      info.rule = storeRule(tensorType(op.getOperand(0)));
      auto symbol = op.getAttrOfType<FlatSymbolRefAttr>("symbol");
      info.results = {symbols.lookup(symbol.getValue())};
      ops.push_back(std::move(info));
      continue;
    }
    for (Value result : op.getResults())
      info.results.push_back(addValue(result, &op, ShardedValue::Kind::Inner));
    if (auto sharded = dyn_cast<ShardingRuleInterface>(op)) {
      info.rule = sharded.getShardingRule();
      if (info.isWhole)
        closeWhole(info);
      ops.push_back(std::move(info));
    }
  }
}

FailureOr<std::vector<Layout>> Program::readLayouts(StringRef pass) const {
  std::vector<Layout> layouts;
  for (const ShardedValue &value : values) {
    ShardingAttr sharding =
        value.value ? getSharding(value.value)
                    : value.owner->getAttrOfType<ShardingAttr>(kShardingAttr);
    if (!sharding)
      return mlir::emitError(value.owner->getLoc())
             << "'" << value.name << "' has no sharding; run --" << pass
             << " first";
    layouts.push_back(mesh.layout(sharding));
  }
  return layouts;
}

bool pcc::isForward(Operation *op) {
  if (op->hasAttr(kBackwardAttr))
    return false;
  auto function = op->getParentOfType<func::FuncOp>();
  return function &&
         llvm::any_of(function.getArguments(), [](BlockArgument argument) {
           std::optional<InputRole> role = roleOf(argument);
           return role && isModelData(*role);
         });
}

bool pcc::isZero(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue())
                           : DenseFPElementsAttr();
  return elements && elements.isSplat() &&
         elements.getSplatValue<APFloat>().isZero();
}

bool pcc::isOfParams(Value value) {
  if (paramOf(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op &&
         makesOfParams(op, [](Value operand) { return isOfParams(operand); });
}

bool pcc::isOfConstants(Value value) {
  return !dependsOn(value, [](Value source) {
    Operation *op = source.getDefiningOp();
    return !op || (!isa<ConstantOp>(op) &&
                   (op->getNumOperands() == 0 || !isMemoryEffectFree(op)));
  });
}

std::optional<unsigned> pcc::weightOf(ContractOp op) {
  for (unsigned operand : {1, 0})
    if (paramOf(op->getOperand(operand)))
      return operand;
  for (unsigned operand : {1, 0})
    if (isOfParams(op->getOperand(operand)))
      return operand;
  return std::nullopt;
}

std::optional<unsigned> pcc::weightOf(const ShardedOp &op) {
  if (auto experts = dyn_cast<ExpertsOp>(op.op))
    return experts.getW2Mutable().getOperandNumber();
  auto contract = dyn_cast<ContractOp>(op.op);
  return contract ? weightOf(contract) : std::nullopt;
}

bool pcc::isTokenLookup(EmbeddingOp op) {
  auto isFed = [](Value source) {
    auto argument = dyn_cast<BlockArgument>(source);
    if (!argument)
      return false;
    std::optional<InputRole> role = roleOf(argument);
    return role && isModelData(*role);
  };
  return paramOf(op.getTable()) && dependsOn(op.getIds(), isFed);
}
