//===- LowerTask.cpp - One task as an rt function -------------------------===//
//
// Every value gets a place when its op is reached: a view of its operand's
// place, the place of an operand that dies there, the state or slot it ends up
// in, or a temporary. Uses are known in advance, so each of these choices is
// checked against everything that still reads the memory it would overwrite.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/LowerTask.h"
#include "dialects/Dist/Dist.h"
#include "passes/Codegen/Gemm.h"
#include "passes/Codegen/TaskUses.h"

using namespace mlir;
using namespace pcc;

MemRefType pcc::bufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

namespace {

/// Memory of its own: an argument of the task, a state, or a temporary.
struct Root {
  enum Kind { Argument, State, Temporary } kind;
  Value address;
  /// The symbol of a state.
  StringRef state;
  /// Every value that lies in it, or did.
  SmallVector<Value> values;
};

/// Where a value lies.
struct Place {
  Root *root = nullptr;
  Value address;
};

/// Small values that are reduced in one message are gathered up to this many
/// bytes; larger ones are reduced where they lie.
constexpr int64_t kGatherBytes = 1 << 16;

class TaskLowering {
public:
  TaskLowering(pipe::TaskOp task, rt::StageOp stage, SingleOpKernels &kernels)
      : task(task), stage(stage), kernels(kernels), uses(*task.getBlock()),
        builder(task.getContext()) {}

  LogicalResult run();

private:
  LogicalResult lower(Operation *op);
  LogicalResult lowerRead(nn::ReadOp op);
  LogicalResult lowerWrite(nn::WriteOp op);
  LogicalResult lowerAccumulate(nn::AccumulateOp op);
  LogicalResult lowerContract(nn::ContractOp op);
  LogicalResult lowerCall(func::CallOp op);
  LogicalResult lowerYield(pipe::YieldOp op);
  LogicalResult lowerAllReduce(dist::AllReduceOp op);
  LogicalResult lowerAllGather(dist::AllGatherOp op);
  LogicalResult lowerReduceScatter(dist::ReduceScatterOp op);
  LogicalResult lowerAllToAll(dist::AllToAllOp op);
  LogicalResult lowerShardSlice(dist::ShardSliceOp op);
  /// Makes the op a kernel of its own.
  LogicalResult lowerAsKernel(Operation *op);
  /// Gives a select, slice or transpose a view; false where it has none.
  bool lowerAsView(Operation *op, Value input);

  /// Emits the product of a contraction into `result`.
  LogicalResult emitGemm(nn::ContractOp op, Value result, bool accumulate);
  /// Launches a kernel of the op's operands, and places the op's results.
  void emitLaunch(func::FuncOp kernel, Operation *op, ValueRange operands);
  /// A transposed copy of `from`, seen as a tensor of `shape`.
  Value emitTranspose(Value from, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> permutation, Value to);

  /// Chooses where a result of the op at the present position lies; `inplace`
  /// are operands whose memory it may take over.
  Place place(OpResult result, ArrayRef<unsigned> inplace = {});
  Root *findInplace(OpResult result, ArrayRef<unsigned> inplace);
  Root *findState(OpResult result);
  /// The slot a value is yielded to, also through reshapes; or null.
  Root *findTarget(Value value);
  /// Whether something still reads what lies in the root after the present op.
  bool isBusy(const Root &root);
  Root *newTemporary(MemRefType type);
  Root *stateRoot(StringRef symbol);
  void bind(Value value, Place place) {
    place.root->values.push_back(value);
    places[value] = place;
  }
  Value addressOf(Value value) { return places.lookup(value).address; }
  /// The address as a contiguous buffer of a shape.
  Value reshaped(Value address, ArrayRef<int64_t> shape);

