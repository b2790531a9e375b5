//===- Dataset.h - What a program is trained on -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_DATASET_H
#define PCC_RUNTIME_DATA_DATASET_H

#include "runtime/support/Mesh.h"

#include <memory>
#include <string>
#include <vector>

namespace pcc {

/// Numbered samples, each of which has values for every input of the program
/// that data feeds. Mapped files, never read whole.
class Dataset {
public:
  virtual ~Dataset() = default;

  /// The files as --data or --val-data named them, for messages.
  virtual const std::string &path() const = 0;
  /// How many samples it has, at least one.
  virtual int64_t samples() const = 0;
  /// What the start of a run says, such as "a.bin: 2,001 tokens (llm.c)".
  virtual std::string describe() const = 0;
  /// What `samples` samples take, such as "at least 65 tokens are needed".
  virtual std::string needed(int64_t samples) const = 0;

  /// Checks ids against the program's vocabularies, of at most `budget` bytes;
  /// exits with ExitData, naming the place. False: some are left unchecked.
  virtual bool check(int64_t budget) const = 0;
  /// The same of one sample.
  virtual void checkSample(int64_t sample) const = 0;
  /// The first value of a sample that is inf or nan, in words; empty: none.
  virtual std::string findNotFinite(int64_t sample) const = 0;
  /// The first array of labels of which none counts in these samples, in words;
  /// empty: none.
  virtual std::string
  findUncounted(const std::vector<int64_t> &samples) const = 0;
  /// False where there are labels and none of any array counts in these
  /// samples.
  virtual bool mayCount(const std::vector<int64_t> &samples) const = 0;
  /// The first array of others that is 0 in all of these samples, unless it was
  /// in all of those `before`, if there are any: in words; empty: none.
  virtual std::string findZeros(const std::vector<int64_t> &samples,
                                const std::vector<int64_t> &before) const = 0;

  /// Copies a sample's values of an input: of its dims but that of the samples
  /// the part [shard.start, shard.start + shard.extent), row major.
  virtual void copySample(const pcc_input &input, const Shard &shard,
                          int64_t sample, char *to) const = 0;
  /// Fills an input that is the same for all samples; false where the samples
  /// have their own values.
  virtual bool copyConstant(const pcc_input &input, const Shard &shard,
                            char *to) const = 0;
};

/// ", by 'node'": whose bound an input's ids have; "" where none is named.
std::string boundText(const pcc_input &ids);

/// Opens what --data or --val-data (`flag`) names: token files with commas
/// between, or a folder of .npy files. Exits with ExitData where it cannot
/// feed this program.
std::unique_ptr<Dataset> openDataset(const pcc_program &program,
                                     const std::string &paths,
                                     const char *flag);

/// The files that openDataset() may read for what --data names.
std::vector<std::string> dataFiles(const std::string &paths);

/// What openDataset() takes for this program, in words.
std::string describeWantedData(const pcc_program &program);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_DATASET_H
