//===- ToLLVM.cpp - Stages become functions that call the runtime ---------===//

#include "analysis/ElementTypes.h"
#include "dialects/NN/Location.h"
#include "passes/Codegen/Emit/Data.h"
#include "passes/Codegen/Emit/Descriptor.h"
#include "passes/Codegen/Gpu/Device.h"
#include "passes/Codegen/Passes.h"
#include "runtime/Runtime.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>
#include <map>
#include <tuple>

namespace pcc {
#define GEN_PASS_DEF_RTTOLLVMPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// The runtime's functions, declared when first called.
class Runtime {
public:
  explicit Runtime(ModuleOp module) : module(module) {}

  /// Calls `name`, whose parameter types are the arguments'.
  Value call(OpBuilder &builder, Location loc, StringRef name,
             ValueRange arguments, Type result = {}) {
    LLVM::LLVMFuncOp &function = declared[name];
    if (!function)
      function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!function) {
      OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
      SmallVector<Type> types(arguments.getTypes());
      Type returned =
          result ? result : LLVM::LLVMVoidType::get(builder.getContext());
      function = LLVM::LLVMFuncOp::create(
          outside, module.getLoc(), name,
          LLVM::LLVMFunctionType::get(returned, types));
    }
    auto made = LLVM::CallOp::create(builder, loc, function, arguments);
    return result ? made.getResult() : Value();
  }

private:
  ModuleOp module;
  llvm::StringMap<LLVM::LLVMFuncOp> declared;
};

/// Turns the functions of one stage into LLVM functions of the module. Bodies
/// take the context, their frame and their buffers; entry points the context
/// and the arena.
class StageToLLVM {
public:
  StageToLLVM(ModuleOp module, rt::StageOp stage, rt::ProgramOp program,
              bool forgets, DataBuilder &data, Constants &constants,
              Attentions &attentions)
      : module(module), stage(stage), program(program), forgets(forgets),
        data(data), runtime(module), builder(module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())),
        constants(constants), attentions(attentions) {
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
      buffers[buffer.getSymName()] = buffer;
      if (buffer.getKind() == rt::BufferKind::Input)
        inputs.try_emplace(buffer.getSymName(), inputs.size());
    }
    // Events are numbered as they stand, slot by slot.
    int64_t number = 0;
    for (auto event : stage.getBlock()->getOps<rt::EventOp>()) {
      events[event.getSymName()] = event;
      firstNumbers[event] = number;
      number += event.getSlots();
    }
  }

  LogicalResult run() {
    for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
      if (failed(lower(function)))
        return failure();
    return success();
  }

