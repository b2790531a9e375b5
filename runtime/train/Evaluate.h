//===- Evaluate.h - The loss on validation data -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_EVALUATE_H
#define PCC_RUNTIME_TRAIN_EVALUATE_H

#include "runtime/data/DataOrder.h"
#include "runtime/data/Dataset.h"
#include "runtime/support/Options.h"

struct pcc_context;

namespace pcc {

/// The evaluation on a data set: on its first --eval-batches global batches.
/// The last batch may have fewer samples.
class Evaluation {
public:
  /// Exits with ExitData if there are no samples, if they do not fill a batch
  /// although the loss needs a whole one, or if they have no valid target.
  Evaluation(const pcc_program &program, const TrainingOptions &options,
             const Dataset &data);

  /// The number of samples that are evaluated, and the reason if not all are,
  /// for the start of a run.
  std::string describe() const;

  /// The mean loss over all valid targets; over all samples if the loss does
  /// not count its targets.
  struct Result {
    /// In a token model the cross entropy in nats; NaN if `empty` equals
    /// `batches`.
    double loss = 0;
    /// The number of batches that were computed.
    int64_t batches = 0;
    int64_t empty = 0; ///< batches without valid targets
  };
  /// All ranks must call it.
  Result run(pcc_context *context, const pcc_stage &stage,
             const Coordinates &coordinates, char *arena) const;

private:
  const pcc_program &program;
  const TrainingOptions &options;
  const Dataset &data;
  DataOrder order;
  int64_t batches; ///< the number that are computed
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_EVALUATE_H
