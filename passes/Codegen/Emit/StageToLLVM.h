//===- StageToLLVM.h - A stage's functions call the runtime -----*- C++ -*-===//

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

/// The runtime's functions, declared when first called.
class RuntimeCalls {
public:
  /// Declares them in `module`.
  explicit RuntimeCalls(mlir::ModuleOp module) : module(module) {}

  /// Calls `name`, whose parameter types are the arguments'; null without a
  /// `result`.
  mlir::Value call(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef name, mlir::ValueRange arguments,
                   mlir::Type result = {});

private:
  mlir::ModuleOp module;
  llvm::StringMap<mlir::LLVM::LLVMFuncOp> declared;
};

/// Turns the functions of one stage into LLVM functions of the module. Bodies
/// take the context, their frame and their buffers; entry points the context
/// and the arena.
class StageToLLVM {
public:
  /// `forgets`: whether the device is told what holds nothing. What the code
  /// reads as memory and has the library compute is added to `constants` and
  /// `attentions`.
  StageToLLVM(mlir::ModuleOp module, rt::StageOp stage, rt::ProgramOp program,
              bool forgets, DataBuilder &data, Constants &constants,
              Attentions &attentions);

  /// Adds the functions to the module; fails, with an error, where an op has no
  /// form in LLVM or is not planned.
  mlir::LogicalResult run();

private:
  mlir::LogicalResult lower(rt::FuncOp function);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerAll(mlir::Block &block);
  mlir::LogicalResult lowerOp(rt::ForOp op);
  mlir::LogicalResult lowerTurns(rt::ForOp op, rt::GraphOp graph);
  void lowerOp(rt::GraphOp op);
  /// Whether the graph's ops are to be issued, from a turn of a loop on.
  mlir::Value beginGraph(rt::GraphOp op, mlir::Value turn);
  void endGraph();
  mlir::LogicalResult lowerOp(rt::AddressOp op);
  mlir::LogicalResult lowerOp(rt::TemporaryOp op);
  /// Has messages name the node of an op whose call does not say it.
  void setNode(mlir::Operation *op);
  /// Has the device forget temporaries that an op is the first to use.
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

  /// The slot that an op names, of `count` from `first` on, relative to the
  /// loop around it.
  template <typename OpT>
  mlir::Value slotInLoop(OpT op, int64_t count, int64_t first = 0) {
    mlir::Value slot =
        mlir::LLVM::AddOp::create(builder, loc, variable, i64(op.getSlot()));
    slot = mlir::LLVM::URemOp::create(builder, loc, slot, i64(count));
    return first ? mlir::LLVM::AddOp::create(builder, loc, slot, i64(first))
                 : slot;
  }
  /// The address of a slot that is known as the program runs.
  mlir::Value slotAddress(rt::BufferOp buffer, mlir::Value slot);
  /// Where a slot of a buffer begins whose slots lie anywhere.
  mlir::Value slotOffset(rt::BufferOp buffer, mlir::Value slot);
  /// The address of an integer, times the index in a communicator unless that
  /// is negative.
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
  /// `base` plus a constant number of bytes.
  mlir::Value at(mlir::Value base, int64_t bytes) {
    if (bytes == 0)
      return base;
    // A constant index of the op itself has 32 bits; arenas have more.
    return mlir::LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(),
                                     base, mlir::LLVM::GEPArg(i64(bytes)));
  }
  void call(llvm::StringRef name, llvm::ArrayRef<mlir::Value> arguments) {
    llvm::SmallVector<mlir::Value> all = {context};
    all.append(arguments.begin(), arguments.end());
    runtime.call(builder, loc, name, all);
  }
  /// The same on the stream of `op`: the compute stream has calls of its own.
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
  /// Their numbers, as the descriptor lists them.
  llvm::StringMap<int64_t> inputs;
  llvm::StringMap<rt::EventOp> events;
  /// Of each event, that of its first slot.
  llvm::DenseMap<mlir::Operation *, int64_t> firstNumbers;
  llvm::StringMap<Datum> kernels; ///< by name, as the runtime knows them
  /// By shape and element types.
  std::map<std::tuple<const void *, std::array<int32_t, 3>, int>, Datum> gemms;
  /// By buffer whose slots lie anywhere, where they do.
  llvm::DenseMap<mlir::Operation *, Datum> slotTables;
  Constants &constants;
  Attentions &attentions;
  // Of the function at hand; `base` is the arena or the frame, `variable` what
  // the loop is at.
  mlir::Value context, base, arguments, variable;
  /// The graph at hand, and where it goes on behind it; until the loop that it
  /// is turns of there is no such place.
  rt::GraphOp graph;
  mlir::Block *behindGraph = nullptr;
  /// Of buffers the addresses, of events the numbers.
  llvm::DenseMap<mlir::Value, mlir::Value> addresses;
  /// The temporaries that no op has used.
  llvm::SmallDenseSet<mlir::Value> unused;
  /// What setNode() said last, if it was in this block; null: nothing.
  mlir::Block *saidIn = nullptr;
  llvm::StringRef said;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_STAGETOLLVM_H