private:
  LogicalResult lower(rt::FuncOp function);
  LogicalResult lower(Operation *op);
  LogicalResult lowerAll(Block &block);
  LogicalResult lowerOp(rt::ForOp op);
  LogicalResult lowerTurns(rt::ForOp op, rt::GraphOp graph);
  void lowerOp(rt::GraphOp op);
  /// Whether the graph's ops are to be issued, from a turn of a loop on.
  Value beginGraph(rt::GraphOp op, Value turn);
  void endGraph();
  LogicalResult lowerOp(rt::AddressOp op);
  LogicalResult lowerOp(rt::TemporaryOp op);
  /// Has messages name the node of an op whose call does not say it.
  void setNode(Operation *op);
  /// Has the device forget temporaries that an op is the first to use.
  void forgetFresh(Operation *op);
  void forget(Value buffer) {
    call("pcc_forget", {address(buffer), bytesOf(buffer)});
  }
  void lowerOp(rt::ConstantOp op);
  void lowerOp(rt::EventOfOp op);
  void lowerOp(rt::RecordOp op);
  void lowerOp(rt::WaitOp op);
  void lowerOp(rt::ViewOp op);
  FailureOr<Datum> kernelDatum(rt::LaunchOp op);
  LogicalResult lowerOp(rt::LaunchOp op);
  void lowerOp(rt::GemmOp op);
  void lowerOp(rt::AttentionOp op);
  void lowerOp(rt::AttentionGradOp op);
  void lowerOp(rt::CopyOp op);
  void lowerOp(rt::ZeroOp op);
  LogicalResult lowerOp(rt::AllReduceOp op);
  LogicalResult lowerGathering(Operation *op, StringRef name, Value counted);
  LogicalResult lowerOp(rt::ShardSliceOp op);
  LogicalResult lowerOp(rt::CommIndexOp op);
  void lowerOp(rt::SendOp op);
  void lowerOp(rt::RecvOp op);
  void lowerOp(rt::ExchangeOp op);
  void lowerOp(rt::FillOp op);
  void lowerOp(rt::CallOp op);
  void callAttention(Operation *op, StringRef name, const Datum &desc);
  FailureOr<Value> comm(Operation *op, ArrayAttr axes);
  FailureOr<Value> dtype(Operation *op, Value buffer);

  /// The slot that an op names, of `count` from `first` on, relative to the
  /// loop around it.
  template <typename OpT>
  Value slotInLoop(OpT op, int64_t count, int64_t first = 0) {
    Value slot = LLVM::AddOp::create(builder, loc, variable, i64(op.getSlot()));
    slot = LLVM::URemOp::create(builder, loc, slot, i64(count));
    return first ? LLVM::AddOp::create(builder, loc, slot, i64(first)) : slot;
  }
  /// The address of a slot that is known as the program runs.
  Value slotAddress(rt::BufferOp buffer, Value slot);
  /// Where a slot of a buffer begins whose slots lie anywhere.
  Value slotOffset(rt::BufferOp buffer, Value slot);
  /// The address of an integer, times the index in a communicator unless that
  /// is negative.
  Value constant(int64_t comm, int64_t value);
  Value address(Value buffer) { return addresses.lookup(buffer); }
  Value i32(int64_t value) { return Datum::i32(value).emit(builder, loc); }
  Value i64(int64_t value) { return Datum::i64(value).emit(builder, loc); }
  Value bytesOf(Value buffer) {
    return i64(rt::getSpanBytes(cast<MemRefType>(buffer.getType())));
  }
  Value countOf(Value buffer) {
    return i64(cast<MemRefType>(buffer.getType()).getNumElements());
  }
  /// `base` plus a constant number of bytes.
  Value at(Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    // A constant index of the op itself has 32 bits; arenas have more.
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               LLVM::GEPArg(i64(bytes)));
  }
  void call(StringRef name, ArrayRef<Value> arguments) {
    SmallVector<Value> all = {context};
    all.append(arguments.begin(), arguments.end());
    runtime.call(builder, loc, name, all);
  }
  /// The same on the stream of `op`: the compute stream has calls of its own.
  void callOn(Operation *op, StringRef name, ArrayRef<Value> arguments) {
    int64_t stream = rt::getStream(op);
    if (stream == PCC_COMPUTE_STREAM)
      return call(name, arguments);
    SmallVector<Value> all = {i32(stream)};
    all.append(arguments.begin(), arguments.end());
    call((name + "_async").str(), all);
  }

  ModuleOp module;
  rt::StageOp stage;
  rt::ProgramOp program;
  bool forgets; ///< whether the device is told what holds nothing
  DataBuilder &data;
  Runtime runtime;
  OpBuilder builder;
  Type pointer;
  Location loc = UnknownLoc::get(builder.getContext());
  llvm::StringMap<rt::BufferOp> buffers;
  /// Their numbers, as the descriptor lists them.
  llvm::StringMap<int64_t> inputs;
  llvm::StringMap<rt::EventOp> events;
  /// Of each event, that of its first slot.
  llvm::DenseMap<Operation *, int64_t> firstNumbers;
  llvm::StringMap<Datum> kernels; ///< by name, as the runtime knows them
  /// By shape and element types.
  std::map<std::tuple<const void *, std::array<int32_t, 3>, int>, Datum> gemms;
  /// By buffer whose slots lie anywhere, where they do.
  DenseMap<Operation *, Datum> slotTables;
  Constants &constants;
  Attentions &attentions;
  // Of the function at hand; `base` is the arena or the frame, `variable` what
  // the loop is at.
  Value context, base, arguments, variable;
  /// The graph at hand, and where it goes on behind it; until the loop that it
  /// is turns of there is no such place.
  rt::GraphOp graph;
  Block *behindGraph = nullptr;
  /// Of buffers the addresses, of events the numbers.
  DenseMap<Value, Value> addresses;
  /// The temporaries that no op has used.
  llvm::SmallDenseSet<Value> unused;
  /// What setNode() said last, if it was in this block; null: nothing.
  Block *saidIn = nullptr;
  StringRef said;
};

