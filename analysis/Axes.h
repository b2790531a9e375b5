//===- Axes.h - Batch and sequence dims, entry arguments --------*- C++ -*-===//

#ifndef PCC_ANALYSIS_AXES_H
#define PCC_ANALYSIS_AXES_H

#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::analysis {

/// Which dims of a value run over the samples and over the sequence of the
/// tokens; -1 where none does.
struct BatchAndSequence {
  /// Numbers of dims of the value, each its own if both are there.
  int64_t batch = -1, seq = -1;
};

/// Follows the dims of the inputs through the ops that compute `value`; the
/// first dim of each kind counts (queries before keys). A dim that is merged
/// with others is not one of its own.
BatchAndSequence findAxes(mlir::Value value);

/// Whether any of these dims of `value` runs over the samples, alone or merged
/// with others; nothing if no dim is known to.
std::optional<bool> runsOverBatch(mlir::Value value,
                                  llvm::ArrayRef<int64_t> dims);

/// Whether ops lay the first dim of an argument beside that of `samples`, which
/// have a row per sample; false if they only have both, as dims of their own.
/// Nothing: no op shows it.
std::optional<bool> isUsedByRow(mlir::BlockArgument candidate,
                                llvm::ArrayRef<mlir::BlockArgument> samples);

/// Whether the first dim of an argument becomes that of an output, alone or
/// merged with others.
bool reachesRows(mlir::BlockArgument argument, mlir::Value output);

/// The argument of `forward` with this role: positions [seq], samples [batch],
/// seed and step, all i64. Added in this order behind the model's inputs if it
/// is not there. Needs tokens, or data for samples, for the extents.
mlir::Value entryArgument(mlir::func::FuncOp forward, nn::InputRole role);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_AXES_H
