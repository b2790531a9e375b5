//===- Run.h - A training run on one rank -----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_RUN_H
#define PCC_RUNTIME_TRAIN_RUN_H

#include "runtime/Backend.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/launch/Launch.h"
#include "runtime/model/ModelFolder.h"
#include "runtime/support/LearningRate.h"
#include "runtime/telemetry/Log.h"
#include "runtime/train/Evaluate.h"
#include "runtime/train/LossCheck.h"
#include "runtime/train/Steps.h"
#include "runtime/train/TrainingData.h"

#include <memory>

namespace pcc {

/// A training run on this rank, from its start to its end.
class Run {
public:
  /// Reads the files that the options name; exits on invalid options or files.
  Run(const pcc_program &program, const TrainingOptions &options,
      const Launch &launch);

  /// Loads the weights and prints the description of the run. Returns false if
  /// an end was requested before or meanwhile.
  bool begin();
  /// Runs the steps.
  void loop();
  /// Prints the summary, writes the report and exports the model, after the
  /// last step or an early end.
  void finish();

private:
  /// Checks the learning rate of a resumed run against the options that the
  /// checkpoint was trained with.
  void checkRates(const TrainingOptions &earlier);
  void chooseTrace();
  /// Reads, on rank 0, the files of the model directory that checkpoints copy.
  void readFolderFiles();
  bool evaluatesAfter(int64_t step) const;
  /// Warns of flags that have no effect together with others.
  void warnOfUnused() const;
  void load();
  void describe() const;
  /// The signal that requests an end of this run, or 0. SIGPIPE also stands for
  /// a closed standard output if the run writes no files. All ranks must call
  /// it and get the same result.
  int findRequest();
  bool stopsEarly();
  void issue(int64_t step);
  /// Takes, logs and checks issued steps until at most `left` are pending.
  void settle(int64_t left);
  /// Counts a step whose loss or norm is not finite if --skip-nonfinite allows
  /// it.
  void countNonfinite(StepResult &result);
  /// Whether a step can be issued before it is known whether the previous one
  /// updated the parameters.
  bool mayBeAhead() const;
  /// Rejects flags that need a loss scale if the program has none, and
  /// --initial-loss-scale if the checkpoint has a loss scale.
  void checkLossScale() const;
  /// The initial values of the program's numbers.
  Numbers firstNumbers() const;
  /// Counts a step without valid targets, and warns of the first one.
  void noteEmpty(int64_t step);
  /// Warns of the first of consecutive steps whose loss or norm is not finite.
  void noteNonfinite(const StepResult &result);
  /// Returns the checks of the last step's loss.
  LossCheck lossCheck() const {
    return {steps->taken(), program, data->dataset(), data->order()};
  }
  /// Evaluates after a step. Returns the reason why there is no loss, or ""
  /// once it is logged.
  std::string evaluate(int64_t step);
  void save(int64_t step);
  TrainingState state() {
    return {program,
            stage,
            coordinates,
            arena,
            files,
            static_cast<uint64_t>(options.seed),
            folderFiles.get()};
  }
  bool first() const { return backend::rank() == 0; }
  /// The number of steps so far that updated nothing, including the
  /// checkpoint's.
  int64_t skipped() const {
    return before.skipped + empty + overflowed + nonfinite;
  }

  const pcc_program &program;
  TrainingOptions options;
  const Launch &launch;
  Coordinates coordinates;
  const pcc_stage &stage;
  std::unique_ptr<SavedFiles> checkpoint; ///< to resume from; null: none
  std::vector<std::string>
      changes;      ///< options that differ from the checkpoint's
  int64_t done = 0; ///< steps that the checkpoint holds
  StepCount before; ///< the checkpoint's step counts and numbers
  /// Steps of this run that updated nothing, because they had no valid targets,
  /// because gradients overflowed at the loss scale, or because the loss or the
  /// norm was not finite.
  int64_t empty = 0, overflowed = 0, nonfinite = 0;
  /// Steps of the last kind since the last update.
  int64_t nonfiniteInRow = 0;
  bool leftOut = false;               ///< whether empty batches were reported
  int64_t last = 0;                   ///< the last step of this run
  int64_t traceFrom = 0, traceTo = 0; ///< 0: none
  int64_t savedStep = -1;
  std::unique_ptr<TrainingData> data;
  std::unique_ptr<Dataset> valData;
  bool saidClosed = false;
  bool allChecked = true; ///< else the remaining ids are checked when read
  bool isOnePass = false; ///< over the data: no number of steps was given
  std::unique_ptr<Evaluation> evaluation;
  Schedule schedule;
  SourceFiles files;
  std::unique_ptr<FolderFiles> folderFiles; ///< see TrainingState
  std::string resources;
  std::string communication; ///< see backend::communicationText()
  pcc_context *context;
  char *arena;
  std::unique_ptr<WeightFiles> initFiles;
  std::unique_ptr<Log> log;
  std::unique_ptr<Steps> steps;
  int64_t ahead = 0; ///< steps that may be pending when one is issued
};

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_RUN_H