LogicalResult StageToLLVM::lower(rt::FuncOp function) {
  builder.setInsertionPointToEnd(module.getBody());
  loc = function.getLoc();
  addresses.clear();
  unused.clear();
  saidIn = nullptr;
  auto parameters = function.getBlock()->getArguments();
  SmallVector<Type> types(2, pointer);
  for (BlockArgument parameter : parameters)
    types.push_back(isa<rt::EventType>(parameter.getType())
                        ? Type(builder.getI32Type())
                        : pointer);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), types);
  auto made = LLVM::LLVMFuncOp::create(
      builder, loc, stageSymbol(stage, function.getSymName()), type,
      LLVM::Linkage::Internal);
  Block *block = made.addEntryBlock(builder);
  builder.setInsertionPointToStart(block);
  context = block->getArgument(0);
  base = block->getArgument(1);
  for (BlockArgument parameter : parameters)
    addresses[parameter] = block->getArgument(2 + parameter.getArgNumber());

  // One array, reused, for the arguments of every kernel.
  size_t most = 0;
  for (auto launch : function.getBlock()->getOps<rt::LaunchOp>())
    most = std::max<size_t>(most, launch->getNumOperands());
  if (most > 0)
    arguments =
        LLVM::AllocaOp::create(builder, loc, pointer, pointer, i64(most));
  if (failed(lowerAll(*function.getBlock())))
    return failure();
  endGraph();
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return success();
}

FailureOr<Value> StageToLLVM::comm(Operation *op, ArrayAttr axes) {
  int64_t index = program.getCommIndex(axes, rt::getStream(op));
  if (index < 0)
    return LogicalResult(op->emitOpError()
                         << "is over " << axes
                         << ", which is no communicator of the program");
  return i32(index);
}

FailureOr<Value> StageToLLVM::dtype(Operation *op, Value buffer) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int32_t number = analysis::dtypeOf(element);
  if (number < 0)
    return LogicalResult(op->emitOpError()
                         << "has elements of type " << element
                         << ", which the runtime does not know");
  return i32(number);
}

void StageToLLVM::setNode(Operation *op) {
  StringRef node = nn::sourceNode(op->getLoc());
  if (saidIn == builder.getInsertionBlock() && said == node)
    return;
  call("pcc_set_node", {data.addString(node).emit(builder, loc)});
  saidIn = builder.getInsertionBlock();
  said = node;
}

LogicalResult StageToLLVM::lower(Operation *op) {
  if (rt::isCollective(op) || isa<rt::ShardSliceOp, rt::CopyOp, rt::ZeroOp,
                                  rt::SendOp, rt::RecvOp, rt::ExchangeOp>(op))
    setNode(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<rt::ForOp, rt::AddressOp, rt::TemporaryOp, rt::LaunchOp,
            rt::AllReduceOp, rt::ShardSliceOp, rt::CommIndexOp>(
          [&](auto op) { return lowerOp(op); })
      .Case<rt::ConstantOp, rt::ViewOp, rt::EventOfOp, rt::RecordOp, rt::WaitOp,
            rt::GemmOp, rt::AttentionOp, rt::AttentionGradOp, rt::CopyOp,
            rt::ZeroOp, rt::SendOp, rt::RecvOp, rt::ExchangeOp, rt::FillOp,
            rt::CallOp, rt::GraphOp>([&](auto op) {
        lowerOp(op);
        return success();
      })
      .Case([&](rt::ReleaseOp op) {
        if (forgets)
          forget(op.getBuffer());
        return success();
      })
      .Case([&](rt::AllGatherOp op) {
        return lowerGathering(op, "pcc_all_gather", op.getInput());
      })
      .Case([&](rt::ReduceScatterOp op) {
        return lowerGathering(op, "pcc_reduce_scatter", op.getOutput());
      })
      .Case([&](rt::AllToAllOp op) {
        return lowerGathering(op, "pcc_all_to_all", {});
      })
      .Default([](Operation *op) {
        return LogicalResult(op->emitOpError("has no form in LLVM"));
      });
}

LogicalResult StageToLLVM::lowerAll(Block &block) {
  for (Operation &op : block) {
    loc = op.getLoc();
    forgetFresh(&op);
    if (failed(lower(&op)))
      return failure();
  }
  return success();
}

void StageToLLVM::forgetFresh(Operation *op) {
  for (const rt::Access &access : rt::getAccesses(op)) {
    Value whole = rt::getWhole(access.buffer);
    // A message may be under way before the compute stream gets there.
    if (unused.erase(whole) && rt::getStream(op) == PCC_COMPUTE_STREAM)
      forget(whole);
  }
}

Value StageToLLVM::beginGraph(rt::GraphOp op, Value turn) {
  std::string name =
      llvm::formatv("graph {0}, {1}@{2}", op.getIndex(),
                    op.getTurns() ? "turns of the loop of " : "of ",
                    op->getParentOfType<rt::FuncOp>().getSymName());
  Value issued = runtime.call(builder, loc, "pcc_graph_begin",
                              {context, i32(op.getIndex()), turn,
                               data.addString(name).emit(builder, loc)},
                              builder.getI32Type());
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, issued,
                              i32(0));
}

