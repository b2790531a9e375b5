//===- SameRows.h - Rows that many units read -------------------*- C++ -*-===//
//
// A bias is added to every row, a table of positions to every sequence. A block
// reads such a row once, into shared memory, and does many units with it:
//
//     units of a batch of 3 sequences of 4 positions, 12 rows; a table of 4
//
//     one operand, row 0 for all        blocks of units 0 1 2 3, 4 5 6 7, ...
//     the table, row (unit mod 4)       blocks of units 0 4 8, 1 5 9, ...
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_SAMEROWS_H
#define PCC_PASSES_CODEGEN_GPU_SAMEROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Codegen/Gpu/Slice.h"

namespace pcc::codegen {

/// A row of an operand that several units read, and nothing else of it.
struct SameRow {
  /// Where it begins, for one of the units.
  Slice slice;
  /// Its length.
  int64_t columns;

  /// What an element is.
  mlir::Type element() const {
    return llvm::cast<mlir::MemRefType>(slice.buffer.getType())
        .getElementType();
  }
  /// Its bytes.
  int64_t bytes() const { return columns * bytesOf(element()); }
};

/// How units are put together so that they read the same rows.
struct UnitStride {
  /// Units u, u + stride, u + 2 stride and so on.
  int64_t stride = 1;
  /// How many such units there are in a row.
  int64_t count = 1;
  /// What all of these read; pairwise different.
  llvm::SmallVector<SameRow> rows;
  /// Bytes of the other rows that a unit reads and writes.
  int64_t ownBytes = 0;

  /// Bytes of `rows`.
  int64_t sameBytes() const;
};

/// The stride by which most is the same, of a kernel in kernel IR.
UnitStride findSameRows(mlir::func::FuncOp kernel);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_SAMEROWS_H
