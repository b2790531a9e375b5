//===- OutputRange.h - Bounds of a value's elements -------------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_OUTPUTRANGE_H
#define PCC_PASSES_TRAINING_OUTPUTRANGE_H

#include "dialects/NN/NN.h"

namespace pcc {

/// Bounds of the elements of a value; either may be infinite.
struct OutputRange {
  double low;  ///< lower bound
  double high; ///< upper bound
  /// The op that bounds the elements; null if none does, and for a constant.
  mlir::Operation *by = nullptr;

  /// Whether both are finite.
  bool isBounded() const;
};

/// Computes bounds of all elements of `value` from the ops that compute it. A
/// softmax is in [0, 1], also after its elements are moved, sliced, averaged or
/// clipped.
OutputRange findRange(mlir::Value value);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_OUTPUTRANGE_H
