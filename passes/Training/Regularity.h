//===- Regularity.h - How elements repeat along a dim -----------*- C++ -*-===//
//
// What a model has for each sample of a batch without looking at the samples:
// a table that was repeated for them is the same for each,
//
//   %w = nn.broadcast %table [1]      [LOOP, n]: 0 apart
//
// and the numbers of their first rows in a table of all rows grow alike,
//
//   %k = nn.mul [0, 1, 2], 16         [LOOP]: 16 apart
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_REGULARITY_H
#define PCC_PASSES_TRAINING_REGULARITY_H

#include "dialects/NN/NN.h"

namespace pcc {

/// The elements between two neighbours along a dim.
int64_t strideOf(llvm::ArrayRef<int64_t> shape, int64_t dim);

/// How far apart in a dim of these factors are what is `step` apart in one.
int64_t stepIn(const nn::ShardingRule &rule, llvm::ArrayRef<int> factors,
               int factor, int64_t step);

/// Whether all elements of `value` that lie `inner` apart along a dim are known
/// to be the same.
bool isUniformAlong(mlir::Value value, int64_t dim, int64_t inner = 1);

/// By how much whole numbers grow from one index of a dim to that `inner`
/// later, all alike; nothing where they do otherwise.
std::optional<int64_t> stepAlong(mlir::Value value, int64_t dim,
                                 int64_t inner = 1);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_REGULARITY_H
