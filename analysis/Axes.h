//===- Axes.h - Batch and sequence dims, entry arguments --------*- C++ -*-===//

#ifndef PCC_ANALYSIS_AXES_H
#define PCC_ANALYSIS_AXES_H

#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <memory>

namespace pcc::analysis {

/// The batch dim of a value and the dim of the tokens' sequence.
struct BatchAndSequence {
  /// Indices of dims, which differ; -1 if the value has no such dim.
  int64_t batch = -1, seq = -1;
};

/// Propagates the dims of the inputs through the ops that compute `value`. If
/// several dims are of a kind, returns the first (queries before keys). Ignores
/// dims that are merged with others.
BatchAndSequence findAxes(mlir::Value value);

/// Finds sequence-like dims, with one row for each word, patch or query. It
/// caches results from one value to the next, so the function's ops must not
/// change in between.
class SequenceFinder {
public:
  SequenceFinder();
  ~SequenceFinder();
  /// Returns one of `candidates`, dims of `value`: the dim of the tokens'
  /// sequence; else the first dim that is no batch dim, preferring extents
  /// above 1. Returns nullopt if all are batch dims.
  std::optional<unsigned> find(mlir::Value value,
                               llvm::ArrayRef<unsigned> candidates);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Whether any of the `dims` of `value` runs over the samples, alone or merged
/// with others; nullopt if no dim of `value` is known to.
std::optional<bool> runsOverBatch(mlir::Value value,
                                  llvm::ArrayRef<int64_t> dims);

/// Whether an op has the first dim of `candidate` and the first dim of one of
/// `samples` as one loop, so that the candidate has a row per sample, too.
/// False if ops only have them as different dims; nullopt if no op has both.
std::optional<bool> isUsedByRow(mlir::BlockArgument candidate,
                                llvm::ArrayRef<mlir::BlockArgument> samples);

/// Whether the first dim of an argument becomes the first dim of an output,
/// alone or merged with others.
bool reachesRows(mlir::BlockArgument argument, mlir::Value output);

/// Returns the argument of `forward` with this role: positions [seq], samples
/// [batch], seed or step, all i64. If it is missing, it is added, in this order
/// after the model's inputs. The extents come from tokens or, for samples, also
/// from data, which must exist.
mlir::Value entryArgument(mlir::func::FuncOp forward, nn::InputRole role);

} // namespace pcc::analysis

#endif // PCC_ANALYSIS_AXES_H
