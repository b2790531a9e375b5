//===- DimParts.h - Dims as products of others ------------------*- C++ -*-===//
//
// A reshape keeps the order of elements, so a dim of one shape is a product of
// dims of the other, or the two share parts:
//
//   [b * s, h * d] -> [b, s, h, d]   parts {b, s}, {h, d}
//   [s, b * h, d] -> [s * b, h * d]  parts {s}, {b, h}, {d}, in common
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_RECOGNITION_DIMPARTS_H
#define PCC_PASSES_RECOGNITION_DIMPARTS_H

#include "dialects/NN/NN.h"

namespace pcc::recognition {

/// For every dim of a shape the extents that it is the product of.
using DimParts = llvm::SmallVector<llvm::SmallVector<int64_t, 2>>;

/// For every dim of `from` the extents in `to` that it is split into (none for
/// an extent of 1 that disappears at the end); nothing if a dim of `to` merges
/// several.
std::optional<DimParts> splitDims(llvm::ArrayRef<int64_t> from,
                                  llvm::ArrayRef<int64_t> to);

/// For every dim of `from` its parts in the coarsest shape of which `from` and
/// `to` are both merged; nothing if there is none.
std::optional<DimParts> commonParts(llvm::ArrayRef<int64_t> from,
                                    llvm::ArrayRef<int64_t> to);

/// The result of a transpose with its dims split into `split`, by a transpose
/// of the split input.
mlir::Value transposeParts(mlir::OpBuilder &builder, mlir::Location loc,
                           nn::TransposeOp op,
                           llvm::ArrayRef<llvm::SmallVector<int64_t, 2>> split);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_DIMPARTS_H
