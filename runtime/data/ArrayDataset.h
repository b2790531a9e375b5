//===- ArrayDataset.h - Arrays by name as a dataset -------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_ARRAYDATASET_H
#define PCC_RUNTIME_DATA_ARRAYDATASET_H

#include "runtime/data/Dataset.h"
#include "runtime/data/NpyFile.h"

#include <map>

namespace pcc {

/// A folder with `<input>.npy` for every input fed from data; targets may be in
/// labels.npy. The first dim of an array is the sample, the others are the
/// input's. An input without a batch dim has one array for all samples.
class ArrayDataset : public Dataset {
public:
  /// Opens the arrays that `program` reads and checks their shapes and types.
  /// Exits with ExitData if one is missing or does not fit. `program` must
  /// outlive this.
  ArrayDataset(const pcc_program &program, const std::string &folder);

  const std::string &path() const override { return folder; }
  int64_t samples() const override { return count; }
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
  struct Array {
    std::unique_ptr<NpyFile> file;
    std::string input;      ///< name of the input that it feeds
    bool isTargets = false; ///< whether the input's role is targets or labels
    int32_t dtype = 0;      ///< of the input
    int64_t vocab = 0;      ///< smallest bound of the inputs that it feeds
    std::string bound;      ///< boundText() of that input
    bool isLabels = false;  ///< class labels; -100: ignored
    bool perSample = true;
    int64_t sampleElements = 1;
  };
  void add(const pcc_program &program, const pcc_input &input);
  /// Returns whether any of these samples has a valid target (a label >= 0) or,
  /// in an array of other values, a nonzero element.
  static bool hasValues(const Array &array,
                        const std::vector<int64_t> &samples);
  /// Returns the name of the file in the folder that feeds an input.
  std::string fileOf(const pcc_input &input) const;
  const Array &arrayOf(const pcc_input &input) const;
  /// Checks a file whose input the compiler replaced by constants. Values that
  /// differ from positions 0, 1, ... end the run; a mask that is not all ones
  /// causes a warning.
  void checkImplied(const pcc_implied &implied) const;
  [[noreturn]] void refuse(const Array &array, int64_t element) const;
  /// Check elements [first, first + count) of an array: that the input's type
  /// can represent them; that ids are within the vocabulary, and labels are
  /// classes or -100. Exit with ExitData otherwise.
  void checkWidth(const Array &array, int64_t first, int64_t count) const;
  void checkRange(const Array &array, int64_t first, int64_t count) const;

  const pcc_program &program;
  std::string folder;
  int64_t count = -1;
  std::string countedBy;               ///< an input with `count` samples
  std::map<std::string, Array> arrays; ///< by the file's name
};

/// Returns the arrays that an ArrayDataset of this program reads, such as
/// "labels.npy [samples] of whole numbers below 10".
std::string describeArrays(const pcc_program &program);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_ARRAYDATASET_H
