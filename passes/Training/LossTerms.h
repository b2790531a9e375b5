//===- LossTerms.h - A file's own loss in terms -----------------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_LOSSTERMS_H
#define PCC_PASSES_TRAINING_LOSSTERMS_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace pcc {

/// factor * sum / divisor, a part of the loss of one batch.
struct LossTerm {
  /// A sum over samples, rank 0.
  mlir::Value sum;
  mlir::Value divisor; ///< null: 1
  double factor = 1;
  /// How many means over samples the factor is of: half of it for twice as many
  /// samples if it is one.
  int64_t means = 0;
};

/// What @forward with nn.has_loss returns, and how it adds up over batches.
///
/// The sum of each term is a sum over samples, or the same for every batch;
/// divisors are computed from numbers ("counts") that are sums over samples of
/// what depends on the inputs alone, and from numbers that are the same for
/// every batch. So with N batches, the loss of all their samples at once is
///
///   sum over terms of factor * (sum over batches) / divisor(sums of counts)
///
/// and 1/N of it for means, 1/N^2 for products of two.
class LossTerms {
public:
  /// Errors: the function does not return what nn.has_loss says.
  static mlir::FailureOr<LossTerms> read(mlir::func::FuncOp forward);

  /// Why the loss of a large batch does not follow so; `op` (may be null) is
  /// where.
  struct Problem {
    /// The reason, in words, as the end of a sentence.
    std::string what;
    /// The op to point at.
    mlir::Operation *op = nullptr;
    /// False: it may only move samples.
    bool isSure = true;
  };
  /// Nothing where the loss follows.
  std::optional<Problem> problem;
  /// What was taken for granted of terms, where the file leaves it open.
  llvm::SmallVector<std::string> assumed;
  /// Inputs, the same for all samples, that sums over samples are divided by:
  /// they are taken as numbers for the whole global batch.
  llvm::SetVector<llvm::StringRef> totals;

  /// In the order in which @forward returns them.
  llvm::SmallVector<LossTerm> terms;
  /// What divisors are computed from.
  llvm::SetVector<mlir::Value> counts;
  /// Likewise, the same for every batch: shared inputs, frozen parameters and
  /// what is computed from them alone.
  llvm::SetVector<mlir::Value> steady;

  /// One count that all terms are divided by, or none and all are means: then
  /// the loss is a sum over batches by that of a number.
  bool isOneMean() const;

  /// The loss from the sums of all batches. `sums`: one per term; `countOf`:
  /// what stands for each count and steady value; `batches`: N, null for 1.
  mlir::Value build(mlir::OpBuilder &builder, mlir::ValueRange sums,
                    llvm::function_ref<mlir::Value(mlir::Value)> countOf,
                    mlir::Value batches) const;
  /// The part of one batch, of which the mean over all batches is the loss.
  mlir::Value buildPart(mlir::OpBuilder &builder,
                        llvm::function_ref<mlir::Value(mlir::Value)> countOf,
                        mlir::Value batches) const;

private:
  void analyze(mlir::func::FuncOp forward);
  mlir::Value
  scaled(mlir::OpBuilder &builder, const LossTerm &term, mlir::Value sum,
         llvm::function_ref<mlir::Value(mlir::Value)> countOf) const;
};

/// What training accumulates, rank-0 f32: the loss is the quotient of the sums
/// over all microbatches.
struct Loss {
  /// Both summed over the microbatches; the loss is sum / count.
  mlir::Value sum, count;
};
/// What attachOwnLoss has made of a file's own loss.
struct OwnLoss {
  /// The sums that are accumulated.
  Loss loss;
  /// Evaluation is to be made of the same; else there is one already.
  bool needsEvaluation;
  /// The node that computes loss.count; empty: it is a constant.
  std::string countNode = {};
};

/// The loss of a file that computes its own; adds @counts where it takes them.
/// `isWholeBatch`: a step is one microbatch of one rank, so that any formula
/// may be taken as it is. Errors: the loss of a step does not follow from its
/// microbatches'.
mlir::FailureOr<OwnLoss> attachOwnLoss(mlir::ModuleOp module,
                                       mlir::func::FuncOp forward,
                                       bool isWholeBatch);

/// Why a value, a sum over samples, is not that of each sample for itself: an
/// op on the way to it that surely computes with several or else, of more than
/// one, may do so. Nothing: none was found. Without `ofSums` what is computed
/// of sums over samples may be anything.
std::optional<LossTerms::Problem> findMixedSamples(mlir::func::FuncOp forward,
                                                   mlir::Value sum,
                                                   bool ofSums = true);

/// The error of a loss that one batch does not add to another, at an op or
/// null.
mlir::InFlightDiagnostic partsDoNotAddUp(mlir::func::FuncOp forward,
                                         const LossTerms::Problem &problem);

/// The warning of samples that may be mixed.
void warnOfMixedSamples(mlir::func::FuncOp forward, llvm::StringRef what);

/// How many rows of its first dim an output has of each sample, one sample's
/// after the other's. Nothing: its rows are no samples'.
std::optional<int64_t> rowsPerSample(mlir::func::FuncOp forward,
                                     mlir::Value output);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_LOSSTERMS_H
