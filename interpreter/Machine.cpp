//===- Machine.cpp - Execution of a program on virtual ranks --------------===//

#include "interpreter/Machine.h"
#include "dialects/Pipe/Pipe.h"
#include "interpreter/BlockRun.h"
#include "interpreter/Collectives.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

/// Whether the module is an SPMD program, whose types are local.
static bool isSpmd(ModuleOp module) { return module->hasAttr(dist::kSpmdAttr); }

/// Returns the ranks of a module. A module without a schedule has no stages
/// yet.
static Grid gridOf(ModuleOp module) {
  if (!isSpmd(module))
    return Grid(dist::Mesh(), false);
  return Grid(dist::Mesh(dist::findMesh(module)),
              !module.getOps<pipe::ScheduleOp>().empty());
}

/// Returns the axes that a bucket is sharded over.
static dist::AxisList shardAxesOf(nn::StateOp bucket, const Grid &grid) {
  return placementOf(bucket->getDiscardableAttrDictionary(),
                     bucket.getTensorType(), grid.getMesh())
      .layout.dims[1];
}

Machine::Machine(ModuleOp module, bool exact)
    : module(module), exact(exact), grid(gridOf(module)), table(module),
      buckets(module), ranks(grid.size()) {
  for (auto state : module.getOps<nn::StateOp>()) {
    if (!nn::isBucket(state))
      continue;
    if (shardAxesOf(state, grid).empty())
      replicatedBuckets[state.getSymName()] = state;
    else
      for (StringRef member : nn::heldBy(state))
        shardedBuckets[member] = state;
  }
  for (auto part : module.getOps<nn::StateOp>()) {
    if (part.getKind() != nn::StateKind::Part)
      continue;
    gathered[nn::rowOf(part)] = part;
    for (StringRef member :
         nn::heldBy(replicatedBuckets.lookup(nn::rowOf(part))))
      gathered[member] = shardedBuckets[member] = part;
  }
  for (auto state : module.getOps<nn::StateOp>()) {
    nn::StateOp kept = state.getKind() == nn::StateKind::Copy
                           ? shardedBuckets.lookup(*state.getOf())
                           : nn::StateOp();
    if (!kept)
      continue;
    gathered[state.getSymName()] = kept;
    if (nn::StateOp row = buckets.bucketOf(state.getSymName()))
      gathered[row.getSymName()] = kept;
  }
  for (auto state : module.getOps<nn::StateOp>()) {
    if (replicatedBuckets.contains(state.getSymName()) ||
        shardedBuckets.contains(state.getSymName()) ||
        gathered.contains(state.getSymName()))
      continue;
    auto start = std::make_shared<Tensor>(state.getTensorType());
    if (std::optional<llvm::APFloat> first = state.getFirst())
      start->set(0, first->convertToDouble());
    for (Memory &memory : ranks)
      memory.symbols[state.getSymName()] = start;
  }
}

std::optional<Placement> Machine::symbolPlacement(StringRef name) {
  Operation *op = module.lookupSymbol(name);
  RankedTensorType type;
  if (auto param = dyn_cast_or_null<nn::ParamOp>(op))
    type = param.getTensorType();
  else if (auto state = dyn_cast_or_null<nn::StateOp>(op))
    type = state.getTensorType();
  else
    return std::nullopt;
  return placementOf(op->getDiscardableAttrDictionary(), type, grid.getMesh());
}

Placement Machine::argumentPlacement(func::FuncOp function, unsigned index) {
  return placementOf(function.getArgAttrDict(index),
                     cast<RankedTensorType>(function.getArgumentTypes()[index]),
                     grid.getMesh());
}

Placement Machine::resultPlacement(func::FuncOp function, unsigned index) {
  return placementOf(function.getResultAttrDict(index),
                     cast<RankedTensorType>(function.getResultTypes()[index]),
                     grid.getMesh());
}

