//===- DimParts.h - Factorizes dims across a reshape ------------*- C++ -*-===//
//
// A reshape keeps the row-major order, so a dim of one shape is a product of
// dims of the other, or the dims of both are products of common factors:
//
//   [b * s, h * d] -> [b, s, h, d]   factors {b, s}, {h, d}
//   [s, b * h, d] -> [s * b, h * d]  factors {s}, {b, h}, {d}, in common
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_RECOGNITION_DIMPARTS_H
#define PCC_PASSES_RECOGNITION_DIMPARTS_H

#include "dialects/NN/NN.h"

namespace pcc::recognition {

/// For every dim of a shape, the extents it is the product of.
using DimParts = llvm::SmallVector<llvm::SmallVector<int64_t, 2>>;

/// For every dim of `from`, the extents in `to` that it is split into. Trailing
/// extents of 1 in `to` are added to the last dim; a trailing dim of 1 in
/// `from` may have none. Empty if a dim of `to` merges several dims of `from`.
std::optional<DimParts> splitDims(llvm::ArrayRef<int64_t> from,
                                  llvm::ArrayRef<int64_t> to);

/// For every dim of `from`, its factors in the coarsest shape from which both
/// `from` and `to` result by merging dims; empty if there is none.
std::optional<DimParts> commonParts(llvm::ArrayRef<int64_t> from,
                                    llvm::ArrayRef<int64_t> to);

/// Builds the result of a transpose with its dims split into `split`, as a
/// transpose of the split input.
mlir::Value transposeParts(mlir::OpBuilder &builder, mlir::Location loc,
                           nn::TransposeOp op,
                           llvm::ArrayRef<llvm::SmallVector<int64_t, 2>> split);

/// The tensor of which `value` is a transpose, or `value`. The labels of its
/// dims are permuted likewise.
mlir::Value withoutTransposes(mlir::Value value, std::string &labels);

/// Builds the result of a contraction with its dims split into `split`, which
/// has the type `type`: each label becomes one label per factor of its dim.
/// Null if there are not enough letters.
mlir::Value splitContract(mlir::OpBuilder &builder, nn::ContractOp op,
                          const DimParts &split, mlir::RankedTensorType type);

} // namespace pcc::recognition

#endif // PCC_PASSES_RECOGNITION_DIMPARTS_H
