//===- DeviceEmitter.h - Kernel IR as code of one thread --------*- C++ -*-===//
//
// Writes what one thread does of a kernel. Ops of kernel IR outside of generics
// are done by all threads of a team alike, the columns of a generic by each
// thread for its own; what a row is reduced to all threads of the team get:
//
//     %a = memref.alloca() : memref<f32>      what each thread adds up,
//     memref.store %zero, %a[]
//     linalg.generic ... outs(%a)             a loop over its columns, then
//     %s = memref.load %a[]                   shuffles: the same sum in each
//
// A temporary of a row lies in the block's shared memory. Threads wait for each
// other where one touches what another has touched, and only there: Hazards
// keeps what was touched since they last did.
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

/// The op by which the body of a generic adds an element to its out of a
/// number, as the second operand; null: there is none.
mlir::Operation *joiningOp(mlir::linalg::GenericOp op, unsigned out);
/// Whether joining a value with another leaves that.
bool isNeutral(mlir::Operation *joining, mlir::Value value);

struct Question;

/// What threads of a team have touched since they last waited for each other.
class Hazards {
public:
  /// Elements that go by the columns of a sweep: those of one thread in each of
  /// two sweeps are the same where these are. Of a whole team where `width` is
  /// 0.
  struct Touch {
    /// Where the row begins.
    mlir::Value offset;
    /// The sweep's columns, negative if it does a tile of them.
    int64_t columns = 0;
    /// Columns that a thread takes at a time.
    int64_t width = 0;
    /// Whether the elements are written.
    bool isWrite = false;
  };
  /// Notes a touch of a memory, an argument or temporary; whether the threads
  /// have to wait for each other before it.
  bool note(mlir::Value memory, Touch touch);
  /// Of what was noted, nothing is under way any more.
  void clear() { touches.clear(); }

private:
  llvm::MapVector<mlir::Value, llvm::SmallVector<Touch>> touches;
};

/// Fills a gpu.func with one thread's part of a kernel in kernel IR.
class DeviceEmitter {
public:
  /// `function` has the kernel's parameters and an empty entry block.
  DeviceEmitter(mlir::func::FuncOp kernel, mlir::gpu::GPUFuncOp function,
                const ThreadLayout &layout, const LayoutLimits &limits);

  /// Writes the code. Fails with a diagnostic where the kernel's IR has no such
  /// form; where the layout does not allow it, getConflict() says so instead.
  mlir::LogicalResult emit();

