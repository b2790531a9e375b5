//===- DeviceEmitter.h - Code of one thread from kernel IR ------*- C++ -*-===//
//
// Emits the code of one thread for a kernel in kernel IR. All threads of a
// thread group execute the ops outside of generics redundantly, but only one
// stores to device memory. Each thread computes its own columns of a generic. A
// reduction's result is available in all threads of the group:
//
//     %a = memref.alloca() : memref<f32>      the thread's accumulator
//     memref.store %zero, %a[]
//     linalg.generic ... outs(%a)             a loop over its columns, then
//     %s = memref.load %a[]                   shuffles: the same sum in each
//
// A temporary row is allocated in the block's shared memory, or in registers if
// each thread accesses only its own columns. A barrier is emitted before an
// access that conflicts with an access of another thread since the last
// barrier; Hazards records these accesses. Loops and reductions over several
// warps emit barriers, too.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_DEVICEEMITTER_H
#define PCC_PASSES_CODEGEN_GPU_DEVICEEMITTER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "passes/Codegen/Gpu/KeptRows.h"
#include "passes/Codegen/Gpu/RunningSum.h"
#include "passes/Codegen/Gpu/Slice.h"
#include "passes/Codegen/Gpu/ThreadLayout.h"

namespace pcc::codegen {

/// Returns the op that combines an element, its second operand, with the
/// accumulator of output `out` in the body of a generic. Null if there is none.
mlir::Operation *combinerOf(mlir::linalg::GenericOp op, unsigned out);
/// Whether `value` is the identity of a combining op.
bool isNeutral(mlir::Operation *joining, mlir::Value value);

struct TargetCompare;

/// The memory accesses of a thread group's threads since their last barrier.
class Hazards {
public:
  /// An access to a memory. Two accesses with the same `columns`, `width` and
  /// `offset` touch the same elements in each thread, so they need no barrier.
  /// An access with a `width` of 0 is by the whole thread group.
  struct Touch {
    /// The offset of the row in the memory.
    mlir::Value offset;
    /// The columns of the pass over the row; negative if the thread group takes
    /// one tile of them.
    int64_t columns = 0;
    /// Consecutive columns that a thread accesses at once.
    int64_t width = 0;
    bool isWrite = false;
  };
  /// Records an access to a memory, which is an argument or a temporary.
  /// Returns whether a barrier is needed before it.
  bool note(mlir::Value memory, Touch touch);
  /// Forgets all accesses: they are complete after a barrier.
  void clear() { touches.clear(); }

private:
  llvm::MapVector<mlir::Value, llvm::SmallVector<Touch>> touches;
};

/// Fills a gpu.func with one thread's code of a kernel in kernel IR.
class DeviceEmitter {
public:
  /// `function` has the kernel's parameters and an empty entry block.
  DeviceEmitter(mlir::func::FuncOp kernel, mlir::gpu::GPUFuncOp function,
                const ThreadLayout &layout, const LayoutLimits &limits);

  /// Emits the code. Fails with a diagnostic if the kernel's IR cannot be
  /// lowered to a device. If the layout does not fit the kernel, fails without
  /// a diagnostic, and getConflict() returns the reason.
  mlir::LogicalResult emit();

