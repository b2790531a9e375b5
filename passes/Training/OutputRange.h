//===- OutputRange.h - What numbers an output may be ------------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_OUTPUTRANGE_H
#define PCC_PASSES_TRAINING_OUTPUTRANGE_H

#include "dialects/NN/NN.h"

namespace pcc {

/// Between which two numbers, which may be infinite, others are.
struct OutputRange {
  double low;  ///< none is less
  double high; ///< none is greater
  /// What bounds them; null for nothing.
  mlir::Operation *by = nullptr;

  /// Whether both are finite.
  bool isBounded() const;
};

/// Between which numbers all elements of `value` are, by the ops that compute
/// it: those of a softmax between 0 and 1, also when they are moved, cut out,
/// mixed or clipped behind it.
OutputRange findRange(mlir::Value value);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_OUTPUTRANGE_H
