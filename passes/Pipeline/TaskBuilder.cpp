//===- TaskBuilder.cpp - Makes bodies, and the tasks that call them -------===//

#include "passes/Pipeline/TaskBuilder.h"
#include "dialects/Dist/Dist.h"
#include "dialects/NN/Roles.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::pipe;

//===----------------------------------------------------------------------===//
// TaskSymbols
//===----------------------------------------------------------------------===//

TaskSymbols::TaskSymbols(ModuleOp module)
    : module(module), table(module), mesh(dist::findMesh(module)),
      symbols(module.getContext()) {
  auto functions = module.getOps<func::FuncOp>();
  if (functions.empty())
    symbols.setInsertionPointToEnd(module.getBody());
  else
    symbols.setInsertionPoint(*functions.begin());
}

FlatSymbolRefAttr TaskSymbols::getInput(func::FuncOp func, unsigned index) {
  nn::InputRole role = *nn::roleOf(func, index);
  StringRef roleName = nn::stringifyInputRole(role);
  StringRef name = nn::inputName(func, index);
  if (name.empty())
    name = roleName;
  auto type = cast<RankedTensorType>(func.getArgumentTypes()[index]);
  FlatSymbolRefAttr &known = inputs[(roleName + " " + name).str()];
  if (known)
    return known;
  // The role is the best name, unless a model has several inputs of that role.
  std::string symbol = ("input." + roleName).str();
  if (nn::isNamed(role) || table.lookup(symbol))
    symbol = ("input." + name).str();
  for (int64_t i = 2; table.lookup(symbol); ++i)
    symbol = ("input." + name + "." + Twine(i)).str();
  auto input =
      InputOp::create(symbols, func.getLoc(), symbol, type, role, name);
  table.insert(input);
  // Global type and sharding: the runtime fills this rank's shard by them.
  for (NamedAttribute attr : func.getArgAttrDict(index))
    if (attr.getName() != nn::kRoleAttr && attr.getName() != nn::kNameAttr)
      input->setAttr(attr.getName(), attr.getValue());
  known = FlatSymbolRefAttr::get(input.getSymNameAttr());
  return known;
}

FlatSymbolRefAttr TaskSymbols::getOutput(StringRef name, Type type) {
  std::string symbol = ("output." + name).str();
  auto output = table.lookup<OutputOp>(symbol);
  if (!output) {
    output = OutputOp::create(symbols, module.getLoc(), symbol,
                              cast<RankedTensorType>(type), name);
    table.insert(output);
  }
  return FlatSymbolRefAttr::get(output.getSymNameAttr());
}

FlatSymbolRefAttr TaskSymbols::addValue(Type type, Location loc,
                                        dist::ShardingAttr sharding) {
  std::string symbol = ("value." + Twine(values++)).str();
  auto value =
      ValueOp::create(symbols, loc, symbol, cast<RankedTensorType>(type));
  table.insert(value);
  if (sharding)
    value->setAttr(dist::kShardingAttr, dist::getShort(sharding));
  return FlatSymbolRefAttr::get(value.getSymNameAttr());
}

dist::ShardingAttr TaskSymbols::getSharding(StringRef name, Phase phase) const {
  Operation *symbol = table.lookup(name);
  auto sharding =
      symbol ? symbol->getAttrOfType<dist::ShardingAttr>(dist::kShardingAttr)
             : dist::ShardingAttr();
  if (!sharding)
    return {};
  dist::Layout layout = mesh.layout(sharding);
  if (hasStageContribution(phase) && isa<nn::StateOp>(symbol))
    layout.partial = layout.partial - mesh.withRole(dist::AxisRole::Pipeline);
  return mesh.shortAttr(layout);
}

//===----------------------------------------------------------------------===//
// TaskBuilder
//===----------------------------------------------------------------------===//

TaskBuilder::TaskBuilder(TaskSymbols &symbols, StringRef name, int64_t stage,
                         Phase phase, Location loc)
    : symbols(symbols), name(name), stage(stage), phase(phase), loc(loc),
      builder(loc->getContext()) {
  ModuleOp module = symbols.getModule();
  builder.setInsertionPointToEnd(module.getBody());
  // Equal bodies are merged later; until then each is named after its task.
  body =
      BodyOp::create(builder, loc, (name + ".body").str(), ArrayRef<int64_t>(),
                     /*gives_up=*/DenseI64ArrayAttr());
  builder.createBlock(&body.getBody());
}

Value TaskBuilder::take(FlatSymbolRefAttr source, Type type) {
  auto [it, isNew] = arguments.try_emplace(source, sources.size());
  if (!isNew)
    return getBlock()->getArgument(it->second);
  sources.push_back(source);
  shardings.push_back(symbols.getSharding(source.getValue(), phase));
  // The name under which it is printed.
  return getBlock()->addArgument(type, NameLoc::get(source.getAttr(), loc));
}

Value TaskBuilder::read(FlatSymbolRefAttr symbol, Type type) {
  auto known = held.find(symbol);
  if (known != held.end())
    return known->second;
  return held[symbol] = take(symbol, type);
}

void TaskBuilder::write(FlatSymbolRefAttr symbol, Value value) {
  take(symbol, value.getType());
  held[symbol] = value;
}

