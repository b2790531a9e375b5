//===- StageToLLVM.h - Lowering of a stage to runtime calls -----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_STAGETOLLVM_H
#define PCC_PASSES_CODEGEN_EMIT_STAGETOLLVM_H

#include "dialects/RT/RT.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Codegen/Emit/Data.h"
#include "passes/Codegen/Emit/Descriptor.h"
#include "runtime/Runtime.h"
#include <array>
#include <map>
#include <tuple>

namespace pcc {

/// The runtime's functions, each declared at its first call.
class RuntimeCalls {
public:
  /// Declarations are added to `module`.
  explicit RuntimeCalls(mlir::ModuleOp module) : module(module) {}

  /// Calls `name`, whose parameters have the arguments' types; returns null
  /// without a `result` type.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef name, mlir::ValueRange arguments,
                   mlir::Type result = {});

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> declared;
};

/// Lowers the functions of one stage to LLVM functions of the module. Task
/// bodies take the context, their scratch buffer and their buffers; entry
/// points take the context and the arena.
class StageToLLVM {
public:
  /// `forgets`: whether to call pcc_forget for dead buffers and fresh
  /// temporaries. Integers that kernels read from memory are added to
  /// `constants`, attention calls to `attentions`.
  StageToLLVM(mlir::ModuleOp module, rt::StageOp stage, rt::ProgramOp program,
              bool forgets, DataBuilder &data, Constants &constants,
              Attentions &attentions);

  /// Adds the functions to the module. Fails with an error if an op cannot be
  /// lowered or --rt-plan has not run.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult lower(rt::FuncOp function);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerAll(mlir::Block &block);
  mlir::LogicalResult lowerOp(rt::ForOp op);
  mlir::LogicalResult lowerIterations(rt::ForOp op, rt::GraphOp graph);
  void lowerOp(rt::GraphOp op);
  /// Calls pcc_graph_begin; returns whether the graph's ops must be issued,
  /// from iteration `turn` of a loop on.
  mlir::Value beginGraph(rt::GraphOp op, mlir::Value turn);
  void endGraph();
  mlir::LogicalResult lowerOp(rt::AddressOp op);
  mlir::LogicalResult lowerOp(rt::TemporaryOp op);
  /// Sets the node that messages name, for an op whose call does not pass it.
  void setNode(mlir::Operation *op);
  /// Calls pcc_forget for temporaries whose first use is this op.
  void forgetFresh(mlir::Operation *op);
  void forget(mlir::Value buffer) {
    call("pcc_forget", {address(buffer), bytesOf(buffer)});
  }
  void lowerOp(rt::ConstantOp op);
  void lowerOp(rt::EventOfOp op);
  void lowerOp(rt::RecordOp op);
  void lowerOp(rt::WaitOp op);
  void lowerOp(rt::ViewOp op);
  mlir::LogicalResult lowerOp(rt::LaunchOp op);
  void lowerOp(rt::GemmOp op);
  mlir::LogicalResult lowerOp(rt::GroupedGemmOp op);
  void lowerOp(rt::AttentionOp op);
  void lowerOp(rt::AttentionGradOp op);
  void lowerOp(rt::CopyOp op);
  void lowerOp(rt::ZeroOp op);
  mlir::LogicalResult lowerOp(rt::AllReduceOp op);
  mlir::LogicalResult lowerGathering(mlir::Operation *op, llvm::StringRef name);
  mlir::LogicalResult lowerOp(rt::ShardSliceOp op);
  mlir::LogicalResult lowerOp(rt::CommIndexOp op);
  void lowerOp(rt::SendOp op);
  void lowerOp(rt::RecvOp op);
  void lowerOp(rt::ExchangeOp op);
  void lowerOp(rt::FillOp op);
  void lowerOp(rt::CallOp op);
  void callAttention(mlir::Operation *op, llvm::StringRef name,
                     const Datum &desc);
  mlir::FailureOr<mlir::Value> comm(mlir::Operation *op, mlir::ArrayAttr axes);
  mlir::FailureOr<mlir::Value> dtype(mlir::Operation *op, mlir::Value buffer);

