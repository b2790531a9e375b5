//===- LossTerms.h - Terms of a model's own loss ----------------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_LOSSTERMS_H
#define PCC_PASSES_TRAINING_LOSSTERMS_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace pcc {

/// One term of the loss of one batch: factor * sum / divisor.
struct LossTerm {
  /// A sum over samples, rank 0.
  mlir::Value sum;
  mlir::Value divisor; ///< null: 1
  double factor = 1;
  /// The sum over N batches is divided by N^means: 0 for a sum over samples, 1
  /// for a mean, 2 for a product of two means.
  int64_t means = 0;
};

/// The terms that @forward with nn.has_loss returns, and how they accumulate
/// over batches.
///
/// The sum of each term is a sum over samples or the same for every batch.
/// Divisors are computed from values that are the same for every batch and from
/// `counts`: sums over samples of values that depend on the inputs alone. The
/// loss of all samples of N batches is then
///
///   sum over terms of factor * (sum over batches) / divisor(sums of counts)
///
/// divided, for each term, by N^means.
class LossTerms {
public:
  /// Reads the terms of a @forward. Error: its results do not match
  /// nn.has_loss.
  static mlir::FailureOr<LossTerms> read(mlir::func::FuncOp forward);

  /// Why the loss of a whole batch cannot be accumulated over microbatches.
  struct Problem {
    /// The reason, as the end of a sentence.
    std::string what;
    /// The op to point at.
    mlir::Operation *op = nullptr;
    /// False: the op possibly combines no samples but only moves them.
    bool isSure = true;
  };
  /// Empty if the loss can be accumulated.
  std::optional<Problem> problem;
  /// Assumptions about terms that the file leaves open, as text of warnings.
  llvm::SmallVector<std::string> assumed;
  /// Inputs that all samples share and that divide sums over samples: each is
  /// taken as a number for the whole global batch.
  llvm::SetVector<llvm::StringRef> totals;

  /// The terms in the order in which @forward returns them.
  llvm::SmallVector<LossTerm> terms;
  /// Sums over samples that divisors are computed from.
  llvm::SetVector<mlir::Value> counts;
  /// Values that divisors are computed from and that are the same for every
  /// batch: shared inputs, frozen parameters and values computed from them
  /// alone.
  llvm::SetVector<mlir::Value> batchInvariant;

  /// Whether the loss is one quotient of sums over batches: all terms have the
  /// same divisor, or none. Either it is a count and every term is a sum, or it
  /// does not depend on samples and every term is a mean.
  bool isOneMean() const;

  /// Builds the loss from the sums of all batches. `sums`: one per term;
  /// `countOf` returns the replacement of each count and batch-invariant value;
  /// `batches`: N, null for 1.
  mlir::Value build(mlir::OpBuilder &builder, mlir::ValueRange sums,
                    llvm::function_ref<mlir::Value(mlir::Value)> countOf,
                    mlir::Value batches) const;
  /// Builds the contribution of one batch; the mean of the contributions of all
  /// batches is the loss.
  mlir::Value
  buildContribution(mlir::OpBuilder &builder,
                    llvm::function_ref<mlir::Value(mlir::Value)> countOf,
                    mlir::Value batches) const;

private:
  void analyze(mlir::func::FuncOp forward);
  mlir::Value
  scaled(mlir::OpBuilder &builder, const LossTerm &term, mlir::Value sum,
         llvm::function_ref<mlir::Value(mlir::Value)> countOf) const;
};

/// The two rank-0 f32 values that training accumulates over the microbatches:
/// the loss is sum / count of the totals.
struct Loss {
  /// The loss sum and the divisor, accumulated over the microbatches.
  mlir::Value sum, count;
};
/// The result of attachOwnLoss.
struct OwnLoss {
  /// The values that @loss returns.
  Loss loss;
  /// Whether the caller must derive @evaluate from `loss`; otherwise
  /// attachOwnLoss has added it.
  bool needsEvaluation;
  /// The node that computes the model's divisor, which is loss.count; empty if
  /// loss.count is the constant 1.
  std::string countNode = {};
};

/// Builds the accumulated loss of a model that computes its own loss; adds
/// @counts if divisors or the number of microbatches must be known before the
/// step. `isWholeBatch`: a step is one microbatch of one replica, so any
/// formula is valid. Error: the loss of a step does not follow from those of
/// its microbatches.
mlir::FailureOr<OwnLoss> attachOwnLoss(mlir::ModuleOp module,
                                       mlir::func::FuncOp forward,
                                       bool isWholeBatch);

/// Returns why `sum`, a sum over samples, is not computed from each sample
/// separately: the reason in `forward`'s nn.joins_samples, or the first op
/// needed for it that surely combines samples, or else the first that may, if
/// the batch has several. Empty if there is no attribute and no such op.
/// Without `ofSums` ops that compute with sums over samples are ignored.
std::optional<LossTerms::Problem> findMixedSamples(mlir::func::FuncOp forward,
                                                   mlir::Value sum,
                                                   bool ofSums = true);

/// Emits the error that the loss cannot be accumulated over batches, and how to
/// train nevertheless.
mlir::InFlightDiagnostic emitNotAdditive(mlir::func::FuncOp forward,
                                         const LossTerms::Problem &problem);

/// Emits the warning that an op may combine samples.
void warnOfMixedSamples(mlir::func::FuncOp forward, llvm::StringRef what);

/// The number of consecutive rows of the output's first dim that belong to one
/// sample; 1 if the output does not depend on samples. Empty if rows do not
/// belong to samples.
std::optional<int64_t> rowsPerSample(mlir::func::FuncOp forward,
                                     mlir::Value output);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_LOSSTERMS_H