void StageToLLVM::endGraph() {
  if (behindGraph) {
    call("pcc_graph_end", {i32(graph.getIndex())});
    LLVM::BrOp::create(builder, loc, ValueRange(), behindGraph);
    builder.setInsertionPointToStart(behindGraph);
  }
  graph = {};
  behindGraph = nullptr;
}

void StageToLLVM::lowerOp(rt::GraphOp op) {
  endGraph();
  graph = op;
  if (op.getTurns())
    return;
  Value isIssued = beginGraph(op, i64(0));
  Block *before = builder.getInsertionBlock();
  Block *inside = builder.createBlock(before->getParent());
  behindGraph = builder.createBlock(before->getParent());
  builder.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(builder, loc, isIssued, inside, ValueRange(),
                         behindGraph, ValueRange());
  builder.setInsertionPointToStart(inside);
}

/// A loop around one of the turns of a graph, which are issued or not.
LogicalResult StageToLLVM::lowerTurns(rt::ForOp op, rt::GraphOp graph) {
  Block *before = builder.getInsertionBlock();
  Region *function = before->getParent();
  auto addBlock = [&](TypeRange types) {
    SmallVector<Location> locations(types.size(), loc);
    return builder.createBlock(function, {}, types, locations);
  };
  auto isLess = [&](Value value, Value end) {
    return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt, value,
                                end);
  };
  Type integer = builder.getI64Type();
  Block *launch = addBlock(integer), *turn = addBlock(integer),
        *issued = addBlock({}), *next = addBlock({}), *after = addBlock({});
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, ValueRange(i64(op.getBegin())), launch);

  builder.setInsertionPointToEnd(launch);
  Value first = launch->getArgument(0);
  Value behind =
      LLVM::AddOp::create(builder, loc, first, i64(int64_t(*graph.getTurns())));
  Value isIssued = beginGraph(graph, first);
  LLVM::CondBrOp::create(builder, loc, isIssued, turn, ValueRange(first), next,
                         ValueRange());

  builder.setInsertionPointToEnd(turn);
  variable = turn->getArgument(0);
  if (failed(lowerAll(*op.getBlock())))
    return failure();
  loc = op.getLoc();
  Value following = LLVM::AddOp::create(builder, loc, variable, i64(1));
  LLVM::CondBrOp::create(builder, loc, isLess(following, behind), turn,
                         ValueRange(following), issued, ValueRange());

  builder.setInsertionPointToEnd(issued);
  call("pcc_graph_end", {i32(graph.getIndex())});
  LLVM::BrOp::create(builder, loc, ValueRange(), next);

  builder.setInsertionPointToEnd(next);
  LLVM::CondBrOp::create(builder, loc, isLess(behind, i64(op.getEnd())), launch,
                         ValueRange(behind), after, ValueRange());
  builder.setInsertionPointToStart(after);
  variable = Value();
  return success();
}

LogicalResult StageToLLVM::lowerOp(rt::ForOp op) {
  if (graph && graph.getTurns())
    return lowerTurns(op, std::exchange(graph, rt::GraphOp()));
  Block *before = builder.getInsertionBlock();
  Block *turn =
      builder.createBlock(before->getParent(), {}, builder.getI64Type(), loc);
  variable = turn->getArgument(0);
  if (failed(lowerAll(*op.getBlock())))
    return failure();
  loc = op.getLoc();
  Value next = LLVM::AddOp::create(builder, loc, variable, i64(1));
  Value isLess = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::slt,
                                      next, i64(op.getEnd()));
  Block *after = builder.createBlock(before->getParent());
  builder.setInsertionPointToEnd(turn);
  LLVM::CondBrOp::create(builder, loc, isLess, turn, ValueRange(next), after,
                         ValueRange());
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, ValueRange(i64(op.getBegin())), turn);
  builder.setInsertionPointToStart(after);
  variable = Value();
  return success();
}

