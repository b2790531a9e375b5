//===- KeptRows.h - Rows kept in shared memory ------------------*- C++ -*-===//
//
// Rows that a work item reads after it has read or written them before are kept
// in shared memory, so that later passes do not read them from device memory:
//
//     pass 0    sum += x[c]                 x[c] also goes to shared memory
//     pass 1    y[c] = (x[c] - sum / n)     x[c] is read from there
//
// A thread takes the same columns in all passes of equal length. It reads only
// elements that it stored itself, so no barrier is needed. The same holds for a
// row that one pass writes and a later one reads.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_KEPTROWS_H
#define PCC_PASSES_CODEGEN_GPU_KEPTROWS_H

#include "passes/Codegen/Gpu/RunningSum.h"
#include "passes/Codegen/Gpu/ThreadLayout.h"

namespace pcc::codegen {

/// The rows that the passes of a work item keep in shared memory.
class KeptRows {
public:
  /// How a pass uses a kept row.
  struct Use {
    /// The row's index in getRows().
    unsigned row;
    /// The elements are read from shared memory.
    bool isKept = false;
    /// The elements that are read or written are also stored to shared memory.
    bool keeps = false;
  };
  /// A row that is kept.
  struct Row {
    mlir::Type element;
    int64_t columns;
    /// Its size in shared memory, with padding.
    int64_t bytes() const;
  };

  /// Selects the rows to keep, at most `most` bytes, of a work item or of one
  /// row of a group, whose ops are in `unit`. Rows in `layout.sameRows` are
  /// left out, since the block loads them once, as are rows that all rows of
  /// groups read. No rows are kept if `unit` has passes in loops or branches.
  /// The two passes of a running sum count as one.
  KeptRows(mlir::Block &unit, llvm::ArrayRef<RunningSum> runningSums,
           const ThreadLayout &layout, const LayoutLimits &limits,
           int64_t most);

  llvm::ArrayRef<Row> getRows() const { return rows; }
  /// The use of a kept row by an operand of a generic; null if it uses none.
  const Use *find(mlir::OpOperand &operand) const {
    auto it = uses.find(&operand);
    return it == uses.end() ? nullptr : &it->second;
  }

private:
  llvm::SmallVector<Row> rows;
  llvm::DenseMap<mlir::OpOperand *, Use> uses;
};

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_KEPTROWS_H
