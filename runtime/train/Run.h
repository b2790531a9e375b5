//===- Run.h - A training run on one rank -----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_RUN_H
#define PCC_RUNTIME_TRAIN_RUN_H

#include "runtime/Backend.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/launch/Launch.h"
#include "runtime/support/LearningRate.h"
#include "runtime/telemetry/Log.h"
#include "runtime/train/Evaluate.h"
#include "runtime/train/LossCheck.h"
#include "runtime/train/Steps.h"

#include <memory>

namespace pcc {

/// A training run on this rank, from its start to its end.
class Run {
public:
  /// Reads what the options name; what is wrong with them or their files ends
  /// the program.
  Run(const pcc_program &program, const TrainingOptions &options,
      const Launch &launch);

  /// What comes before the first step; false: an end was asked for meanwhile.
  bool begin();
  /// The steps.
  void loop();
  /// What follows the last step, however the loop ended.
  void finish();

private:
  /// What the options of a resumed run mean for its learning rate, given those
  /// that the checkpoint was trained with.
  void checkRates(const TrainingOptions &earlier);
  void chooseTrace();
  bool evaluatesAfter(int64_t step) const;
  /// Says which flags change nothing beside others.
  void warnOfUnused() const;
  void load();
  std::string dataText(const Dataset &set) const;
  std::string unusedText() const;
  void describe() const;
  /// The signal that asks this run for an end, or 0; SIGPIPE also where nobody
  /// reads its lines and it leaves nothing else. All ranks call it, and agree.
  int findRequest();
  bool stopsEarly();
  void issue(int64_t step);
  /// Logs and checks steps that were issued until no more than `left` are
  /// pending.
  void settle(int64_t left);
  /// Counts a step whose loss or norm is not finite and that --skip-nonfinite
  /// lets pass.
  void countNonfinite(StepResult &result);
  /// Whether a step can be issued before it is known if the one before updated
  /// anything.
  bool mayBeAhead() const;
  /// Says no to what only programs with a scale of the loss take.
  void checkLossScale() const;
  /// The program's numbers as this run begins.
  Numbers firstNumbers() const;
  /// Warns of the first step in which nothing counts.
  void noteEmpty(int64_t step);
  /// Warns of the first step of a row whose loss or norm is not finite.
  void noteNonfinite(const StepResult &result);
  /// What tells why a step has no loss.
  LossCheck lossCheck() const { return {steps->taken(), *data, *order}; }
  /// Why there is no loss to tell; empty: it was told.
  std::string evaluate(int64_t step);
  void save(int64_t step);
  TrainingState state() {
    return {program, stage, coordinates,
            arena,   files, static_cast<uint64_t>(options.seed)};
  }
  bool first() const { return backend::rank() == 0; }
  /// Steps that updated nothing, ever.
  int64_t skipped() const {
    return before.skipped + empty + overflowed + nonfinite;
  }

  const pcc_program &program;
  TrainingOptions options;
  const Launch &launch;
  Coordinates coordinates;
  const pcc_stage &stage;
  std::unique_ptr<SavedFiles> checkpoint; ///< resumed from; null: none
  std::vector<std::string> changes;       ///< of its options
  int64_t done = 0;                       ///< steps that the checkpoint holds
  StepCount before;                       ///< what else it holds
  /// Steps of this run that updated nothing: without valid targets, since
  /// gradients were too large for the loss scale, or since the loss or the
  /// norm was not finite.
  int64_t empty = 0, overflowed = 0, nonfinite = 0;
  /// Of the last kind, since a step updated something.
  int64_t nonfiniteInRow = 0;
  bool leftOut = false;               ///< of an evaluation, and said so
  int64_t last = 0;                   ///< the step that this run ends with
  int64_t traceFrom = 0, traceTo = 0; ///< 0: none
  int64_t savedStep = -1;
  std::unique_ptr<Dataset> data, valData;
  bool saidClosed = false;
  bool allChecked = true; ///< else some ids only when they are read
  bool isOnePass = false; ///< over the data, as no number of steps was given
  std::unique_ptr<DataOrder> order;
  std::unique_ptr<Evaluation> evaluation;
  Schedule schedule;
  SourceFiles files;
  std::string resources;
  std::string communication; ///< see backend::communicationText()
  pcc_context *context;
  char *arena;
  std::unique_ptr<SafeTensors> initFile;
  std::unique_ptr<Log> log;
  std::unique_ptr<Steps> steps;
  int64_t ahead = 0; ///< how many steps may be pending while one is issued
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_RUN_H
