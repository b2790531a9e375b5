//===- BlendDataset.h - Several sources as one dataset ----------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_BLENDDATASET_H
#define PCC_RUNTIME_DATA_BLENDDATASET_H

#include "runtime/data/Dataset.h"

namespace pcc {

/// Several sources, whose samples are numbered one source after the other:
///
///     source 0: samples 0 ... 548    source 1: samples 549 ... 798
class BlendDataset : public Dataset {
public:
  /// `path`: the value of --data. Each source must have a sample. Exits with
  /// ExitData if sources have different values for an input that is the same
  /// for all samples.
  BlendDataset(const pcc_program &program, const std::string &path,
               std::vector<std::unique_ptr<Dataset>> sources);

  /// Returns one of the sources.
  const Dataset &source(size_t number) const { return *sources[number]; }

  const std::string &path() const override { return name; }
  int64_t samples() const override { return starts.back(); }
  std::string describe() const override;
  std::string needed(int64_t samples) const override;
  std::string digest() const override;
  bool check(int64_t &budget) const override;
  void checkSample(int64_t sample) const override;
  std::string findNotFinite(int64_t sample) const override;
  std::optional<std::vector<ArrayValues>>
  findValues(const std::vector<int64_t> &samples, bool ofLabels) const override;
  std::vector<char> documentEnds(int64_t sample) const override;
  void copySample(const pcc_input &input, const Shard &shard, int64_t sample,
                  char *to) const override;
  bool copyConstant(const pcc_input &input, const Shard &shard,
                    char *to) const override;

private:
  /// A sample by its source and its number there.
  struct Place {
    size_t source;
    int64_t sample;
  };
  Place placeOf(int64_t sample) const;
  /// Exits unless all sources have the same values of an input that is the same
  /// for all samples.
  void checkConstant(const pcc_input &input) const;

  std::string name;
  std::vector<std::unique_ptr<Dataset>> sources;
  std::vector<int64_t> starts; ///< of the sources, then the total
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_BLENDDATASET_H
