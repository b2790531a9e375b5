//===- Regularity.h - Values that repeat along a dim ------------*- C++ -*-===//
//
// Two regular patterns along a dim, here along the samples of a batch. A table
// that was repeated for each sample is uniform:
//
//   %w = nn.broadcast %table [1]      [LOOP, n]: step 0
//
// Indices of the samples' first rows in a table of all rows have a fixed step:
//
//   %k = nn.mul [0, 1, 2], 16         [LOOP]: step 16
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_REGULARITY_H
#define PCC_PASSES_TRAINING_REGULARITY_H

#include "dialects/NN/NN.h"

namespace pcc {

/// The row-major stride of a dim, in elements.
int64_t strideOf(llvm::ArrayRef<int64_t> shape, int64_t dim);

/// The distance, in a dim composed of `factors`, of elements that are `step`
/// apart in `factor`.
int64_t stepIn(const nn::ShardingRule &rule, llvm::ArrayRef<int> factors,
               int factor, int64_t step);

/// Whether all elements of `value` that are `inner` apart along `dim` are known
/// to be equal.
bool isUniformAlong(mlir::Value value, int64_t dim, int64_t inner = 1);

/// The fixed difference between the integers at index i + inner and index i of
/// `dim`; empty if it is not fixed or not known.
std::optional<int64_t> stepAlong(mlir::Value value, int64_t dim,
                                 int64_t inner = 1);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_REGULARITY_H