LogicalResult StageToLLVM::lowerOp(rt::AddressOp op) {
  rt::BufferOp buffer = buffers.lookup(op.getBuffer());
  if (!buffer.getOffset())
    return op.emitOpError("names a buffer without offset; run --rt-plan");
  int64_t offset = *buffer.getOffset(), slots = buffer.getSlots();
  if (buffer.getKind() == rt::BufferKind::Part) {
    FailureOr<Value> number = comm(op, buffer.getCut());
    if (failed(number))
      return failure();
    Value index = runtime.call(builder, loc, "pcc_comm_index",
                               {context, *number}, builder.getI64Type());
    Value bytes =
        LLVM::MulOp::create(builder, loc, index, i64(buffer.getBytes()));
    addresses[op] =
        LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                            at(base, offset), LLVM::GEPArg(bytes));
    return success();
  }
  auto [first, turns] = op.getTurns(slots);
  if (!op.getLoop() || turns == 1) {
    addresses[op] = at(base, buffer.getSlotOffset(op.getSlotAt(0, slots)));
    return success();
  }
  addresses[op] = slotAddress(buffer, slotInLoop(op, turns, first));
  return success();
}

Value StageToLLVM::slotAddress(rt::BufferOp buffer, Value slot) {
  Value from = base, bytes;
  if (buffer.getOthers()) {
    bytes = slotOffset(buffer, slot);
  } else {
    bytes = LLVM::MulOp::create(builder, loc, slot, i64(buffer.getSlotBytes()));
    from = at(base, int64_t(*buffer.getOffset()));
  }
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), from,
                             LLVM::GEPArg(bytes));
}

Value StageToLLVM::slotOffset(rt::BufferOp buffer, Value slot) {
  auto [table, isNew] = slotTables.try_emplace(buffer, Datum::null());
  if (isNew) {
    SmallVector<int64_t> offsets;
    for (int64_t i = 0; i < int64_t(buffer.getSlots()); ++i)
      offsets.push_back(buffer.getSlotOffset(i));
    table->second = data.addArray("pcc.slots", offsets);
  }
  Value entry =
      LLVM::GEPOp::create(builder, loc, pointer, builder.getI64Type(),
                          table->second.emit(builder, loc), LLVM::GEPArg(slot));
  return LLVM::LoadOp::create(builder, loc, builder.getI64Type(), entry);
}

LogicalResult StageToLLVM::lowerOp(rt::TemporaryOp op) {
  if (!op.getOffset())
    return op.emitOpError("has no offset; run --rt-plan");
  addresses[op] = at(base, int64_t(*op.getOffset()));
  if (forgets)
    unused.insert(op);
  return success();
}

Value StageToLLVM::constant(int64_t comm, int64_t value) {
  return runtime.call(builder, loc, "pcc_constant_at",
                      {context, i32(constants.numberOf(comm, value))}, pointer);
}

void StageToLLVM::lowerOp(rt::ConstantOp op) {
  addresses[op] = constant(/*comm=*/-1, op.getValue());
}

void StageToLLVM::lowerOp(rt::EventOfOp op) {
  rt::EventOp event = events.lookup(op.getEvent());
  int64_t first = firstNumbers.lookup(event), slots = event.getSlots();
  if (!op.getLoop() || slots == 1) {
    addresses[op] = i32(first + op.getSlotAt(0, slots));
    return;
  }
  Value number =
      LLVM::AddOp::create(builder, loc, slotInLoop(op, slots), i64(first));
  addresses[op] =
      LLVM::TruncOp::create(builder, loc, builder.getI32Type(), number);
}

void StageToLLVM::lowerOp(rt::RecordOp op) {
  call("pcc_record", {i32(op.getStream()), address(op.getEvent())});
}

void StageToLLVM::lowerOp(rt::WaitOp op) {
  call("pcc_wait", {i32(op.getStream()), address(op.getEvent())});
}

void StageToLLVM::lowerOp(rt::ViewOp op) {
  int64_t bytes = rt::getElementBytes(op.getType().getElementType());
  addresses[op] = at(address(op.getSource()), int64_t(op.getOffset()) * bytes);
}

/// What pcc_gemm, or with an epilogue pcc_gemm_fused, takes: a constant per
/// shape, which many calls share, and which names the first one's node.
static Datum gemmDatum(rt::GemmAttr s, const std::array<int32_t, 3> &dtypes,
                       std::optional<rt::Epilogue> epilogue, Datum node) {
  SmallVector<Datum> fields;
  for (int32_t dtype : dtypes)
    fields.push_back(Datum::i32(dtype));
  for (bool transposed : {s.getTransA(), s.getTransB()})
    fields.push_back(Datum::i32(transposed));
  for (int64_t extent :
       {s.getM(), s.getN(), s.getK(), s.getLda(), s.getLdb(), s.getLdc()})
    fields.push_back(Datum::i64(extent));
  for (DenseI64ArrayAttr pair : {s.getBatch(), s.getA(), s.getB(), s.getC()})
    for (int64_t value : pair.asArrayRef())
      fields.push_back(Datum::i64(value));
  for (FloatAttr factor : {s.getAlpha(), s.getBeta()})
    fields.push_back(Datum::f32(factor.getValueAsDouble()));
  fields.push_back(std::move(node));
  Datum product = Datum::structure(fields);
  if (!epilogue)
    return product;
  return Datum::structure({product, Datum::i32(int32_t(*epilogue))});
}

