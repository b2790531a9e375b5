//===- ToLLVM.cpp - Lowering of stages to runtime calls -------------------===//

#include "analysis/ElementTypes.h"
#include "dialects/NN/Location.h"
#include "passes/Codegen/Emit/CallData.h"
#include "passes/Codegen/Emit/Communication.h"
#include "passes/Codegen/Emit/StageToLLVM.h"
#include "passes/Codegen/Gpu/Device.h"
#include "passes/Codegen/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pcc {
#define GEN_PASS_DEF_RTTOLLVMPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

Value RuntimeCalls::call(OpBuilder &builder, Location loc, StringRef name,
                         ValueRange arguments, Type result) {
  LLVM::LLVMFuncOp &function = declared[name];
  if (!function)
    function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    SmallVector<Type> types(arguments.getTypes());
    Type returned =
        result ? result : LLVM::LLVMVoidType::get(builder.getContext());
    function =
        LLVM::LLVMFuncOp::create(outside, module.getLoc(), name,
                                 LLVM::LLVMFunctionType::get(returned, types));
  }
  auto made = LLVM::CallOp::create(builder, loc, function, arguments);
  return result ? made.getResult() : Value();
}

StageToLLVM::StageToLLVM(ModuleOp module, rt::StageOp stage,
                         rt::ProgramOp program, bool forgets, DataBuilder &data,
                         Constants &constants, Attentions &attentions)
    : module(module), stage(stage), program(program), forgets(forgets),
      data(data), runtime(module), builder(module.getContext()),
      pointer(LLVM::LLVMPointerType::get(module.getContext())),
      constants(constants), attentions(attentions) {
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    buffers[buffer.getSymName()] = buffer;
    if (buffer.getKind() == rt::BufferKind::Input)
      inputs.try_emplace(buffer.getSymName(), inputs.size());
  }
  // Events are numbered in their order in the stage, one number per slot.
  int64_t number = 0;
  for (auto event : stage.getBlock()->getOps<rt::EventOp>()) {
    events[event.getSymName()] = event;
    firstNumbers[event] = number;
    number += event.getSlots();
  }
}

LogicalResult StageToLLVM::run() {
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    if (failed(lower(function)))
      return failure();
  return success();
}

LogicalResult StageToLLVM::lower(rt::FuncOp function) {
  builder.setInsertionPointToEnd(module.getBody());
  loc = function.getLoc();
  addresses.clear();
  unused.clear();
  nodeBlock = nullptr;
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
  if (nodeBlock == builder.getInsertionBlock() && said == node)
    return;
  call("pcc_set_node", {data.addString(node).emit(builder, loc)});
  nodeBlock = builder.getInsertionBlock();
  said = node;
}

LogicalResult StageToLLVM::lower(Operation *op) {
  if (rt::isCollective(op) || isa<rt::ShardSliceOp, rt::CopyOp, rt::ZeroOp,
                                  rt::SendOp, rt::RecvOp, rt::ExchangeOp>(op))
    setNode(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<rt::ForOp, rt::AddressOp, rt::TemporaryOp, rt::LaunchOp,
            rt::GroupedGemmOp, rt::AllReduceOp, rt::ShardSliceOp,
            rt::CommIndexOp>([&](auto op) { return lowerOp(op); })
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
        return lowerGathering(op, "pcc_all_gather");
      })
      .Case([&](rt::ReduceScatterOp op) {
        return lowerGathering(op, "pcc_reduce_scatter");
      })
      .Case([&](rt::AllToAllOp op) {
        return lowerGathering(op, "pcc_all_to_all");
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
    Value whole = rt::getViewedBuffer(access.buffer);
    // An asynchronous transfer may start before the compute stream reaches this
    // point.
    if (unused.erase(whole) && rt::getStream(op) == PCC_COMPUTE_STREAM)
      forget(whole);
  }
}

LogicalResult StageToLLVM::lowerOp(rt::AddressOp op) {
  rt::BufferOp buffer = buffers.lookup(op.getBuffer());
  if (!buffer.getOffset())
    return op.emitOpError("names a buffer without offset; run --rt-plan");
  int64_t offset = *buffer.getOffset(), slots = buffer.getSlots();
  if (buffer.getKind() == rt::BufferKind::Part) {
    FailureOr<Value> number = comm(op, buffer.getShardAxes());
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

LogicalResult StageToLLVM::lowerOp(rt::GroupedGemmOp op) {
  if (module.lookupSymbol<gpu::GPUModuleOp>(codegen::kDeviceModule))
    return op.emitOpError("calls a library that programs for GPUs lack; with "
                          "--nn-expand-experts=tiles kernels compute grouped "
                          "contractions");
  Datum desc = data.add(
      "pcc.grouped_gemm",
      groupedGemmDatum(op, data.addString(nn::sourceNode(op.getLoc()))));
  call("pcc_grouped_gemm",
       {desc.emit(builder, loc), address(op.getA()), address(op.getB()),
        address(op.getC()), address(op.getEnds())});
  return success();
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
  callAttention(op, "pcc_attention_grad", attentionDatum(op, data));
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
  // The callee may have set another node.
  nodeBlock = nullptr;
}

LogicalResult StageToLLVM::lowerOp(rt::LaunchOp op) {
  auto [it, isNew] = kernels.try_emplace(op.getKernel());
  if (isNew) {
    FailureOr<Datum> kernel = kernelDatum(op, data);
    if (failed(kernel))
      return failure();
    it->second = data.add("pcc.kernel", *kernel);
  }
  for (auto [index, buffer] : llvm::enumerate(op->getOperands()))
    LLVM::StoreOp::create(builder, loc, address(buffer),
                          at(arguments, 8 * index));
  callOn(op, "pcc_launch", {it->second.emit(builder, loc), arguments});
  return success();
}

LogicalResult StageToLLVM::lowerOp(rt::AllReduceOp op) {
  FailureOr<Value> number = comm(op, op.getAxes());
  FailureOr<Value> type = dtype(op, op.getBuffers()[0]);
  if (failed(number) || failed(type))
    return failure();
  pcc_collective described = *codegen::describeCollective(op, program);
  callOn(op, "pcc_all_reduce",
         {*number, *type, i32(described.reduction), address(op.getBuffers()[0]),
          i64(described.count)});
  return success();
}

LogicalResult StageToLLVM::lowerGathering(Operation *op, StringRef name) {
  auto axes = op->getAttrOfType<ArrayAttr>("axes");
  Value in = op->getOperand(0), out = op->getOperand(1);
  FailureOr<Value> number = comm(op, axes);
  FailureOr<Value> type = dtype(op, in);
  if (failed(number) || failed(type))
    return failure();
  Value count;
  if (auto described = codegen::describeCollective(op, program)) {
    count = i64(described->count);
  } else {
    // The count of an all_to_all is a rank's block: the input divided by the
    // ranks.
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

namespace {
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
