//===- Evaluate.h - The loss on other data ----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_EVALUATE_H
#define PCC_RUNTIME_TRAIN_EVALUATE_H

#include "runtime/data/DataOrder.h"
#include "runtime/data/Dataset.h"
#include "runtime/support/Options.h"

struct pcc_context;

namespace pcc {

/// What is evaluated on: the first --eval-batches global batches of some data,
/// the last of which may have fewer samples.
class Evaluation {
public:
  /// Exits with ExitData where the data do not fill a batch that must be whole,
  /// or no label of what is evaluated on counts.
  Evaluation(const pcc_program &program, const TrainingOptions &options,
             const Dataset &data);

  /// How many of the samples are evaluated on, and why not all, for the start
  /// of a run.
  std::string describe() const;

  /// The mean loss of what counts, which is nothing where `empty` is `batches`.
  struct Result {
    /// Of a token model the cross entropy in nats; NaN where `empty` is
    /// `batches`.
    double loss = 0;
    /// How many batches were computed.
    int64_t batches = 0;
    int64_t empty = 0; ///< batches in which nothing counts
  };
  /// All ranks call it.
  Result run(pcc_context *context, const pcc_stage &stage,
             const Coordinates &coordinates, char *arena) const;

private:
  const pcc_program &program;
  const TrainingOptions &options;
  const Dataset &data;
  DataOrder order;
  int64_t batches; ///< that are computed
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_EVALUATE_H