static_assert(int(rt::Epilogue::None) == PCC_NO_EPILOGUE &&
              int(rt::Epilogue::Bias) == PCC_BIAS &&
              int(rt::Epilogue::Gelu) == PCC_GELU &&
              int(rt::Epilogue::GeluGrad) == PCC_GELU_GRAD &&
              int(rt::Epilogue::SumA) == PCC_SUM_A &&
              int(rt::Epilogue::SumB) == PCC_SUM_B);

void StageToLLVM::lowerOp(rt::GemmOp op) {
  auto dtypeOf = [](Value buffer) {
    return analysis::dtypeOf(
        cast<MemRefType>(buffer.getType()).getElementType());
  };
  std::array<int32_t, 3> dtypes = {dtypeOf(op.getA()), dtypeOf(op.getB()),
                                   dtypeOf(op.getC())};
  std::optional<rt::Epilogue> epilogue;
  if (!op.isPlain())
    epilogue = op.getEpilogue();
  auto [it, isNew] =
      gemms.try_emplace({op.getShape().getAsOpaquePointer(), dtypes,
                         epilogue ? int(*epilogue) : -1});
  if (isNew)
    it->second = data.add(
        "pcc.gemm", gemmDatum(op.getShape(), dtypes, epilogue,
                              data.addString(nn::sourceNode(op.getLoc()))));
  SmallVector<Value> all = {it->second.emit(builder, loc), address(op.getA()),
                            address(op.getB()), address(op.getC())};
  if (!epilogue)
    return call("pcc_gemm", all);
  Value null = LLVM::ZeroOp::create(builder, loc, pointer);
  for (Value beside : {op.getVector(), op.getMatrix(), op.getAdded()})
    all.push_back(beside ? address(beside) : null);
  call("pcc_gemm_fused", all);
}

/// A pcc_attention_desc; `cotangents`, `samples` and `workspace` of the
/// backward pass.
template <typename Op>
static Datum attentionDatum(Op op, DataBuilder &data,
                            ValueRange cotangents = {}, int64_t samples = 0,
                            int64_t workspace = 0) {
  auto typeOf = [](Value buffer) { return cast<MemRefType>(buffer.getType()); };
  MemRefType q = typeOf(op.getQ()), k = typeOf(op.getK());
  SmallVector<Datum> fields = {
      Datum::i32(analysis::dtypeOf(q.getElementType())),
      Datum::i32(samples > 0), Datum::i32(op.getCausal())};
  for (int64_t extent : {q.getDimSize(0), q.getDimSize(1), k.getDimSize(1),
                         q.getDimSize(2), k.getDimSize(2), q.getDimSize(3)})
    fields.push_back(Datum::i64(extent));
  SmallVector<Value> strided = {op.getQ(), op.getK(), op.getV()};
  llvm::append_range(strided, cotangents);
  for (Value buffer : strided) {
    SmallVector<int64_t> strides = rt::getStrides(typeOf(buffer));
    for (int64_t stride : ArrayRef(strides).drop_back())
      fields.push_back(Datum::i64(stride));
  }
  if (cotangents.empty())
    fields.append(9, Datum::i64(0));
  fields.push_back(Datum::f32(op.getScale().convertToDouble()));
  fields.push_back(Datum::i64(samples));
  fields.push_back(Datum::i64(workspace));
  fields.push_back(data.addString(nn::sourceNode(op.getLoc())));
  return Datum::structure(fields);
}

void StageToLLVM::callAttention(Operation *op, StringRef name,
                                const Datum &desc) {
  Datum place = data.add("pcc.attention", desc);
  attentions[stage].push_back(place);
  SmallVector<Value> arguments = {place.emit(builder, loc)};
  for (Value buffer : op->getOperands())
    arguments.push_back(address(buffer));
  call(name, arguments);
}

