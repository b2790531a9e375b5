//===- DataPosition.h - How far a run is in its data ------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_DATAPOSITION_H
#define PCC_RUNTIME_DATA_DATAPOSITION_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// A source of training samples and the samples that a run took from it.
struct SourcePosition {
  std::string path; ///< an entry of --data, as given
  /// Identifies the contents (Dataset::digest()); empty: unknown.
  std::string digest;
  int64_t samples = 0; ///< that it has; 0: unknown
  /// Selects its permutations. A source keeps its number on resume.
  int64_t number = 0;
  /// Its proportion in the blend; 0: it was in an earlier one only.
  int64_t weight = 1;
  /// The samples taken before the blend began, and by the blend.
  int64_t start = 0, taken = 0;
  /// The tokens of its next sample that an earlier run trained on, when the
  /// samples began elsewhere.
  int64_t seen = 0;

  /// Returns the number of samples taken.
  int64_t position() const { return start + taken; }
};

/// The position after a step in all sources, which is stored in checkpoints.
struct DataPosition {
  int64_t step = 0;
  /// The last step before the blend began: 0, or that of the checkpoint from
  /// which a run with other sources or weights continued.
  int64_t since = 0;
  int64_t batch = 0; ///< samples of a step
  int64_t seq = 0;   ///< tokens of a sample; 0: none
  /// Those of the blend by number, then the earlier ones.
  std::vector<SourcePosition> sources;
};

/// The sources with which a run continues another one.
struct Continuation {
  DataPosition position;
  /// For each source of the blend: its index among the given ones.
  std::vector<int64_t> given;
  /// Whether the run continues with the same sources and weights, as if it had
  /// not ended.
  bool isSame = false;
  /// A line for each source, if it does not: "kept", "new" or "gone".
  std::vector<std::string> lines;
  std::vector<std::string> warnings;
};

/// Returns how a run of these sources (path, digest, samples and weight) with
/// this batch and seq continues from `earlier`. A source continues where it
/// was: the one with the same digest, at the same path if several have it; or
/// the one at the same path.
Continuation continueFrom(const DataPosition &earlier,
                          const std::vector<SourcePosition> &sources,
                          int64_t batch, int64_t seq);

/// Returns how a run without a blend continues another one: with the samples
/// that follow from the number of the step. The lines and warnings say what
/// becomes of its source if it is another one.
Continuation continuePlain(const DataPosition &earlier,
                           const SourcePosition &source, int64_t batch,
                           int64_t seq);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_DATAPOSITION_H
