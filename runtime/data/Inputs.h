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
  int64_t step = 1; ///< decides which samples
  /// The input "step": the number of the update, which is the step's less those
  /// that updated nothing.
  int64_t update = 1;
  uint64_t seed = 0;
  double lr = 0, weightDecay = 0, beta1 = 0, beta2 = 0, eps = 0, clipGrad = 0;
  int64_t lossScaleWindow = 0;
};

/// The scalars that the options give a step; without --clip-grad the bound is
/// infinite, which makes the clip factor one.
StepValues stepValues(const TrainingOptions &options, int64_t step, double lr);

/// Samples of one step over all data-parallel ranks.
int64_t globalBatch(const pcc_program &program);

/// Exits with ExitInternal for an input this runtime does not know, so that
/// nothing is left unfilled.
void checkInputs(const pcc_stage &stage);

/// Exits with ExitData, naming the position, if a sample of this step has an id
/// outside the vocabulary.
void checkSamples(const pcc_program &program, const Dataset &data,
                  const DataOrder &order, int64_t step);

/// Fills this rank's part of one input at `to`, for a microbatch of a step, if
/// there is such a one. Row r of microbatch j is sample j * rows + r of the
/// step, where rows is the extent of its batch dim over all data-parallel
/// ranks.
void fillInput(const pcc_program &program, const pcc_input &input,
               const Coordinates &coordinates, int64_t microbatch, char *to,
               const Dataset &data, const DataOrder &order, int64_t step);

/// Fills this rank's part of all inputs that are filled before an entry begins,
/// for every microbatch of the step.
void fillInputs(const pcc_program &program, const pcc_stage &stage,
                const Coordinates &coordinates, char *arena,
                const Dataset &data, const DataOrder &order,
                const StepValues &values);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_INPUTS_H
