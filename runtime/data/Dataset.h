//===- Dataset.h - Training and validation data -----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_DATASET_H
#define PCC_RUNTIME_DATA_DATASET_H

#include "runtime/support/Mesh.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pcc {

/// Whether some samples have values in the array of an input: a valid target,
/// or a nonzero element if it has no labels.
struct ArrayValues {
  std::string input;
  bool isFound = false;
  std::string bound; ///< boundText() of the input

  /// A file of the array, one for each source.
  struct File {
    std::string path;
    std::string samples; ///< the samples that were searched, in words
  };
  std::vector<File> files;
};

/// Numbered samples, each with values for every input fed from data. Files are
/// mapped and never read whole.
class Dataset {
public:
  virtual ~Dataset() = default;

  /// Returns the value of --data or --val-data, for messages.
  virtual const std::string &path() const = 0;
  /// Returns the number of samples.
  virtual int64_t samples() const = 0;
  /// Returns a description for the start of a run, such as "a.bin: 2,001 tokens
  /// (llm.c)".
  virtual std::string describe() const = 0;
  /// Returns the data that `samples` samples require, such as "at least 65
  /// tokens are needed".
  virtual std::string needed(int64_t samples) const = 0;

  /// Returns a text that identifies the contents: a hash of the sizes, the
  /// first and last 64 KiB and 64 evenly spaced blocks of 4 KiB of each file.
  virtual std::string digest() const = 0;

  /// Checks at most `budget` bytes of ids against the program's vocabularies,
  /// and subtracts the checked ones. Exits with ExitData, naming the position
  /// of an id that is out of range. Returns false if some ids are left
  /// unchecked.
  virtual bool check(int64_t &budget) const = 0;
  /// Checks the ids of one sample in the same way, and that the types of the
  /// inputs can represent its integers.
  virtual void checkSample(int64_t sample) const = 0;
  /// Returns a description of a sample's first inf or nan; empty if none.
  virtual std::string findNotFinite(int64_t sample) const = 0;
  /// Searches the samples' values in each array that has some per sample: in
  /// arrays of labels, or else in all others. Returns none if the data always
  /// has values, as tokens do.
  virtual std::optional<std::vector<ArrayValues>>
  findValues(const std::vector<int64_t> &samples, bool ofLabels) const = 0;
  /// Returns a description of the first array of labels without valid targets
  /// in these samples; empty if there is none.
  std::string findMissingTargets(const std::vector<int64_t> &samples) const;
  /// Returns false if there are arrays of labels and none of them has a valid
  /// target in these samples.
  bool mayHaveTargets(const std::vector<int64_t> &samples) const;
  /// Returns a description of the first array, other than labels, that is 0 in
  /// all these samples but not in the samples `before` (which may be none);
  /// empty if there is none.
  std::string findZeros(const std::vector<int64_t> &samples,
                        const std::vector<int64_t> &before) const;

  /// Returns for each token of a sample whether a document ends at it, as the
  /// program's tokens or an index of the data tell; for a program with
  /// documents.
  virtual std::vector<char> documentEnds(int64_t sample) const = 0;
  /// Copies a sample's values of an input, row major: the indices [start, start
  /// + extent) of `shard` along all dims but the batch dim.
  virtual void copySample(const pcc_input &input, const Shard &shard,
                          int64_t sample, char *to) const = 0;
  /// Fills an input that is the same for all samples. Returns false if the
  /// samples have their own values.
  virtual bool copyConstant(const pcc_input &input, const Shard &shard,
                            char *to) const = 0;
};

/// Returns ", by 'node'", the node that bounds an input's ids; "" if none is
/// named.
std::string boundText(const pcc_input &ids);

/// Opens the value of --data or --val-data (`flag`): token files separated by
/// commas, or a folder of .npy files. Exits with ExitData if it cannot feed
/// this program.
std::unique_ptr<Dataset> openDataset(const pcc_program &program,
                                     const std::string &paths,
                                     const char *flag);

/// Returns the files that openDataset() may read for a value of --data.
std::vector<std::string> dataFiles(const std::string &paths);

/// Returns a description of the data that openDataset() takes for this program.
std::string describeWantedData(const pcc_program &program);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_DATASET_H
