//===- ThreadLayout.h - Mapping of work items to threads --------*- C++ -*-===//
//
// The work items of a kernel (rows, for example) are distributed over thread
// groups. A thread group computes a work item, or a tile of one: a row of a
// hundred million columns is split into tiles of a few thousand. A block has
// one or several thread groups:
//
//     rows of 768, reduced      a warp each, up to eight of them a block
//     rows of 16384, reduced    512 threads, which are a block
//     rows of 8, elementwise    2 threads, 128 rows a block
//     sums over rows            a block for 128 columns: 32 threads that take
//                               4 columns each, times 8 that split the rows;
//                               fewer columns if there would be few blocks
//     rows of 768 in groups,    two warps a group, whose threads have 12
//     which are summed, too     columns, the same of all of its rows
//
// In each pass over columns, a thread takes `width` consecutive columns at a
// time, by one access of at most 16 bytes. Its next columns are threads *
// width further, so that accesses of neighbouring threads are coalesced:
//
//     thread   0    1    2   ...  31    0    1   ...
//     column  0-3  4-7  8-11    124-127 128-131 ...
//
// The columns of a thread depend only on the columns of the pass. A thread may
// therefore read what it wrote itself without a barrier.
//
// If several work items read the same rows, the block reads those rows once for
// all of its work items (SameRows.h). Each thread group computes several work
// items in rounds:
//
//     work item = block * teams * rounds + round * teams + team
//
// If the work items that read the same rows are `stride` apart, so are those of
// a block.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_THREADLAYOUT_H
#define PCC_PASSES_CODEGEN_GPU_THREADLAYOUT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Gpu/SameRows.h"
#include "runtime/Chips.h"

namespace pcc::codegen {

/// Threads per warp.
inline constexpr int64_t kWarp = 32;
/// Bytes of the widest access of a thread.
inline constexpr int64_t kAccessBytes = 16;
/// The maximum number of threads per block.
inline constexpr int64_t kMostBlock = 1024;
/// The minimum number of blocks for kernels that move little data; fewer would
/// leave multiprocessors of a large device idle.
inline constexpr int64_t kFewBlocks = 128;

/// The number of columns of a pass over a row. It is exact, or an upper bound
/// where the last work item may have fewer columns than its block of columns.
struct PassColumns {
  /// The number of columns, or its upper bound.
  int64_t most;
  /// Whether the number differs between work items.
  bool isDynamic;
  bool operator<(const PassColumns &other) const {
    return std::tie(most, isDynamic) < std::tie(other.most, other.isDynamic);
  }
};

/// Constraints on the thread layout of a kernel, in addition to its IR.
struct LayoutLimits {
  /// The maximum number of columns per work item of a column sum or scatter.
  int64_t columnBlock = 128;
  /// The minimum number of threads per thread group. Thread groups smaller than
  /// a warp cannot use barriers.
  int64_t leastThreads = 1;
  /// Whether a work item may be split into tiles.
  bool mayTile = true;
  /// Whether blocks may cache the rows that all of their work items read in
  /// shared memory.
  bool mayShareRows = true;
  /// The maximum number of warps per block if each warp computes a work item.
  int64_t mostWarps = 8;
  /// The maximum number of slices per block, unless the block would be less
  /// than a warp.
  int64_t mostSlices = kMostBlock;
  /// The maximum shared memory per block, in bytes.
  int64_t sharedBytes = sharedOfBlock(kDefaultChip);
};

/// The mapping of a kernel's work items to thread groups and blocks.
struct ThreadLayout {
  /// The number of work items of the kernel.
  int64_t units = 1;
  /// Threads per thread group: a power of two.
  int64_t threads = 1;
  /// Thread groups per block.
  int64_t teams = 1;
  /// The number of threads that take the same columns and split the rows that
  /// are summed.
  int64_t slices = 1;
  /// Whether a work item is a group of rows that the thread group processes one
  /// after another. Threads then have twice the registers, for the elements of
  /// a row and for sums.
  bool isOfGroups = false;
  /// Work items that a thread group computes one after another.
  int64_t rounds = 1;
  /// The distance between the work items of a block.
  int64_t stride = 1;
  /// The rows that a block reads once, for all of its work items.
  llvm::SmallVector<SameRow> sameRows;
  /// The number of thread groups that share a work item; each takes tileColumns
  /// columns.
  int64_t tiles = 1, tileColumns = 0;
  /// Consecutive columns of a thread's access, by the columns of the pass.
  std::map<PassColumns, int64_t> widths;

  /// Threads per block.
  int64_t block() const { return threads * teams * slices; }
  /// The number of blocks of the kernel.
  int64_t grid() const { return llvm::divideCeil(units, perBlock()) * tiles; }
  /// Work items per block.
  int64_t perBlock() const { return teams * rounds; }
  /// Whether a thread group fits in a warp, so that a warp barrier synchronizes
  /// it.
  bool isWarp() const { return threads <= kWarp; }
};

/// Returns the columns of a one-dimensional op; `most` is `limits.columnBlock`
/// if they are dynamic.
PassColumns columnsOf(mlir::linalg::GenericOp op, const LayoutLimits &limits);

/// Returns a power of two that divides an index of kernel IR for every work
/// item, or 0 if the index is always 0. `units` is the extent of the kernel's
/// forall.
int64_t divisorOf(mlir::Value index, int64_t units);

/// Whether a loop with a static trip count accumulates into rows that are
/// private to the work item.
bool sumsRows(mlir::scf::ForOp loop);

/// Returns the loop of a work item that both sums up a group of rows and
/// computes something else for each row; null if there is none.
mlir::scf::ForOp findGroupLoop(mlir::Block &unit);

/// Chooses the thread layout of a kernel in kernel IR.
ThreadLayout layOut(mlir::func::FuncOp kernel, const LayoutLimits &limits);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_THREADLAYOUT_H
