//===- TrainingData.h - The samples that a run trains on --------*- C++ -*-===//

#ifndef PCC_RUNTIME_TRAIN_TRAININGDATA_H
#define PCC_RUNTIME_TRAIN_TRAININGDATA_H

#include "runtime/data/BlendDataset.h"
#include "runtime/data/DataOrder.h"
#include "runtime/support/Options.h"

#include <memory>
#include <string>
#include <vector>

namespace pcc {

/// The data of --data, its order, and how far the run is in it. Without
/// --data-weights there is one source: all of --data.
class TrainingData {
public:
  /// Opens the data. A resumed run continues from `earlier`; a new run has none
  /// (no sources). Exits with ExitData if the data cannot feed the program or
  /// is too short, and with ExitUsage if --data-weights does not fit --data.
  /// All ranks must call it. `program` and `options` must outlive this.
  TrainingData(const pcc_program &program, const TrainingOptions &options,
               const DataPosition &earlier);

  const Dataset &dataset() const { return *data; }
  const DataOrder &order() const { return *sequence; }
  /// Returns the position after a step, for a checkpoint: the last step or one
  /// of the few before it.
  DataPosition positionAfter(int64_t step) const;

  /// Returns the lines that describe the data at the start of a run.
  /// `isOnePass`: no number of steps was given; `rest` is appended to the first
  /// line.
  std::string describe(bool isOnePass, const std::string &rest) const;
  /// Returns the lines on what a resumed run does with the sources if they or
  /// the weights are others than before: kept, new and gone ones.
  const std::vector<std::string> &changes() const { return lines; }
  /// Returns a line for each source of a blend that starts again in a step.
  /// Later passes are reported less and less: the 2nd, 3rd, 5th, 9th, ...
  std::vector<std::string> passesBegun(int64_t step) const;

private:
  using Sources = std::vector<std::unique_ptr<Dataset>>;
  void requireSamples(const Sources &sources) const;
  /// Chooses the position from which a run with these weights continues; the
  /// same on all ranks, even if paths differ between hosts. Returns the sources
  /// in the order of the position.
  Sources continueRun(const DataPosition &earlier, Sources sources,
                      const std::vector<int64_t> &weights);
  /// Replaces the source of a run without a blend by one for each of its files,
  /// on rank 0. Warns if they are not known.
  DataPosition splitFilesOf(const DataPosition &earlier,
                            const std::vector<SourcePosition> &now) const;
  std::string sourceText(size_t source) const;

  const pcc_program &program;
  const TrainingOptions &options;
  std::unique_ptr<Dataset> data;
  const BlendDataset *blend = nullptr; ///< `data`; null without --data-weights
  std::unique_ptr<DataOrder> sequence;
  DataPosition position; ///< from which the run continues
  std::vector<std::string> lines;
};

/// Returns "a.bin: 2,001 tokens (llm.c), 250 samples of 8".
std::string dataText(const pcc_program &program, const Dataset &data);

} // namespace pcc

#endif // PCC_RUNTIME_TRAIN_TRAININGDATA_H
