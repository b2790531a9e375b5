//===- Steps.h - Issues the steps of a run ----------------------*- C++ -*-===//
//
// A step is issued, and its scalars are taken, at moments of their own, so that
// a device has the next step while the host waits for what the one before says:
//
//     issue 1
//     issue 2      take 1, log and check it
//     issue 3      take 2
//                  take 3: the run saves, evaluates or ends here
//
// So the host waits once in a step. Back ends whose entries are done when their
// call returns take each step as soon as it was issued.
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

/// What steps run on: the program of a rank and its memory.
struct StepMachine {
  /// The program, this rank's stage of it and its place on the mesh.
  const pcc_program &program;
  const pcc_stage &stage;
  const Coordinates &coordinates;
  pcc_context *context;
  char *arena;
};

/// Fills the inputs of a step or an evaluation and has the back end fill those
/// that its entry asks for. Exits with ExitData for ids outside the vocabulary.
void giveInputs(const StepMachine &machine, const Dataset &data,
                const DataOrder &order, const StepValues &values);

/// Issues steps and takes what they leave.
class Steps {
public:
  /// `reports`: issue() notes what the step communicates.
  Steps(const StepMachine &machine, const Dataset &data, const DataOrder &order,
        bool reports)
      : machine(machine), data(data), order(order), reports(reports),
        outputs(machine.program, machine.coordinates, /*evaluation=*/false) {}

  /// Fills the inputs of a step and hands it to the back end.
  void issue(const StepValues &values);
  /// How many were issued and not taken.
  int64_t pending() const { return issued.size(); }
  /// Waits for the first of these, and tells its result. All ranks call it.
  StepResult take();

  /// The scalars of the step taken last.
  const Outputs &taken() const { return outputs; }
  /// What the step issued last communicated.
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
  double takenAt = 0; ///< when the one before was taken
  std::vector<backend::Traffic> ofStep;
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_STEPS_H