  pipe::TaskOp task;
  rt::StageOp stage;
  SingleOpKernels &kernels;
  TaskUses uses;
  OpBuilder builder;
  rt::FuncOp function;
  SmallVector<std::unique_ptr<Root>> roots;
  SmallVector<Root *> targets;
  llvm::StringMap<Root *> states;
  DenseMap<Value, Place> places;
  /// Zero constants that are only written to states.
  DenseSet<Value> zeros;
  unsigned position = 0;
  int temporaries = 0;
  Location loc = UnknownLoc::get(task.getContext());
};

LogicalResult TaskLowering::run() {
  builder.setInsertionPointToEnd(stage.getBlock());
  function = rt::FuncOp::create(builder, task.getLoc(), task.getSymName());
  Block *block = builder.createBlock(&function.getBody());
  builder.setInsertionPointToEnd(block);

  auto addArgument = [&](Type type) {
    Root *root = roots.emplace_back(std::make_unique<Root>()).get();
    root->kind = Root::Argument;
    root->address = block->addArgument(bufferType(type), task.getLoc());
    return root;
  };
  for (BlockArgument arg : task.getBlock()->getArguments()) {
    Root *root = addArgument(arg.getType());
    bind(arg, {root, root->address});
  }
  for (Type type : task.getBlock()->getTerminator()->getOperandTypes())
    targets.push_back(addArgument(type));

  for (Operation &op : *task.getBlock()) {
    position = uses.positionOf(&op);
    loc = op.getLoc();
    if (failed(lower(&op)))
      return failure();
  }
  return success();
}

LogicalResult TaskLowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](nn::ReadOp op) { return lowerRead(op); })
      .Case([&](nn::WriteOp op) { return lowerWrite(op); })
      .Case([&](nn::AccumulateOp op) { return lowerAccumulate(op); })
      .Case([&](nn::ContractOp op) { return lowerContract(op); })
      .Case([&](func::CallOp op) { return lowerCall(op); })
      .Case([&](pipe::YieldOp op) { return lowerYield(op); })
      .Case([&](dist::AllReduceOp op) { return lowerAllReduce(op); })
      .Case([&](dist::AllGatherOp op) { return lowerAllGather(op); })
      .Case([&](dist::ReduceScatterOp op) { return lowerReduceScatter(op); })
      .Case([&](dist::AllToAllOp op) { return lowerAllToAll(op); })
      .Case([&](dist::ShardSliceOp op) { return lowerShardSlice(op); })
      .Case([&](dist::OffsetOp op) {
        Place to = place(op->getOpResult(0));
        rt::CommIndexOp::create(builder, loc, to.address, op.getAxes(),
                                op.getExtent());
        return success();
      })
      .Case([&](nn::ConstantOp op) {
        auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
        auto isZero = [](Attribute value) {
          if (auto real = dyn_cast<FloatAttr>(value))
            return real.getValue().isPosZero();
          return cast<IntegerAttr>(value).getValue().isZero();
        };
        if (splat && isZero(splat.getSplatValue<Attribute>()) &&
            llvm::all_of(op->getUsers(), llvm::IsaPred<nn::WriteOp>)) {
          zeros.insert(op.getResult());
          return success();
        }
        return lowerAsKernel(op);
      })
      .Case([&](nn::ReshapeOp op) {
        Place from = places.lookup(op.getInput());
        // A product that is accumulated lies nowhere else.
        if (!from.root)
          return success();
        auto type = cast<MemRefType>(from.address.getType());
        if (!rt::isContiguous(type))
          return lowerAsKernel(op);
        bind(op.getResult(),
             {from.root, reshaped(from.address, op.getType().getShape())});
        return success();
      })
      .Case<nn::SelectOp, nn::SliceOp, nn::TransposeOp>([&](auto op) {
        return lowerAsView(op, op.getInput()) ? success() : lowerAsKernel(op);
      })
      .Default([&](Operation *op) {
        if (isa_and_nonnull<nn::NNDialect>(op->getDialect()))
          return lowerAsKernel(op);
        return LogicalResult(op->emitOpError("cannot be part of a task"));
      });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value TaskLowering::reshaped(Value address, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(address.getType());
  auto wanted = MemRefType::get(shape, type.getElementType());
  if (type == wanted)
    return address;
  return rt::ViewOp::create(builder, loc, wanted, address, 0);
}

Root *TaskLowering::newTemporary(MemRefType type) {
  OpBuilder outside(function);
  std::string name = (task.getSymName() + ".t" + Twine(temporaries++)).str();
  rt::BufferOp::create(outside, loc, name, type, rt::BufferKind::Temporary,
                       /*offset=*/IntegerAttr(), /*slots=*/1,
                       /*layout=*/rt::LayoutAttr());
  Root *root = roots.emplace_back(std::make_unique<Root>()).get();
  root->kind = Root::Temporary;
  root->address = rt::AddressOp::create(builder, loc, type, name, 0);
  return root;
}

