//===- SameRows.h - Rows that many work items read --------------*- C++ -*-===//
//
// Rows that many work items read: a bias is added to every row, a table of
// positions to every sequence. A block reads such a row into shared memory once
// and uses it for many work items:
//
//     work items of a batch of 4 sequences of 3 positions, 12 rows;
//     a position table of 3 rows
//
//     one operand, row 0 for all        blocks of items 0 1 2 3, 4 5 6 7, ...
//     the table, row (item mod 3)       blocks of items 0 3 6 9, 1 4 7 10, ...
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_SAMEROWS_H
#define PCC_PASSES_CODEGEN_GPU_SAMEROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Codegen/Gpu/Slice.h"

namespace pcc::codegen {

/// A row of an operand that several work items read.
struct SameRow {
  /// The start of the row, for one of the work items.
  Slice slice;
  int64_t columns;

  mlir::Type element() const {
    return llvm::cast<mlir::MemRefType>(slice.buffer.getType())
        .getElementType();
  }
  int64_t bytes() const { return columns * bytesOf(element()); }
};

/// A grouping of work items into blocks that read the same rows.
struct WorkItemStride {
  /// A block takes work items u, u + stride, u + 2 stride and so on.
  int64_t stride = 1;
  /// The number of work items that are `stride` apart.
  int64_t count = 1;
  /// The rows that all of these work items read; pairwise different.
  llvm::SmallVector<SameRow> rows;
  /// Bytes of the other rows that a work item reads and writes.
  int64_t ownBytes = 0;

  /// The bytes of `rows`.
  int64_t sameBytes() const;
};

/// Returns the stride that maximizes the bytes of shared rows, for a kernel in
/// kernel IR.
WorkItemStride findSameRows(mlir::func::FuncOp kernel);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_SAMEROWS_H
