//===- FileRangeScan.h - Questions to the bytes of weights ------*- C++ -*-===//
//
// Weights may be larger than memory. What is read of them here is read in
// parts, whose pages are given back, so that no question holds more than some
// MiB of them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_ONNX_FILERANGESCAN_H
#define PCC_FRONTEND_ONNX_FILERANGESCAN_H

#include "frontend/onnx/Reader.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pcc::frontend {

/// Calls visit(bytes, length) for the parts of a range, whose lengths are
/// multiples of `width`, until it says false. Returns whether it never did.
bool forEachPart(const FileRange &range, int64_t width,
                 llvm::function_ref<bool(const char *, int64_t)> visit);

/// Whether two ranges, of one length, hold the same.
bool areEqual(const FileRange &a, const FileRange &b);

/// Whether a range is its first `part` bytes again and again.
bool isRepetition(const FileRange &range, int64_t part);

/// Whether in every matrix [rows, columns] of a range each element but those
/// of the last row and column equals the next one along its diagonal.
bool hasEqualDiagonals(const FileRange &range, int64_t rows, int64_t columns,
                       int64_t width);

/// Whether two matrices of floats of these types hold the same numbers, if
/// `transposed` element (i, j) of a as element (j, i) of b.
bool haveSameValues(const FileRange &a, mlir::Type aType, const FileRange &b,
                    mlir::Type bType, int64_t rows, int64_t columns,
                    bool transposed);

/// Whether element (i, j) of the matrix a is element (j, i) of b, elements
/// having 2, 4 or 8 bytes.
bool isTranspose(const FileRange &a, const FileRange &b, int64_t rows,
                 int64_t columns, int64_t width);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_ONNX_FILERANGESCAN_H