void TaskBuilder::accumulate(FlatSymbolRefAttr symbol, Value value,
                             Location where) {
  auto state = symbols.lookup<nn::StateOp>(symbol.getValue());
  Type type = state.getTensorType();
  dist::ShardingAttr sharding = symbols.getSharding(symbol.getValue(), phase);
  if (value.getType() != type) {
    value = nn::CastOp::create(builder, where, type, value);
    setSharding(value.getDefiningOp(), sharding);
  }
  Value before = read(symbol, type);
  auto sum = nn::SumOp::create(builder, where, type, ValueRange{before, value});
  setSharding(sum, sharding);
  held[symbol] = sum;
}

void TaskBuilder::addResult(Value value, FlatSymbolRefAttr target,
                            FlatSymbolRefAttr place) {
  given.push_back(value);
  targets.push_back(target);
  places.push_back(place);
}

void TaskBuilder::clone(Operation &op, IRMapping &mapping) {
  if (auto read = dyn_cast<nn::ReadOp>(op)) {
    mapping.map(read.getResult(),
                this->read(read.getSymbolAttr(), read.getType()));
    return;
  }
  if (auto write = dyn_cast<nn::WriteOp>(op))
    return this->write(write.getSymbolAttr(), mapping.lookup(write.getValue()));
  if (auto add = dyn_cast<nn::AccumulateOp>(op))
    return accumulate(add.getSymbolAttr(), mapping.lookup(add.getValue()),
                      add.getLoc());
  Operation *copy = builder.clone(op, mapping);
  // All at once: each change creates a new dictionary.
  NamedAttrList marks(op.getDiscardableAttrDictionary());
  for (StringRef mark : {StringRef(nn::kStageAttr), StringRef(nn::kSegmentAttr),
                         StringRef(dist::kIdAttr)})
    marks.erase(mark);
  if (marks.get(dist::kShardingsAttr))
    marks.set(dist::kShardingsAttr,
              builder.getArrayAttr(llvm::map_to_vector(
                  op.getResults(), [](OpResult result) -> Attribute {
                    return dist::getShort(dist::getSharding(result));
                  })));
  copy->setDiscardableAttrs(marks.getDictionary(op.getContext()));
}

void TaskBuilder::close() {
  SmallVector<Value> results(given);
  SmallVector<int64_t> into;
  for (FlatSymbolRefAttr place : places)
    into.push_back(place ? int64_t(arguments.lookup(place)) : -1);
  for (auto &[symbol, value] : held) {
    unsigned argument = arguments.lookup(symbol);
    if (value == getBlock()->getArgument(argument))
      continue;
    results.push_back(value);
    into.push_back(argument);
    targets.push_back(symbol);
  }
  YieldOp::create(builder, loc, results);
  body.setInto(into);
  setArgumentShardings();
}

void TaskBuilder::setArgumentShardings() {
  if (symbols.hasMesh() &&
      llvm::all_of(shardings, [](Attribute sharding) { return !!sharding; }))
    body->setAttr(dist::kArgumentsAttr,
                  ArrayAttr::get(body.getContext(), shardings));
}

TaskOp TaskBuilder::finish() {
  Block *block = getBlock();
  SmallVector<int64_t> into(body.getInto());
  ModuleOp module = symbols.getModule();
  for (unsigned i = block->getNumArguments(); i-- > 0;) {
    bool isKept = llvm::is_contained(into, int64_t(i)) ||
                  !block->getArgument(i).use_empty();
    if (isKept || !held.contains(sources[i]))
      continue;
    block->eraseArgument(i);
    sources.erase(sources.begin() + i);
    shardings.erase(shardings.begin() + i);
    for (int64_t &argument : into)
      argument -= argument > int64_t(i);
  }
  body.setInto(into);
  setArgumentShardings();
  OpBuilder end(module.getContext());
  end.setInsertionPointToEnd(module.getBody());
  return TaskOp::create(end, loc, name, stage, phase, body.getSymName(),
                        /*first=*/FlatSymbolRefAttr(),
                        end.getArrayAttr(sources), end.getArrayAttr(targets));
}

void pcc::setSharding(Operation *op, dist::ShardingAttr sharding) {
  if (sharding)
    dist::setShardings(op, dist::getShort(sharding));
}

StageUses pcc::findStageUses(ModuleOp module) {
  SymbolTable table(module);
  StageUses uses;
  auto add = [&](StringRef symbol, int64_t stage) {
    auto &stages = uses[symbol];
    if (!llvm::is_contained(stages, stage))
      stages.push_back(stage);
  };
  for (auto task : module.getOps<TaskOp>())
    for (unsigned i = 0; i < task.getSources().size(); ++i) {
      StringRef symbol = task.getSource(i);
      Operation *held = table.lookup(symbol);
      if (!isa_and_nonnull<nn::ParamOp, nn::StateOp>(held))
        continue;
      add(symbol, task.getStage());
      // A stage that uses a working copy updates the parameter.
      if (auto state = dyn_cast<nn::StateOp>(held);
          state && state.getKind() == nn::StateKind::Copy)
        add(*state.getOf(), task.getStage());
    }
  for (auto &entry : uses)
    llvm::sort(entry.second);
  return uses;
}
