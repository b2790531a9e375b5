//===- Inputs.h - Fills a program's inputs before a step --------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_INPUTS_H
#define PCC_RUNTIME_DATA_INPUTS_H

#include "runtime/data/DataOrder.h"
#include "runtime/data/Dataset.h"
#include "runtime/support/Mesh.h"
#include "runtime/support/Options.h"

namespace pcc {

/// The scalars of a step.
struct StepValues {
  int64_t step = 1; ///< selects the samples
  /// The value of the input "step": the number of the update, which is the
  /// step's number less the skipped steps.
  int64_t update = 1;
  uint64_t seed = 0;
  double lr = 0, weightDecay = 0, beta1 = 0, beta2 = 0, eps = 0, clipGrad = 0;
  int64_t lossScaleWindow = 0;
};

/// Returns the scalars of a step with these options. With --clip-grad 0 the
/// bound is infinite, so that the clip factor is one.
StepValues stepValues(const TrainingOptions &options, int64_t step, double lr);

/// Returns the number of samples of a step, over all data-parallel ranks.
int64_t globalBatch(const pcc_program &program);

/// Exits with ExitInternal if an input has an unknown role, or a rank or type
/// that does not fit its role.
void checkInputs(const pcc_stage &stage);

/// Exits with ExitData, naming the position, if a sample of this step has an id
/// outside the vocabulary, or a value that its input's type cannot represent.
void checkSamples(const pcc_program &program, const Dataset &data,
                  const DataOrder &order, int64_t step);

/// Returns whether a sample has a target or label after those are dropped that
/// follow the end of a document; of a program with documents whose targets are
/// integers [batch, seq].
bool hasTargets(const pcc_program &program, const Dataset &data,
                int64_t sample);

/// Fills this rank's shard of one input at `to` for a microbatch of a step.
/// Does nothing for a microbatch that the step does not have. Row r of
/// microbatch j is sample j * rows + r of the step, where rows is the global
/// extent of its batch dim over all data-parallel ranks.
void fillInput(const pcc_program &program, const pcc_input &input,
               const Coordinates &coordinates, int64_t microbatch, char *to,
               const Dataset &data, const DataOrder &order, int64_t step);

/// Fills this rank's shards of all inputs that are filled before a step
/// function starts, for every microbatch with a slot. Inputs that are filled
/// microbatch by microbatch (pcc_fill) are left out.
void fillInputs(const pcc_program &program, const pcc_stage &stage,
                const Coordinates &coordinates, char *arena,
                const Dataset &data, const DataOrder &order,
                const StepValues &values);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_INPUTS_H