void StageToLLVM::lowerOp(rt::AttentionOp op) {
  callAttention(op, "pcc_attention", attentionDatum(op, data));
}

void StageToLLVM::lowerOp(rt::AttentionGradOp op) {
  callAttention(op, "pcc_attention_grad",
                attentionDatum(op, data, {op.getDq(), op.getDk(), op.getDv()},
                               op.getSamples(),
                               rt::getSpanBytes(op.getWorkspace().getType())));
}

void StageToLLVM::lowerOp(rt::CopyOp op) {
  call("pcc_copy",
       {address(op.getTo()), address(op.getFrom()), bytesOf(op.getTo())});
}

void StageToLLVM::lowerOp(rt::ZeroOp op) {
  call("pcc_zero", {address(op.getTo()), bytesOf(op.getTo())});
}

LogicalResult StageToLLVM::lowerOp(rt::CommIndexOp op) {
  FailureOr<Value> number = comm(op, op.getAxes());
  if (failed(number))
    return failure();
  addresses[op] = constant(program.getCommIndex(op.getAxes()), op.getTimes());
  return success();
}

void StageToLLVM::lowerOp(rt::SendOp op) {
  callOn(op, "pcc_send",
         {i32(op.getStage()), i32(op.getChannel()), address(op.getBuffer()),
          bytesOf(op.getBuffer())});
}

void StageToLLVM::lowerOp(rt::RecvOp op) {
  callOn(op, "pcc_recv",
         {i32(op.getStage()), i32(op.getChannel()), address(op.getBuffer()),
          bytesOf(op.getBuffer())});
}

void StageToLLVM::lowerOp(rt::FillOp op) {
  rt::AddressOp named = op.getAddress();
  Value microbatch = i64(named.getSlot());
  if (named.getLoop())
    microbatch = LLVM::AddOp::create(builder, loc, variable, microbatch);
  callOn(op, "pcc_fill",
         {i32(inputs.lookup(named.getBuffer())), microbatch,
          address(op.getBuffer()), bytesOf(op.getBuffer())});
}

void StageToLLVM::lowerOp(rt::ExchangeOp op) {
  call("pcc_exchange",
       {i32(op.getToStage()), i32(op.getSendChannel()), address(op.getSent()),
        bytesOf(op.getSent()), i32(op.getFromStage()), i32(op.getRecvChannel()),
        address(op.getReceived()), bytesOf(op.getReceived())});
}

void StageToLLVM::lowerOp(rt::CallOp op) {
  Value frame = base;
  if (auto symbol = op.getFrame()) {
    rt::BufferOp buffer = buffers.lookup(*symbol);
    int64_t slots = buffer.getSlots();
    frame = slots == 1
                ? at(base, int64_t(*buffer.getOffset()))
                : slotAddress(buffer, LLVM::URemOp::create(
                                          builder, loc, variable, i64(slots)));
  }
  SmallVector<Value> args = {context, frame};
  for (Value arg : op.getArgs())
    args.push_back(address(arg));
  LLVM::CallOp::create(builder, loc, TypeRange(),
                       FlatSymbolRefAttr::get(
                           op.getContext(), stageSymbol(stage, op.getCallee())),
                       args);
  // It may have said another one.
  saidIn = nullptr;
}

/// The pcc_kernel that an op launches.
FailureOr<Datum> StageToLLVM::kernelDatum(rt::LaunchOp op) {
  SmallVector<int64_t> bytes;
  for (Type type : op->getOperandTypes())
    bytes.push_back(rt::getSpanBytes(cast<MemRefType>(type)));
  auto make = [&](StringRef name, Datum run, int64_t units, int64_t grain,
                  const std::array<int64_t, 3> &launched) {
    return Datum::structure(
        {data.addString(name), data.addString(nn::sourceNode(op.getLoc())),
         Datum::i32(bytes.size()),
         data.addArray("pcc.bytes", ArrayRef<int64_t>(bytes)), run,
         Datum::i64(units), Datum::i64(grain), Datum::i32(launched[0]),
         Datum::i32(launched[1]), Datum::i32(launched[2])});
  };
  std::string onDevice = codegen::deviceName(op.getKernel());
  if (auto device =
          module.lookupSymbol<gpu::GPUModuleOp>(codegen::kDeviceModule))
    if (auto kernel = device.lookupSymbol<gpu::GPUFuncOp>(onDevice)) {
      codegen::DeviceKernel made = codegen::describeDeviceKernel(kernel);
      return make(onDevice, Datum::null(), 0, 0,
                  {made.grid, made.block, made.shared});
    }
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(op.getKernel());
  auto units = function ? function->getAttrOfType<IntegerAttr>(rt::kUnitsAttr)
                        : IntegerAttr();
  auto grain = function ? function->getAttrOfType<IntegerAttr>(rt::kGrainAttr)
                        : IntegerAttr();
  if (!units || !grain)
    return LogicalResult(op.emitOpError() << "launches " << op.getKernelAttr()
                                          << ", which is no lowered kernel");
  return make(op.getKernel(), Datum::address(op.getKernel()), units.getInt(),
              grain.getInt(), {0, 0, 0});
}

