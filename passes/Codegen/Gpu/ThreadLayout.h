//===- ThreadLayout.h - Which thread does what of a kernel ------*- C++ -*-===//
//
// A kernel's units (rows, say) are shared out among teams of threads. A team
// does a unit, or a tile of one: of a row of a hundred million columns each
// block does some thousand. A block is one or several teams:
//
//     rows of 768, reduced      a warp each, four of them a block
//     rows of 16384, reduced    512 threads, which are a block
//     rows of 8, elementwise    2 threads, 128 rows a block
//     sums over rows            a block for 128 columns: 32 threads that take
//                               4 columns each, times 8 that share the rows;
//                               for fewer columns where these are few
//     rows of 768 in groups,    two warps a group, whose threads have 12
//     which are summed, too     columns, the same of all of its rows
//
// Of each sweep over columns a thread takes `width` at a time, which it moves
// by one access where that is 16 bytes; the next are threads * width further,
// so that neighbours read neighbouring elements:
//
//     thread   0    1    2   ...  31    0    1   ...
//     column  0-3  4-7  8-11    124-127 128-131 ...
//
// Which elements a thread takes depends only on a sweep's columns. What it has
// written it may read again without waiting for others.
//
// Where units read the same rows, teams do several units one after another, in
// rounds, and the rows are read once for all units of the block (SameRows.h):
//
//     unit = block * teams * rounds + round * teams + team
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

/// The lanes of a warp.
inline constexpr int64_t kWarp = 32;
/// What a thread moves by one access.
inline constexpr int64_t kAccessBytes = 16;
/// The most threads that a block may have.
inline constexpr int64_t kMostBlock = 1024;
/// Fewer blocks leave most cores of a large device idle; kernels that move
/// little do with so many.
inline constexpr int64_t kFewBlocks = 128;

/// The columns of a sweep: so many or, where a unit has fewer than its block of
/// columns, at most so many.
struct SweepColumns {
  /// The columns, or the most there are.
  int64_t most;
  /// Whether they differ among units.
  bool isDynamic;
  bool operator<(const SweepColumns &other) const {
    return std::tie(most, isDynamic) < std::tie(other.most, other.isDynamic);
  }
};

/// What decides how a kernel's threads are laid out beside its IR.
struct LayoutLimits {
  /// Columns of a unit of a column sum or scatter.
  int64_t columnBlock = 128;
  /// Teams have no fewer threads: those of smaller ones cannot wait for each
  /// other.
  int64_t leastThreads = 1;
  /// Units may be divided into tiles.
  bool mayTile = true;
  /// Blocks may have rows that are the same for their units in shared memory.
  bool mayShareRows = true;
  /// The most warps of a block that do a unit each.
  int64_t mostWarps = 8;
  /// The most slices of a block, unless it had less than a warp then.
  int64_t mostSlices = kMostBlock;
  /// Bytes of shared memory that a block may have.
  int64_t sharedBytes = sharedOfBlock(kDefaultChip);
};

/// How the threads of a kernel's blocks share its units.
struct ThreadLayout {
  /// Units of the kernel.
  int64_t units = 1;
  /// Threads of a team: a power of two.
  int64_t threads = 1;
  /// Teams of a block.
  int64_t teams = 1;
  /// Threads that take the same columns and share the rows that are summed.
  int64_t slices = 1;
  /// A unit is rows that the team takes one after another; threads have twice
  /// the registers, for what they read of a row and for sums.
  bool isOfGroups = false;
  /// Units that a team does one after another.
  int64_t rounds = 1;
  /// Units of a block are so many apart.
  int64_t stride = 1;
  /// Rows that a block reads once, for all of its units.
  llvm::SmallVector<SameRow> sameRows;
  /// Teams that share a unit; each takes tileColumns of its columns.
  int64_t tiles = 1, tileColumns = 0;
  /// Columns that a thread takes at a time, by sweep.
  std::map<SweepColumns, int64_t> widths;

  /// Threads of a block.
  int64_t block() const { return threads * teams * slices; }
  /// Blocks of the kernel.
  int64_t grid() const { return llvm::divideCeil(units, perBlock()) * tiles; }
  /// Units of a block.
  int64_t perBlock() const { return teams * rounds; }
  /// Threads of a team wait for each other by a warp's barrier.
  bool isWarp() const { return threads <= kWarp; }
};

/// The columns of an op over one dim; `most` is the limit's block of columns
/// where they are dynamic.
SweepColumns columnsOf(mlir::linalg::GenericOp op, const LayoutLimits &limits);

/// A number that divides an index of kernel IR wherever it is computed; 0 where
/// the index is 0. `units` is the extent of the kernel's forall.
int64_t divisorOf(mlir::Value index, int64_t units);

/// Whether a loop sums up rows, as many in each unit: it adds to rows that are
/// private to the unit.
bool sumsRows(mlir::scf::ForOp loop);

/// The loop of a unit over a group of rows, which it sums up beside what else
/// it does with each; null: it has none.
mlir::scf::ForOp findGroupLoop(mlir::Block &unit);

/// Lays out a kernel in kernel IR.
ThreadLayout layOut(mlir::func::FuncOp kernel, const LayoutLimits &limits);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_THREADLAYOUT_H