  /// The slot that an op names, relative to the surrounding loop: one of
  /// `count` slots from `first` on.
  template <typename OpT>
  mlir::Value slotInLoop(OpT op, int64_t count, int64_t first = 0) {
    mlir::Value slot =
        mlir::LLVM::AddOp::create(builder, loc, variable, i64(op.getSlot()));
    slot = mlir::LLVM::URemOp::create(builder, loc, slot, i64(count));
    return first ? mlir::LLVM::AddOp::create(builder, loc, slot, i64(first))
                 : slot;
  }
  /// The address of a slot that is only known at run time.
  mlir::Value slotAddress(rt::BufferOp buffer, mlir::Value slot);
  /// The arena offset of a slot of a buffer whose slots are not adjacent.
  mlir::Value slotOffset(rt::BufferOp buffer, mlir::Value slot);
  /// The address of an integer, times the rank's index in a communicator unless
  /// `comm` is negative.
  mlir::Value constant(int64_t comm, int64_t value);
  mlir::Value address(mlir::Value buffer) { return addresses.lookup(buffer); }
  mlir::Value i32(int64_t value) {
    return Datum::i32(value).emit(builder, loc);
  }
  mlir::Value i64(int64_t value) {
    return Datum::i64(value).emit(builder, loc);
  }
  mlir::Value bytesOf(mlir::Value buffer) {
    return i64(
        rt::getSpanBytes(mlir::cast<mlir::MemRefType>(buffer.getType())));
  }
  /// `base` plus a constant offset in bytes.
  mlir::Value at(mlir::Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    // The constant indices of a GEP op have 32 bits; arena offsets may need
    // more.
    return mlir::LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                                     base, mlir::LLVM::GEPArg(i64(bytes)));
  }
  void call(llvm::StringRef name, llvm::ArrayRef<mlir::Value> arguments) {
    llvm::SmallVector<mlir::Value> all = {context};
    all.append(arguments.begin(), arguments.end());
    runtime.call(builder, loc, name, all);
  }
  /// Calls the function on the stream of `op`: `name` for the compute stream,
  /// `name`_async for any other.
  void callOn(mlir::Operation *op, llvm::StringRef name,
              llvm::ArrayRef<mlir::Value> arguments) {
    int64_t stream = rt::getStream(op);
    if (stream == PCC_COMPUTE_STREAM)
      return call(name, arguments);
    llvm::SmallVector<mlir::Value> all = {i32(stream)};
    all.append(arguments.begin(), arguments.end());
    call((name + "_async").str(), all);
  }

  mlir::ModuleOp module;
  rt::StageOp stage;
  rt::ProgramOp program;
  bool forgets;
  DataBuilder &data;
  RuntimeCalls runtime;
  mlir::OpBuilder builder;
  mlir::Type pointer;
  mlir::Location loc = mlir::UnknownLoc::get(builder.getContext());
  llvm::StringMap<rt::BufferOp> buffers;
  /// Indices of inputs, in the order of the descriptor.
  llvm::StringMap<int64_t> inputs;
  llvm::StringMap<rt::EventOp> events;
  /// By event, the number of its first slot.
  llvm::DenseMap<mlir::Operation *, int64_t> firstNumbers;
  llvm::StringMap<Datum> kernels; ///< by kernel name, the pcc_kernel
  /// By shape, element types and epilogue.
  std::map<std::tuple<const void *, std::array<int32_t, 3>, int>, Datum> gemms;
  /// By buffer whose slots are not adjacent, the table of slot offsets.
  llvm::DenseMap<mlir::Operation *, Datum> slotTables;
  Constants &constants;
  Attentions &attentions;
  // State of the current function. `base` is the arena or the scratch buffer,
  // `variable` the loop's induction variable.
  mlir::Value context, base, arguments, variable;
  /// The current graph and the block that follows it. A graph of loop
  /// iterations has no such block: lowerIterations() closes it.
  rt::GraphOp graph;
  mlir::Block *afterGraph = nullptr;
  /// The addresses of buffers, and the numbers of events.
  llvm::DenseMap<mlir::Value, mlir::Value> addresses;
  /// Temporaries without a use so far.
  llvm::SmallDenseSet<mlir::Value> unused;
  /// The block of the last call of pcc_set_node, and the node that was passed.
  /// The block is null if a called function may have set another node since.
  mlir::Block *nodeBlock = nullptr;
  llvm::StringRef said;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_STAGETOLLVM_H