Root *TaskLowering::stateRoot(StringRef symbol) {
  Root *&root = states[symbol];
  if (root)
    return root;
  root = roots.emplace_back(std::make_unique<Root>()).get();
  auto buffer = cast<rt::BufferOp>(SymbolTable::lookupSymbolIn(stage, symbol));
  root->kind = Root::State;
  root->state = buffer.getSymName();
  root->address = rt::AddressOp::create(builder, buffer.getLoc(),
                                        buffer.getType(), symbol, 0);
  return root;
}

bool TaskLowering::isBusy(const Root &root) {
  return llvm::any_of(
      root.values, [&](Value value) { return uses.lastUse(value) > position; });
}

Root *TaskLowering::findInplace(OpResult result, ArrayRef<unsigned> inplace) {
  Operation *op = result.getOwner();
  for (unsigned index : inplace) {
    auto from = places.find(op->getOperand(index));
    if (from == places.end())
      continue;
    Root *root = from->second.root;
    if (root->kind == Root::Argument || isBusy(*root))
      continue;
    // The value must fill the memory, and no other operand may lie in it.
    if (rt::getSpanBytes(cast<MemRefType>(root->address.getType())) !=
        rt::getSpanBytes(bufferType(result.getType())))
      continue;
    bool isShared = false;
    for (OpOperand &operand : op->getOpOperands())
      if (operand.getOperandNumber() != index &&
          places.lookup(operand.get()).root == root)
        isShared = true;
    for (Value other : op->getResults())
      if (places.lookup(other).root == root)
        isShared = true;
    if (isShared)
      continue;
    if (root->kind == Root::State &&
        !uses.mayOverwrite(root->state, position, result))
      continue;
    return root;
  }
  return nullptr;
}

Root *TaskLowering::findState(OpResult result) {
  for (Operation *user : result.getUsers()) {
    auto write = dyn_cast<nn::WriteOp>(user);
    if (!write || !uses.mayReplace(write.getSymbol(), position, write))
      continue;
    Root *root = stateRoot(write.getSymbol());
    if (isBusy(*root))
      continue;
    bool isRead =
        llvm::any_of(result.getOwner()->getOperands(), [&](Value operand) {
          return places.lookup(operand).root == root;
        });
    bool isTaken =
        llvm::any_of(result.getOwner()->getResults(), [&](Value other) {
          return places.lookup(other).root == root;
        });
    if (!isRead && !isTaken)
      return root;
  }
  return nullptr;
}

Root *TaskLowering::findTarget(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (isa<pipe::YieldOp>(use.getOwner()))
      return targets[use.getOperandNumber()];
    if (auto reshape = dyn_cast<nn::ReshapeOp>(use.getOwner()))
      if (Root *target = findTarget(reshape.getResult()))
        return target;
  }
  return nullptr;
}

