//===- Axes.h - Batch and sequence dims, entry arguments --------*- C++ -*-===//

#ifndef PCC_ANALYSIS_AXES_H
#define PCC_ANALYSIS_AXES_H

#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>

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

/// Finds the dims along which values have places, each with a row of its own:
/// words, patches, queries. Keeps what it learns of a function from one value
/// to the next, so no op of it may change between.
class SequenceFinder {
public:
  SequenceFinder();
  ~SequenceFinder();
  /// Among `candidates`, dims of `value`: the one that runs over the sequence
  /// of the tokens; else the first that runs over no samples, one of several
  /// places before one of a single place. Nothing: all run over samples.
  std::optional<unsigned> find(mlir::Value value,
                               llvm::ArrayRef<unsigned> candidates);

private:
  struct State;
  std::unique_ptr<State> state;
};

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