//===----------------------------------------------------------------------===//
// Buckets: of a replicated bucket the members are stored, of a sharded one the
// flat buffer. A shard of a bucket is stored by itself; the members of its
// bucket are stored only from when they are gathered until the shard is
// written.
//===----------------------------------------------------------------------===//

/// Copies a range of elements of one tensor to another.
static void copyRange(const Tensor &from, int64_t begin, int64_t count,
                      Tensor &to, int64_t at) {
  if (from.isFloat())
    std::copy_n(from.real.begin() + begin, count, to.real.begin() + at);
  else
    std::copy_n(from.integer.begin() + begin, count, to.integer.begin() + at);
}

TensorRef Machine::readSymbol(StringRef name, int64_t rank) {
  nn::StateOp bucket = replicatedBuckets.lookup(name);
  if (!bucket)
    return ranks[rank].symbols.lookup(name);
  Tensor row(bucket.getTensorType());
  for (auto [member, offset] :
       llvm::zip_equal(nn::heldBy(bucket), *bucket.getOffsets())) {
    TensorRef held = ranks[rank].symbols.lookup(member);
    if (!held)
      return {};
    copyRange(*held, 0, held->size(), row, offset);
  }
  return std::make_shared<Tensor>(std::move(row));
}

void Machine::writeSymbol(StringRef name, int64_t rank, TensorRef local) {
  Memory &memory = ranks[rank];
  nn::StateOp bucket = replicatedBuckets.lookup(name);
  if (!bucket) {
    memory.symbols[name] = std::move(local);
    memory.written.insert(name);
    forgetGathered(memory, name);
    return;
  }
  for (auto [member, offset] :
       llvm::zip_equal(nn::heldBy(bucket), *bucket.getOffsets())) {
    memory.written.insert(member);
    if (!local) {
      memory.symbols[member] = nullptr;
      continue;
    }
    Operation *op = table.lookup(member);
    Tensor part(
        cast<RankedTensorType>(op->getAttrOfType<TypeAttr>("type").getValue()));
    copyRange(*local, offset, part.size(), part, 0);
    memory.symbols[member] = std::make_shared<Tensor>(std::move(part));
  }
}

void Machine::forgetGathered(Memory &memory, StringRef own) {
  for (auto &[name, kept] : gathered)
    if (own.empty() || nn::StateOp(kept).getSymName() == own)
      memory.symbols.erase(name);
}

void Machine::beginEntry() {
  for (Memory &memory : ranks)
    forgetGathered(memory, "");
}

TensorRef Machine::gather(nn::StateOp kept, StringRef name, int64_t rank) {
  Operation *op = table.lookup(name);
  Tensor whole(
      cast<RankedTensorType>(op->getAttrOfType<TypeAttr>("type").getValue()));
  int64_t offset = buckets.placeOf(name).offset;
  int64_t begin = 0, end = offset + whole.size();
  for (int64_t peer : grid.peers(rank, shardAxesOf(kept, grid))) {
    TensorRef part = ranks[peer].symbols.lookup(kept.getSymName());
    int64_t first = std::max(begin, offset),
            last = std::min(begin + part->size(), end);
    if (first < last)
      copyRange(*part, first - begin, last - first, whole, first - offset);
    begin += part->size();
  }
  return std::make_shared<Tensor>(std::move(whole));
}

FailureOr<TensorRef> Machine::readSymbol(StringRef name) {
  std::optional<Placement> placement = symbolPlacement(name);
  if (!placement)
    return TensorRef();
  // A sum over stages has a partial sum on each of them.
  std::optional<dist::Axis> stages = grid.getMesh().stageAxis();
  bool isShared = stages && placement->layout.partial.contains(*stages);
  nn::StateOp cut = shardedBuckets.lookup(name);
  StringRef held = cut ? cut.getSymName() : name;
  SmallVector<int64_t> members;
  for (int64_t stage = 0; stage < grid.numStages(); ++stage)
    for (int64_t rank : grid.stageRanks(stage))
      if (isShared || ranks[rank].written.contains(held))
        members.push_back(rank);
  if (members.empty())
    members = grid.stageRanks(0);
  ValueList parts;
  for (int64_t rank : members) {
    parts.push_back(cut ? gather(cut, name, rank) : readSymbol(name, rank));
    if (!parts.back())
      return TensorRef();
  }
  auto global = rebuild(*placement, grid, members, parts);
  if (!global)
    return module.lookupSymbol(name)->emitError()
           << "@" << name << ": " << llvm::toString(global.takeError());
  return TensorRef(std::make_shared<Tensor>(std::move(*global)));
}