Place TaskLowering::place(OpResult result, ArrayRef<unsigned> inplace) {
  MemRefType type = bufferType(result.getType());
  Root *root = findInplace(result, inplace);
  if (!root)
    root = findState(result);
  if (!root)
    root = findTarget(result);
  if (!root)
    root = newTemporary(type);
  Place place{root, reshaped(root->address, type.getShape())};
  bind(result, place);
  return place;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

LogicalResult TaskLowering::lowerRead(nn::ReadOp op) {
  Root *state = stateRoot(op.getSymbol());
  if (!uses.isChangedBefore(op.getSymbol(), position,
                            uses.lastUse(op.getResult()))) {
    bind(op.getResult(), {state, state->address});
    return success();
  }
  // The old value is needed beyond the change.
  Place to = place(op->getOpResult(0));
  rt::CopyOp::create(builder, loc, to.address, state->address);
  return success();
}

LogicalResult TaskLowering::lowerWrite(nn::WriteOp op) {
  Root *state = stateRoot(op.getSymbol());
  if (zeros.contains(op.getValue())) {
    rt::ZeroOp::create(builder, loc, state->address);
    return success();
  }
  Place from = places.lookup(op.getValue());
  if (from.root != state)
    rt::CopyOp::create(builder, loc, state->address, from.address);
  return success();
}

LogicalResult TaskLowering::lowerAccumulate(nn::AccumulateOp op) {
  Root *state = stateRoot(op.getSymbol());
  if (nn::ContractOp contract = uses.getAccumulated(op))
    return emitGemm(contract,
                    reshaped(state->address, contract.getType().getShape()),
                    /*accumulate=*/true);
  auto stateType = cast<MemRefType>(state->address.getType());
  auto tensor =
      RankedTensorType::get(stateType.getShape(), stateType.getElementType());
  func::FuncOp kernel =
      kernels.getAdd(tensor, cast<RankedTensorType>(op.getValue().getType()));
  rt::LaunchOp::create(builder, loc, kernel.getSymName(),
                       ValueRange{state->address, addressOf(op.getValue())},
                       state->address, builder.getDenseI64ArrayAttr(0));
  return success();
}

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

LogicalResult TaskLowering::emitGemm(nn::ContractOp op, Value result,
                                     bool accumulate) {
  Value lhs = addressOf(op.getLhs()), rhs = addressOf(op.getRhs());
  auto typeOf = [](Value v) { return cast<MemRefType>(v.getType()); };
  std::string why;
  FailureOr<GemmPlan> plan =
      planGemm(op, typeOf(lhs), typeOf(rhs), typeOf(result), accumulate, why);
  if (failed(plan))
    return op.emitOpError() << "'" << op.getSpec()
                            << "' is no matrix product of the library: " << why;
  auto at = [&](Value buffer, int64_t start) -> Value {
    if (start == 0)
      return buffer;
    MemRefType type = typeOf(buffer);
    int64_t bytes = rt::getElementBytes(type.getElementType());
    auto rest = MemRefType::get({rt::getSpanBytes(type) / bytes - start},
                                type.getElementType());
    return rt::ViewOp::create(builder, loc, rest, buffer, start);
  };
  for (auto [l, r, c] : plan->starts) {
    Value a = at(lhs, l), b = at(rhs, r);
    if (plan->swapped)
      std::swap(a, b);
    rt::GemmOp::create(builder, op.getLoc(), a, b, at(result, c), plan->shape);
  }
  return success();
}

LogicalResult TaskLowering::lowerContract(nn::ContractOp op) {
  if (uses.isAccumulated(op))
    return success();
  return emitGemm(op, place(op->getOpResult(0)).address, /*accumulate=*/false);
}

bool TaskLowering::lowerAsView(Operation *op, Value input) {
  Place from = places.lookup(input);
  auto type = cast<MemRefType>(from.address.getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> strides = rt::getStrides(type);
  int64_t offset = 0;
  if (auto select = dyn_cast<nn::SelectOp>(op)) {
    offset = select.getIndex() * strides[select.getDim()];
    strides.erase(strides.begin() + select.getDim());
  } else if (auto slice = dyn_cast<nn::SliceOp>(op)) {
    for (auto [stride, start, step] :
         llvm::zip(strides, slice.getStarts(), slice.getSteps())) {
      offset += start * stride;
      stride *= step;
    }
  } else {
    SmallVector<int64_t> moved;
    for (int64_t dim : cast<nn::TransposeOp>(op).getPermutation())
      moved.push_back(strides[dim]);
    strides = moved;
  }
  auto layout = StridedLayoutAttr::get(op->getContext(), 0, strides);
  auto view = MemRefType::get(result.getShape(), type.getElementType(), layout);
  if (rt::isContiguous(view)) {
    view = bufferType(result);
  } else {
    // Only matrix products take strides, and not all of them.
    for (Operation *user : op->getUsers()) {
      auto contract = dyn_cast<nn::ContractOp>(user);
      if (!contract)
        return false;
      auto typeOf = [&](Value operand) {
        if (operand == op->getResult(0))
          return view;
        auto known = places.find(operand);
        return known == places.end()
                   ? bufferType(operand.getType())
                   : cast<MemRefType>(known->second.address.getType());
      };
      std::string why;
      if (failed(planGemm(contract, typeOf(contract.getLhs()),
                          typeOf(contract.getRhs()),
                          bufferType(contract.getType()), false, why)))
        return false;
    }
  }
  Value address = rt::ViewOp::create(builder, loc, view, from.address, offset);
  bind(op->getResult(0), {from.root, address});
  return true;
}

void TaskLowering::emitLaunch(func::FuncOp kernel, Operation *op,
                              ValueRange operands) {
  SmallVector<Value> ins, outs;
  for (Value operand : operands)
    ins.push_back(addressOf(operand));
  SmallVector<int64_t> inplace;
  bool isAnyInplace = false;
  for (OpResult result : op->getResults()) {
    unsigned index = result.getResultNumber();
    auto reused =
        kernel.getResultAttrOfType<IntegerAttr>(index, rt::kInplaceAttr);
    SmallVector<unsigned> candidates;
    if (reused)
      candidates.push_back(reused.getInt());
    Place to = place(result, candidates);
    outs.push_back(to.address);
    bool isInplace =
        reused && places.lookup(operands[reused.getInt()]).root == to.root;
    inplace.push_back(isInplace ? reused.getInt() : -1);
    isAnyInplace |= isInplace;
  }
  rt::LaunchOp::create(builder, loc, kernel.getSymName(), ins, outs,
                       isAnyInplace ? builder.getDenseI64ArrayAttr(inplace)
                                    : DenseI64ArrayAttr());
}

LogicalResult TaskLowering::lowerCall(func::CallOp op) {
  auto kernel = dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupSymbolIn(
      task->getParentOfType<ModuleOp>(), op.getCalleeAttr()));
  if (!kernel || !kernel->hasAttr(rt::kKernelAttr))
    return op.emitOpError()
           << "calls " << op.getCalleeAttr() << ", which is no kernel";
  emitLaunch(kernel, op, op.getOperands());
  return success();
}

LogicalResult TaskLowering::lowerAsKernel(Operation *op) {
  for (Value operand : op->getOperands())
    if (!rt::isContiguous(cast<MemRefType>(addressOf(operand).getType())))
      return op->emitOpError() << "needs operands that lie row major";
  SetVector<Value> operands(op->operand_begin(), op->operand_end());
  emitLaunch(kernels.get(op), op, operands.getArrayRef());
  return success();
}

LogicalResult TaskLowering::lowerYield(pipe::YieldOp op) {
  for (auto [value, target] : llvm::zip(op.getResults(), targets)) {
    Place from = places.lookup(value);
    if (from.root != target)
      rt::CopyOp::create(builder, loc, target->address, from.address);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

LogicalResult TaskLowering::lowerAllReduce(dist::AllReduceOp op) {
  auto reduction = static_cast<rt::Reduction>(op.getReduction());
  int64_t bytes = 0;
  for (Value input : op.getInputs())
    bytes += rt::getSpanBytes(bufferType(input.getType()));
  if (op.getInputs().size() > 1 && bytes <= kGatherBytes) {
    // One message: copies side by side, reduced together.
    Type element =
        cast<RankedTensorType>(op.getInputs()[0].getType()).getElementType();
    int64_t unit = rt::kAlignment / rt::getElementBytes(element);
    SmallVector<int64_t> starts;
    int64_t total = 0;
    for (Value input : op.getInputs()) {
      starts.push_back(total);
      total += llvm::alignTo(
          cast<RankedTensorType>(input.getType()).getNumElements(), unit);
    }
    Root *root = newTemporary(MemRefType::get({total}, element));
    // Padding is sent too, so it must hold numbers.
    rt::ZeroOp::create(builder, loc, root->address);
    for (auto [input, result, start] :
         llvm::zip(op.getInputs(), op.getResults(), starts)) {
      Value part = rt::ViewOp::create(builder, loc, bufferType(input.getType()),
                                      root->address, start);
      rt::CopyOp::create(builder, loc, part, addressOf(input));
      bind(result, {root, part});
    }
    rt::AllReduceOp::create(builder, loc, root->address, reduction,
                            op.getAxes());
    return success();
  }
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    Place from = places.lookup(input);
    Place to = place(op->getOpResult(index), {unsigned(index)});
    if (to.root != from.root)
      rt::CopyOp::create(builder, loc, to.address, from.address);
    rt::AllReduceOp::create(builder, loc, to.address, reduction, op.getAxes());
  }
  return success();
}

/// A tensor seen around one of its dims: [before, dim, after].
static std::array<int64_t, 3> around(ArrayRef<int64_t> shape, int64_t dim) {
  std::array<int64_t, 3> parts = {1, shape[dim], 1};
  for (auto [i, size] : llvm::enumerate(shape))
    if (int64_t(i) != dim)
      parts[int64_t(i) < dim ? 0 : 2] *= size;
  return parts;
}

Value TaskLowering::emitTranspose(Value from, ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> permutation, Value to) {
  auto element = cast<MemRefType>(from.getType()).getElementType();
  auto tensor = RankedTensorType::get(shape, element);
  func::FuncOp kernel = kernels.getTranspose(tensor, permutation);
  MemRefType result = bufferType(kernel.getResultTypes()[0]);
  if (!to)
    to = newTemporary(result)->address;
  rt::LaunchOp::create(builder, loc, kernel.getSymName(), reshaped(from, shape),
                       reshaped(to, result.getShape()), DenseI64ArrayAttr());
  return to;
}

LogicalResult TaskLowering::lowerAllGather(dist::AllGatherOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto [before, size, after] = around(input.getShape(), op.getDim());
  int64_t ranks = result.getDimSize(op.getDim()) / size;
  Value from = addressOf(op.getInput());
  Value to = place(op->getOpResult(0)).address;
  if (before == 1) {
    rt::AllGatherOp::create(builder, loc, from, to, op.getAxes());
    return success();
  }
  // The ranks' blocks come one after the other; the dim is further in.
  Value blocks = newTemporary(MemRefType::get({ranks, before, size * after},
                                              input.getElementType()))
                     ->address;
  rt::AllGatherOp::create(builder, loc, from, blocks, op.getAxes());
  emitTranspose(blocks, {ranks, before, size * after}, {1, 0, 2}, to);
  return success();
}

LogicalResult TaskLowering::lowerReduceScatter(dist::ReduceScatterOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto [before, size, after] = around(result.getShape(), op.getDim());
  int64_t ranks = input.getDimSize(op.getDim()) / size;
  Value from = addressOf(op.getInput());
  if (before != 1)
    from = emitTranspose(from, {before, ranks, size * after}, {1, 0, 2}, {});
  rt::ReduceScatterOp::create(builder, loc, from,
                              place(op->getOpResult(0)).address, op.getAxes());
  return success();
}

LogicalResult TaskLowering::lowerAllToAll(dist::AllToAllOp op) {
  // Blocks along `to` go out; blocks along `from` come in.
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto [before, size, after] = around(input.getShape(), op.getTo());
  int64_t ranks = size / result.getDimSize(op.getTo());
  int64_t part = size / ranks * after;
  Value from = addressOf(op.getInput());
  if (before != 1)
    from = emitTranspose(from, {before, ranks, part}, {1, 0, 2}, {});
  SmallVector<int64_t> block(input.getShape());
  block[op.getTo()] /= ranks;
  auto [outer, own, inner] = around(block, op.getFrom());
  Value to = place(op->getOpResult(0)).address;
  if (outer == 1) {
    rt::AllToAllOp::create(builder, loc, from, to, op.getAxes());
    return success();
  }
  Value blocks = newTemporary(MemRefType::get({ranks, outer, own * inner},
                                              input.getElementType()))
                     ->address;
  rt::AllToAllOp::create(builder, loc, from, blocks, op.getAxes());
  emitTranspose(blocks, {ranks, outer, own * inner}, {1, 0, 2}, to);
  return success();
}

LogicalResult TaskLowering::lowerShardSlice(dist::ShardSliceOp op) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto [before, size, after] = around(result.getShape(), op.getDim());
  int64_t ranks = input.getDimSize(op.getDim()) / size;
  Value from = addressOf(op.getInput());
  if (before != 1)
    from = emitTranspose(from, {before, ranks, size * after}, {1, 0, 2}, {});
  rt::ShardSliceOp::create(builder, loc, from,
                           place(op->getOpResult(0)).address, op.getAxes());
  return success();
}

} // namespace

LogicalResult pcc::lowerTask(pipe::TaskOp task, rt::StageOp stage,
                             SingleOpKernels &kernels) {
  return TaskLowering(task, stage, kernels).run();
}