LogicalResult StageToLLVM::lowerOp(rt::LaunchOp op) {
  auto [it, isNew] = kernels.try_emplace(op.getKernel());
  if (isNew) {
    FailureOr<Datum> kernel = kernelDatum(op);
    if (failed(kernel))
      return failure();
    it->second = data.add("pcc.kernel", *kernel);
  }
  for (auto [index, buffer] : llvm::enumerate(op->getOperands()))
    LLVM::StoreOp::create(builder, loc, address(buffer),
                          at(arguments, 8 * index));
  call("pcc_launch", {it->second.emit(builder, loc), arguments});
  return success();
}

LogicalResult StageToLLVM::lowerOp(rt::AllReduceOp op) {
  FailureOr<Value> number = comm(op, op.getAxes());
  FailureOr<Value> type = dtype(op, op.getBuffers()[0]);
  if (failed(number) || failed(type))
    return failure();
  Type element =
      cast<MemRefType>(op.getBuffers()[0].getType()).getElementType();
  int64_t count = op.getBytes() / rt::getElementBytes(element);
  bool isMax = op.getReduction() == rt::Reduction::Max;
  callOn(op, "pcc_all_reduce",
         {*number, *type, i32(isMax ? PCC_MAX : PCC_SUM),
          address(op.getBuffers()[0]), i64(count)});
  return success();
}

/// `counted` is the buffer whose elements are the block; null: an all_to_all,
/// whose block is a rank's share of the input.
LogicalResult StageToLLVM::lowerGathering(Operation *op, StringRef name,
                                          Value counted) {
  auto axes = op->getAttrOfType<ArrayAttr>("axes");
  Value in = op->getOperand(0), out = op->getOperand(1);
  FailureOr<Value> number = comm(op, axes);
  FailureOr<Value> type = dtype(op, in);
  if (failed(number) || failed(type))
    return failure();
  Value count;
  if (counted) {
    count = countOf(counted);
  } else {
    int64_t ranks = 1;
    for (Attribute axis : axes)
      ranks *= program.getAxisSize(cast<StringAttr>(axis).getValue());
    count = i64(cast<MemRefType>(in.getType()).getNumElements() / ranks);
  }
  SmallVector<Value> arguments = {*number, *type, address(in), address(out),
                                  count};
  if (auto scatter = dyn_cast<rt::ReduceScatterOp>(op))
    arguments.push_back(i32(scatter.getAdds()));
  callOn(op, name, arguments);
  return success();
}

LogicalResult StageToLLVM::lowerOp(rt::ShardSliceOp op) {
  FailureOr<Value> number = comm(op, op.getAxes());
  if (failed(number))
    return failure();
  Value index = runtime.call(builder, loc, "pcc_comm_index", {context, *number},
                             builder.getI64Type());
  Value bytes = bytesOf(op.getOutput());
  Value offset = LLVM::MulOp::create(builder, loc, index, bytes);
  Value from =
      LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                          address(op.getInput()), LLVM::GEPArg(offset));
  call("pcc_copy", {address(op.getOutput()), from, bytes});
  return success();
}

struct RTToLLVMPass : pcc::impl::RTToLLVMPassBase<RTToLLVMPass> {
  using RTToLLVMPassBase::RTToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto programs = module.getOps<rt::ProgramOp>();
    if (programs.empty()) {
      module.emitError("has no rt.program");
      return signalPassFailure();
    }
    rt::ProgramOp program = *programs.begin();
    DataBuilder data(module);
    Constants constants;
    Attentions attentions;
    for (auto stage : llvm::to_vector(module.getOps<rt::StageOp>()))
      if (failed(StageToLLVM(module, stage, program, forgets, data, constants,
                             attentions)
                     .run()))
        return signalPassFailure();
    if (failed(emitDescriptor(module, data, constants, attentions)))
      return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<rt::StageOp, rt::ProgramOp>(op))
        op.erase();
  }
};

} // namespace