void Machine::writeSymbol(StringRef name, const Tensor &global) {
  Tensor rounded = global;
  roundElements(rounded, exact);
  Placement placement = *symbolPlacement(name);
  nn::StateOp cut = shardedBuckets.lookup(name);
  int64_t offset = buckets.placeOf(name).offset;
  for (auto [rank, memory] : llvm::enumerate(ranks)) {
    TensorRef local = shard(rounded, placement.layout, grid, rank);
    if (!cut) {
      memory.symbols[name] = local;
      continue;
    }
    TensorRef &part = memory.symbols[cut.getSymName()];
    int64_t begin = grid.number(rank, shardAxesOf(cut, grid)) * part->size(),
            first = std::max(begin, offset),
            last = std::min(begin + part->size(), offset + local->size());
    auto changed = std::make_shared<Tensor>(*part);
    if (first < last)
      copyRange(*local, first - offset, last - first, *changed, first - begin);
    part = changed;
    forgetGathered(memory, cut.getSymName());
  }
  for (auto state : module.getOps<nn::StateOp>()) {
    if (state.getKind() != nn::StateKind::Copy || *state.getOf() != name ||
        gathered.contains(state.getSymName()))
      continue;
    Tensor copy(symbolPlacement(state.getSymName())->global);
    copy.real = rounded.real;
    writeSymbol(state.getSymName(), copy);
  }
}

/// Returns state + value, rounded to the state's element type.
static TensorRef accumulated(const Tensor &state, const Tensor &value,
                             bool exact) {
  Tensor sum = state;
  for (size_t i = 0; i < sum.real.size(); ++i)
    sum.real[i] += value.real[i];
  for (size_t i = 0; i < sum.integer.size(); ++i)
    sum.integer[i] += value.integer[i];
  roundElements(sum, exact);
  return std::make_shared<Tensor>(std::move(sum));
}

ValueList Machine::finished(MutableArrayRef<Tensor> results) const {
  ValueList values;
  for (Tensor &result : results) {
    roundElements(result, exact);
    values.push_back(std::make_shared<Tensor>(std::move(result)));
  }
  return values;
}

bool Machine::canRun(StringRef opName) const {
  static const StringRef others[] = {nn::ReadOp::getOperationName(),
                                     nn::WriteOp::getOperationName(),
                                     nn::AccumulateOp::getOperationName(),
                                     dist::ReshardOp::getOperationName(),
                                     dist::AllReduceOp::getOperationName(),
                                     dist::AllGatherOp::getOperationName(),
                                     dist::ReduceScatterOp::getOperationName(),
                                     dist::AllToAllOp::getOperationName(),
                                     dist::ShardSliceOp::getOperationName(),
                                     dist::OffsetOp::getOperationName()};
  return kernels.find(opName) || llvm::is_contained(others, opName);
}

