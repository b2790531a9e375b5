//===- Steps.h - Issues the steps of a run ----------------------*- C++ -*-===//
//
// A step is issued first and its scalars are taken later, so that a device has
// the next step while the host waits for the scalars of the previous one:
//
//     issue 1
//     issue 2      take 1, log and check it
//     issue 3      take 2
//                  take 3: the run saves, evaluates or ends here
//
// So the host waits once per step. If a back end completes an entry before its
// call returns, each step is taken as soon as it was issued.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_TRAIN_STEPS_H
#define PCC_RUNTIME_TRAIN_STEPS_H

#include "runtime/Backend.h"
#include "runtime/data/Inputs.h"
#include "runtime/telemetry/Log.h"
#include "runtime/train/Outputs.h"

#include <deque>

namespace pcc {

/// The program of a rank and its memory.
struct StepMachine {
  /// The program, this rank's stage of it and its coordinates on the mesh.
  const pcc_program &program;
  const pcc_stage &stage;
  const Coordinates &coordinates;
  pcc_context *context;
  char *arena;
};

/// Fills the inputs of a step or an evaluation, and sets the filler for inputs
/// that the entry requests itself. Exits with ExitData for ids outside the
/// vocabulary, and for values that an input's type cannot represent.
void provideInputs(const StepMachine &machine, const Dataset &data,
                   const DataOrder &order, const StepValues &values);

/// Issues steps and takes their results.
class Steps {
public:
  /// `reports`: issue() records the traffic of the step.
  Steps(const StepMachine &machine, const Dataset &data, const DataOrder &order,
        bool reports)
      : machine(machine), data(data), order(order), reports(reports),
        outputs(machine.program, machine.coordinates, /*evaluation=*/false) {}

  /// Fills the inputs of a step and issues it to the back end.
  void issue(const StepValues &values);
  /// The number of steps that were issued and not taken.
  int64_t pending() const { return issued.size(); }
  /// Waits for the oldest pending step and returns its result. All ranks must
  /// call it.
  StepResult take();

  /// The scalars of the step taken last.
  const Outputs &taken() const { return outputs; }
  /// The traffic of the step issued last.
  const std::vector<backend::Traffic> &traffic() const { return ofStep; }

private:
  struct Issued {
    int64_t step;
    double lr, begin;
  };

  StepMachine machine;
  const Dataset &data;
  const DataOrder &order;
  bool reports;
  Outputs outputs;
  std::deque<Issued> issued;
  double takenAt = 0; ///< when the previous step was taken
  std::vector<backend::Traffic> ofStep;
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_STEPS_H