  /// What stands against the layout: none; teams whose threads cannot wait for
  /// each other; tiles that touch what others touch.
  enum class Conflict { None, NeedsWarps, NeedsWholeUnits };
  /// The conflict for which emit() failed, if any.
  Conflict getConflict() const { return conflict; }
  /// Bytes of shared memory of a block; known afterwards.
  int64_t getSharedBytes() const { return sharedBytes; }

private:
  /// Emits what the team does of its units.
  mlir::LogicalResult emitUnits(mlir::scf::ForallOp forall, mlir::Value block);
  /// Emits the unit that is mapped.
  mlir::LogicalResult emitUnit(mlir::scf::ForallOp forall, mlir::Value isUnit);
  /// Has the block read the rows that are the same for its units, of which
  /// `unit` is one.
  void readSameRows(mlir::Value induction, mlir::Value unit);
  mlir::LogicalResult emitBody(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult emitBranch(mlir::scf::IfOp branch);
  mlir::LogicalResult emitColumnSum(mlir::scf::ForOp loop);
  mlir::LogicalResult emitGroup(mlir::scf::ForOp loop);
  /// Emits a loop from `first` on whose ops add to rows that are private to the
  /// thread.
  mlir::FailureOr<mlir::scf::ForOp> emitSums(mlir::scf::ForOp loop,
                                             mlir::Value first, int64_t step,
                                             llvm::ArrayRef<mlir::Value> sums);
  mlir::LogicalResult emitStore(mlir::memref::StoreOp store);
  mlir::LogicalResult emitAlloca(mlir::memref::AllocaOp alloca);

  /// The columns of a sweep.
  struct Columns {
    SweepColumns key;
    int64_t width;    ///< that a thread takes at a time
    mlir::Value size; ///< where they are dynamic
    bool isTiled;     ///< this team does those of its tile
  };
  mlir::LogicalResult emitSweep(mlir::linalg::GenericOp op);
  /// Both sweeps; after that, what both have made is held.
  mlir::LogicalResult emitRunningSum(const RunningSum &running);
  /// Joins numbers of a generic's reductions with `count` columns from each of
  /// some on.
  void takeColumns(mlir::linalg::GenericOp op,
                   llvm::ArrayRef<mlir::Value> firsts, int64_t count,
                   int64_t width, llvm::MutableArrayRef<mlir::Value> numbers);
  /// e to the power of an f32 x; relative error below 2^-22 + |x| 2^-23.
  mlir::Value powerOf(mlir::Value x);
  /// What a thread holds for a generic's outs: of each out that is a reduction
  /// or a private row, `width` values, of rows in each step.
  using Held = llvm::SmallVector<mlir::Value>;
  /// What is held for some sums, one after the other, and the same set anew.
  Held heldBy(llvm::ArrayRef<mlir::Value> sums);
  void hold(llvm::ArrayRef<mlir::Value> sums, mlir::ValueRange values);
  /// Computes `count` columns from `column` on, those of step `step` of private
  /// rows.
  Held emitColumns(mlir::linalg::GenericOp op, mlir::Value column,
                   int64_t count, int64_t width, mlir::ValueRange held,
                   int64_t step);
  /// Computes an op of a generic's body for a column.
  void emitScalar(mlir::Operation &inner, mlir::IRMapping &local,
                  mlir::Value column);
  /// Computes what depends on a question for columns of which `locals` have all
  /// else.
  void emitAnswers(mlir::linalg::GenericOp op, const Question &question,
                   llvm::MutableArrayRef<mlir::IRMapping> locals);
  /// The elements of an operand of a generic.
  llvm::SmallVector<mlir::Value> load(mlir::OpOperand &operand,
                                      mlir::Value column, int64_t count);
  /// The same, or zeros in rows where nothing looks at them.
  Held loadIfUsed(mlir::linalg::GenericOp op, mlir::OpOperand &operand,
                  mlir::Value column, int64_t count);
  /// Has loads of a generic's operands, from each of some columns on, under way
  /// before there is a branch; what is loaded is kept until all is used.
  void loadAhead(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::Value> firsts,
                 int64_t count);
  void store(mlir::ValueRange values, mlir::OpOperand &out, mlir::Value column);
  /// Elements of a memory from `at` on.
  llvm::SmallVector<mlir::Value> loadFrom(mlir::Value buffer, mlir::Value at,
                                          int64_t count);
  void storeTo(mlir::ValueRange values, mlir::Value buffer, mlir::Value at);
  /// The shared memory of a row that is the same for the block's units; null:
  /// it is none.
  mlir::Value findSameRow(mlir::Value memref);
  mlir::LogicalResult checkHazards(mlir::linalg::GenericOp op,
                                   const Columns &columns);
  mlir::LogicalResult touch(mlir::Value buffer, Hazards::Touch touch);
  /// Where a buffer begins, of the team's own if it is a temporary.
  mlir::Value memory(mlir::Value buffer) { return map.lookup(buffer); }
  /// The element of a slice.
  mlir::Value element(Slice slice, mlir::Value column);

  /// Joins two values as an op of a generic's body does.
  mlir::Value join(mlir::Operation *joining, mlir::Value a, mlir::Value b);
  /// Joins the values that the lanes `distance` from each other hold.
  mlir::Value joinLanes(mlir::Operation *joining, mlir::Value value,
                        int64_t threads);
  mlir::Value shuffle(mlir::Value value, int64_t distance);
  /// Joins what each thread of the team has of several reductions.
  void joinTeam(llvm::ArrayRef<mlir::Operation *> joining,
                llvm::MutableArrayRef<mlir::Value> values);
  /// Threads of the team wait for each other.
  void wait();
  /// Threads of the block do.
  void waitForBlock();
  /// New shared memory of the block.
  mlir::Value allocateShared(mlir::Type element, int64_t length, bool isOfTeam);
  mlir::Value index(int64_t value);
  /// The condition that this thread is the first of those that do the same.
  mlir::Value isFirst();

  mlir::func::FuncOp kernel;
  mlir::gpu::GPUFuncOp function;
  const ThreadLayout &layout;
  const LayoutLimits &limits;
  mlir::ImplicitLocOpBuilder b;
  /// From kernel IR to the thread's code.
  mlir::IRMapping map;
  /// Ids of this thread: its number in the team and in the block, the team's
  /// number in the block, the tile's in the unit.
  mlir::Value lane, thread, team, tile, slice;
  /// The shared memory of the block.
  mlir::Value shared;
  /// Values of accumulators, and of rows that are private to the thread.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> held;
  /// The loop over the rows of a group, if there is one.
  mlir::scf::ForOp group;
  /// For an argument that a result may lie in, that result.
  llvm::DenseMap<mlir::Value, mlir::Value> sameMemory;
  /// Sweeps that are made in one.
  llvm::SmallVector<RunningSum> runningSums;
  /// While columns are computed: all are below this, 0: that is not known.
  int64_t columnsEnd = 0;
  /// While sweeps are made in one: exponentials of what this was subtracted
  /// from are made by powerOf().
  mlir::Value subtracted;
  /// And what was loaded for one of both, which the other reads, too.
  struct Loaded {
    Slice from;
    mlir::Value column;
    Held values;
  };
  llvm::SmallVector<Loaded> loaded;
  bool keepsLoads = false;
  /// Rows that a unit's sweeps keep, and where.
  KeptRows kept;
  llvm::SmallVector<mlir::Value> keptRows;
  /// Where the layout's sameRows are.
  llvm::SmallVector<mlir::Value> sameRows;
  Hazards hazards;
  /// Whether threads of a team wait for each other within a unit.
  bool hasWaited = false;
  /// Whether each thread touches the same columns of all rows.
  bool ownsColumns = false;
  int64_t sharedBytes = 0;
  Conflict conflict = Conflict::None;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_DEVICEEMITTER_H