  /// The reason why a layout does not fit the kernel. NeedsWarps: a barrier is
  /// needed within thread groups that are smaller than a warp, or larger than a
  /// warp but smaller than their block. NeedsUntiled: a tile accesses
  /// elements that other tiles access.
  enum class Conflict { None, NeedsWarps, NeedsUntiled };
  /// The conflict that made emit() fail, or None.
  Conflict getConflict() const { return conflict; }
  /// Bytes of shared memory per block; valid after emit().
  int64_t getSharedBytes() const { return sharedBytes; }

private:
  /// Emits the work items of the thread group.
  mlir::LogicalResult emitWorkItems(mlir::scf::ForallOp forall,
                                    mlir::Value block);
  /// Emits the work item that the forall's induction variable is mapped to.
  mlir::LogicalResult emitWorkItem(mlir::scf::ForallOp forall,
                                   mlir::Value isUnit);
  /// Emits the block's loads of the rows that all of its work items read into
  /// shared memory. `unit` is one of the work items, `induction` the forall's
  /// variable.
  void readSameRows(mlir::Value induction, mlir::Value unit);
  mlir::LogicalResult emitBody(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult emitBranch(mlir::scf::IfOp branch);
  mlir::LogicalResult emitColumnSum(mlir::scf::ForOp loop);
  mlir::LogicalResult emitGroup(mlir::scf::ForOp loop);
  /// Emits a loop from `first` to the loop's upper bound by `step`, whose ops
  /// accumulate into rows that are private to the thread.
  mlir::FailureOr<mlir::scf::ForOp> emitSums(mlir::scf::ForOp loop,
                                             mlir::Value first, int64_t step,
                                             llvm::ArrayRef<mlir::Value> sums);
  mlir::LogicalResult emitStore(mlir::memref::StoreOp store);
  mlir::LogicalResult emitAlloca(mlir::memref::AllocaOp alloca);

  /// The columns of a pass over a row.
  struct Columns {
    PassColumns key;
    int64_t width;    ///< consecutive columns of a thread's access
    mlir::Value size; ///< the number of columns if it is dynamic
    bool isTiled;     ///< the thread group computes one tile of them
  };
  mlir::LogicalResult emitRowPass(mlir::linalg::GenericOp op);
  /// Emits both passes of a running sum as one; afterwards `held` has the
  /// results of both.
  mlir::LogicalResult emitRunningSum(const RunningSum &running);
  /// Combines the accumulators `numbers` of a generic's reductions with `count`
  /// columns from each of `firsts` on.
  void takeColumns(mlir::linalg::GenericOp op,
                   llvm::ArrayRef<mlir::Value> firsts, int64_t count,
                   int64_t width, llvm::MutableArrayRef<mlir::Value> numbers);
  /// Emits exp(x) of an f32 x; the relative error is below 2^-22 + |x| 2^-23.
  mlir::Value emitExp(mlir::Value x);
  /// Register values of a generic's outs. A reduction has `width` partial
  /// accumulators; a row that is private to the thread has `width` values in
  /// each step.
  using Held = llvm::SmallVector<mlir::Value>;
  /// Returns the register values of some accumulators, concatenated.
  Held heldBy(llvm::ArrayRef<mlir::Value> sums);
  /// Replaces the register values of some accumulators; the inverse of
  /// heldBy().
  void hold(llvm::ArrayRef<mlir::Value> sums, mlir::ValueRange values);
  /// Computes `count` columns from `column` on, and returns the updated
  /// register values. Private rows are accessed at step `step`.
  Held emitColumns(mlir::linalg::GenericOp op, mlir::Value column,
                   int64_t count, int64_t width, mlir::ValueRange held,
                   int64_t step);
  /// Emits an op of a generic's body for one column.
  void emitScalar(mlir::Operation &inner, mlir::IRMapping &local,
                  mlir::Value column);
  /// Emits the ops that depend on a target comparison, for all columns at once.
  /// `locals` map the other values of each column.
  void emitTargetOps(mlir::linalg::GenericOp op, const TargetCompare &question,
                     llvm::MutableArrayRef<mlir::IRMapping> locals);
  /// Loads `count` elements of a generic's operand.
  llvm::SmallVector<mlir::Value> load(mlir::OpOperand &operand,
                                      mlir::Value column, int64_t count);
  /// Loads the elements like load(), or returns zeros if a condition that is
  /// the same for the whole row shows that they are unused.
  Held loadIfUsed(mlir::linalg::GenericOp op, mlir::OpOperand &operand,
                  mlir::Value column, int64_t count);
  /// Emits loads of a generic's operands, `count` columns from each of `firsts`
  /// on, ahead of any branch, so that they are outstanding together. The values
  /// stay in `loaded` for both passes of a running sum.
  void loadAhead(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::Value> firsts,
                 int64_t count);
  void store(mlir::ValueRange values, mlir::OpOperand &out, mlir::Value column);
  /// Loads `count` elements of a memory from index `at` on.
  llvm::SmallVector<mlir::Value> loadFrom(mlir::Value buffer, mlir::Value at,
                                          int64_t count);
  void storeTo(mlir::ValueRange values, mlir::Value buffer, mlir::Value at);
  /// Returns the shared memory that caches a row which all work items of the
  /// block read; null if the memref is no such row.
  mlir::Value findSameRow(mlir::Value memref);
  mlir::LogicalResult checkHazards(mlir::linalg::GenericOp op,
                                   const Columns &columns);
  mlir::LogicalResult touch(mlir::Value buffer, Hazards::Touch touch);
  /// The memory of a buffer; that of a temporary belongs to the thread group.
  mlir::Value memory(mlir::Value buffer) { return map.lookup(buffer); }
  /// The index in the buffer of column `column` of a slice.
  mlir::Value element(Slice slice, mlir::Value column);

  /// Combines two values by a clone of a generic's combining op.
  mlir::Value join(mlir::Operation *joining, mlir::Value a, mlir::Value b);
  /// Combines the values of `threads` neighbouring lanes; every lane gets the
  /// result.
  mlir::Value reduceLanes(mlir::Operation *joining, mlir::Value value,
                          int64_t threads);
  mlir::Value shuffle(mlir::Value value, int64_t distance);
  /// Combines the partial results of several reductions over the threads of the
  /// thread group; every thread gets the results.
  void reduceGroup(llvm::ArrayRef<mlir::Operation *> joining,
                   llvm::MutableArrayRef<mlir::Value> values);
  /// Emits a barrier for the thread group.
  void wait();
  /// Emits a barrier for the block.
  void waitForBlock();
  /// Allocates shared memory; `isPerGroup`: once for each thread group of the
  /// block.
  mlir::Value allocateShared(mlir::Type element, int64_t length,
                             bool isPerGroup);
  mlir::Value index(int64_t value);
  /// Builds the condition that this thread is the first of the threads that
  /// compute the same values; null if there is only one.
  mlir::Value isFirst();

  mlir::func::FuncOp kernel;
  mlir::gpu::GPUFuncOp function;
  const ThreadLayout &layout;
  const LayoutLimits &limits;
  mlir::ImplicitLocOpBuilder b;
  /// Maps values of kernel IR to values of the thread's code.
  mlir::IRMapping map;
  /// Ids of this thread: its lane in the thread group and its number in the
  /// block; the numbers of the group in the block and of the tile in the work
  /// item; and the slice.
  mlir::Value lane, thread, team, tile, slice;
  /// The shared memory of the block.
  mlir::Value shared;
  /// Register values of accumulators, and of rows that are private to the
  /// thread.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> held;
  /// The loop over the rows of a group, if there is one.
  mlir::scf::ForOp group;
  /// Maps an argument to the result that may share its memory.
  llvm::DenseMap<mlir::Value, mlir::Value> sameMemory;
  /// Pairs of passes that are emitted as one.
  llvm::SmallVector<RunningSum> runningSums;
  /// While columns are emitted: an upper bound of their indices, or 0 if
  /// unknown.
  int64_t columnsEnd = 0;
  /// While a running sum is emitted: the value x in exp(y - x) that emitExp()
  /// computes.
  mlir::Value subtracted;
  /// Loads of the current step of a running sum, which both of its passes read.
  struct Loaded {
    Slice from;
    mlir::Value column;
    Held values;
  };
  llvm::SmallVector<Loaded> loaded;
  bool keepsLoads = false;
  /// Rows that a work item's passes keep in shared memory, and their memories.
  KeptRows kept;
  llvm::SmallVector<mlir::Value> keptRows;
  /// The shared memories of the layout's sameRows.
  llvm::SmallVector<mlir::Value> sameRows;
  Hazards hazards;
  /// Whether a barrier within a work item was emitted.
  bool hasWaited = false;
  /// Whether each thread accesses the same columns of all rows, so that no
  /// barrier is needed.
  bool ownsColumns = false;
  int64_t sharedBytes = 0;
  Conflict conflict = Conflict::None;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_DEVICEEMITTER_H
