//===- FileRangeScan.h - Comparisons of weights in files --------*- C++ -*-===//
//
// Weights may be larger than memory. These functions read them in parts and
// release the pages of each part, so at most some MiB are resident.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_FILERANGESCAN_H
#define PCC_FRONTEND_ONNX_FILERANGESCAN_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::frontend {

/// Calls visit(bytes, length) for successive parts of a range, whose lengths
/// are multiples of `width`, until it returns false. Returns whether all parts
/// were visited without that.
bool forEachPart(const FileRange &range, int64_t width,
                 llvm::function_ref<bool(const char *, int64_t)> visit);

/// Whether two ranges of the same length hold the same bytes.
bool areEqual(const FileRange &a, const FileRange &b);

/// Whether a range repeats its first `part` bytes.
bool isRepetition(const FileRange &range, int64_t part);

/// Whether each matrix [rows, columns] of a range is constant along its
/// diagonals. Elements have `width` bytes. False for fewer than three rows or
/// columns.
bool hasEqualDiagonals(const FileRange &range, int64_t rows, int64_t columns,
                       int64_t width);

/// Whether two matrices of floats, of these element types, hold the same
/// numbers. With `transposed`, element (i, j) of a is compared with (j, i) of
/// b.
bool haveSameValues(const FileRange &a, mlir::Type aType, const FileRange &b,
                    mlir::Type bType, int64_t rows, int64_t columns,
                    bool transposed);

/// Whether b is the transpose of the matrix a. Elements have 2, 4 or 8 bytes.
bool isTranspose(const FileRange &a, const FileRange &b, int64_t rows,
                 int64_t columns, int64_t width);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_FILERANGESCAN_H
