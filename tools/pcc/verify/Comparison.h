//===- Comparison.h - Compares runs of three programs -----------*- C++ -*-===//
//
// A plan is compared with one rank, the reference. A second program of one rank
// differs from the first by rounding only, and so tells how much rounding does.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TOOLS_PCC_VERIFY_COMPARISON_H
#define PCC_TOOLS_PCC_VERIFY_COMPARISON_H

#include "tools/pcc/verify/Hyperparameters.h"
#include "tools/pcc/verify/RunLog.h"
#include "tools/pcc/verify/SavedTensors.h"
#include <string>
#include <vector>

namespace pcc {

/// The largest differences that count as equal, where rounding is small.
struct Bounds {
  double losses, norms;
  double gradients; ///< also of second moments
  double updates;   ///< of changes of parameters, and of rates
  /// The largest relative step of a moment's type that random rounding can turn
  /// a small difference into; 0: moments are not rounded at random.
  double flip = 0;
};

/// Returns the bounds of a precision, "f32", "bf16" or "fp16", and a type of
/// optimizer state, "f32" or "bf16".
Bounds boundsOf(llvm::StringRef precision, llvm::StringRef state);

/// A run: its log, and its checkpoints after the first update and at the end.
struct TrainedRun {
  /// Reads the file of a log and opens the folders of two checkpoints.
  TrainedRun(llvm::StringRef log, llvm::StringRef first, llvm::StringRef last)
      : steps(readLog(log)), first(first), last(last) {}

  std::vector<LoggedStep> steps;
  SavedTensors first, last;
};

/// A difference, relative to the size of the compared tensor or number.
struct Difference {
  std::string of; ///< the tensor, or "step 3"
  double difference = 0, rounding = 0, bound = 0;

  /// Returns whether it is larger than the bound; NaN is.
  bool fails() const { return !(difference <= bound); }
  /// Returns how many times the bound it is; infinite for NaN.
  double excess() const;
};

/// One compared quantity.
struct Quantity {
  std::string name;
  Difference worst;
  std::vector<Difference> tensors; ///< all; empty for numbers of steps

  /// Returns whether the worst difference is too large.
  bool fails() const { return worst.fails(); }
};

/// Returns the layer of a parameter: its name up to the first index, or else up
/// to its last component. "h.0" of "h.0.ln_1.bias", "ln_f" of "ln_f.bias".
std::string layerOf(llvm::StringRef parameter);

/// Compares a plan's run with that of the reference. `other`: the run that
/// differs from the reference by rounding; `initial`: the values before the
/// first step.
std::vector<Quantity>
compareRuns(const TrainedRun &plan, const TrainedRun &reference,
            const TrainedRun &other, const SavedTensors &initial,
            const Hyperparameters &hyperparameters, const Bounds &bounds);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_COMPARISON_H