FailureOr<ValueList> Machine::runOp(Operation *op, int64_t rank,
                                    ArrayRef<TensorRef> operands) {
  Memory &memory = ranks[rank];
  if (auto read = dyn_cast<nn::ReadOp>(op)) {
    TensorRef value = readSymbol(read.getSymbol(), rank);
    if (!value)
      return op->emitOpError()
             << "reads " << read.getSymbolAttr() << ", which has no value";
    return ValueList{value};
  }
  if (auto write = dyn_cast<nn::WriteOp>(op)) {
    writeSymbol(write.getSymbol(), rank, operands[0]);
    return ValueList{};
  }
  if (auto accumulate = dyn_cast<nn::AccumulateOp>(op)) {
    TensorRef &state = memory.symbols[accumulate.getSymbol()];
    if (!state)
      return op->emitOpError() << "adds to " << accumulate.getSymbolAttr()
                               << ", which has no value";
    state = accumulated(*state, *operands[0], exact);
    memory.written.insert(accumulate.getSymbol());
    return ValueList{};
  }
  // A reshard on a single rank changes nothing.
  if (isa<dist::ReshardOp>(op) && !isSpmd(module))
    return ValueList{operands[0]};
  if (std::optional<Tensor> result = runRankOp(op, grid, rank, operands))
    return finished(*result);

  if (auto call = dyn_cast<func::CallOp>(op))
    return runKernel(call.getCallee(), call, rank, operands);
  const Kernel *kernel = kernels.find(op->getName().getStringRef());
  if (!kernel)
    return op->emitOpError("cannot be interpreted");
  SmallVector<Tensor> results;
  for (Type type : op->getResultTypes())
    results.emplace_back(cast<RankedTensorType>(type));
  if (failed((*kernel)(op, Args(op, operands), results)))
    return failure();
  return finished(results);
}

FailureOr<ValueList> Machine::runKernel(StringRef name, Operation *caller,
                                        int64_t rank,
                                        ArrayRef<TensorRef> operands) {
  auto callee = module.lookupSymbol<func::FuncOp>(name);
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return caller->emitOpError(
        "calls a symbol that is not a function with one block");
  Block &body = callee.getBody().front();
  llvm::DenseMap<Value, TensorRef> values;
  for (auto [argument, value] : llvm::zip(body.getArguments(), operands))
    values[argument] = value;
  auto valuesOf = [&](Operation &op) {
    return llvm::map_to_vector(op.getOperands(), [&](Value operand) {
      return values.lookup(operand);
    });
  };
  for (Operation &inner : body.without_terminator()) {
    auto results = runOp(&inner, rank, valuesOf(inner));
    if (failed(results))
      return failure();
    for (auto [result, value] : llvm::zip(inner.getResults(), *results))
      values[result] = value;
  }
  return ValueList(valuesOf(*body.getTerminator()));
}

std::vector<ValueList> Machine::runCollective(Operation *op,
                                              ArrayRef<int64_t> members,
                                              ArrayRef<ValueList> operands) {
  std::vector<ValueList> results;
  for (SmallVector<Tensor> &result :
       interp::runCollective(op, grid, members, operands))
    results.push_back(finished(result));
  return results;
}

FailureOr<ValueList> Machine::call(func::FuncOp function,
                                   ArrayRef<TensorRef> args,
                                   int64_t microbatch) {
  if (function.isExternal())
    return function.emitError("has no body to run");
  if (!function.getBody().hasOneBlock())
    return function.emitError("has more than one block");
  auto members = llvm::to_vector(llvm::seq<int64_t>(0, grid.size()));
  BlockRun run(*this, function.getBody().front(), members, microbatch);
  for (auto [i, global] : llvm::enumerate(args)) {
    Placement placement = argumentPlacement(function, i);
    ValueList parts;
    for (int64_t rank : members)
      parts.push_back(shard(*global, placement.layout, grid, rank));
    run.bind(function.getArgument(i), parts);
  }
  switch (run.advance()) {
  case BlockRun::Status::Failed:
    return failure();
  case BlockRun::Status::Waiting:
    llvm_unreachable("all ranks are members");
  case BlockRun::Status::Done:
    break;
  }
  ValueList results;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto global =
        rebuild(resultPlacement(function, i), grid, members, run.getResult(i));
    if (!global)
      return function.emitError()
             << "result #" << i << ": " << llvm::toString(global.takeError());
    results.push_back(std::make_shared<Tensor>(std::move(*global)));
  }
  return results;
}
