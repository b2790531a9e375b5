//===- ArrayDataset.h - Arrays by name as a dataset -------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_ARRAYDATASET_H
#define PCC_RUNTIME_DATA_ARRAYDATASET_H

#include "runtime/data/Dataset.h"
#include "runtime/data/NpyFile.h"

#include <map>

namespace pcc {

/// A folder with `<input>.npy` for every input that data feeds; of the targets
/// it may be labels.npy. The first dim of an array numbers the samples, the
/// others are the input's. An input that is no batch has one array for all
/// samples.
class ArrayDataset : public Dataset {
public:
  /// Opens and checks the arrays that `program` reads; exits with ExitData
  /// where one is missing or does not fit. `program` must outlive this.
  ArrayDataset(const pcc_program &program, const std::string &folder);

  const std::string &path() const override { return folder; }
  int64_t samples() const override { return count; }
  std::string describe() const override;
  std::string needed(int64_t samples) const override;
  bool check(int64_t budget) const override;
  void checkSample(int64_t sample) const override;
  std::string findNotFinite(int64_t sample) const override;
  std::string findUncounted(const std::vector<int64_t> &samples) const override;
  bool mayCount(const std::vector<int64_t> &samples) const override;
  std::string findZeros(const std::vector<int64_t> &samples,
                        const std::vector<int64_t> &before) const override;
  void copySample(const pcc_input &input, const Shard &shard, int64_t sample,
                  char *to) const override;
  bool copyConstant(const pcc_input &input, const Shard &shard,
                    char *to) const override;

private:
  struct Array {
    std::unique_ptr<NpyFile> file;
    std::string input;      ///< that it feeds, and whether that is targets
    bool isTargets = false; ///< by its role
    int32_t dtype = 0;      ///< that the input has
    int64_t vocab = 0;      ///< the least bound of the inputs it feeds
    std::string bound;      ///< whose bound it is
    bool isLabels = false;  ///< classes; -100: not counted
    bool perSample = true;
    int64_t sampleElements = 1;
  };
  void add(const pcc_program &program, const pcc_input &input);
  /// Whether an element of any of these samples counts: a label from 0 on, or
  /// of another array a number but 0.
  static bool counts(const Array &array, const std::vector<int64_t> &samples);
  /// The file in the folder that feeds it.
  std::string fileOf(const pcc_input &input) const;
  const Array &arrayOf(const pcc_input &input) const;
  /// Looks whether a file holds other values than the program takes an input of
  /// its name to have: other positions end the run, another mask is warned of.
  void checkImplied(const pcc_implied &implied) const;
  [[noreturn]] void refuse(const Array &array, int64_t element) const;
  /// Refuses elements [first, first + count) of an array that its input has no
  /// numbers for, or that are no ids.
  void checkWidth(const Array &array, int64_t first, int64_t count) const;
  void checkRange(const Array &array, int64_t first, int64_t count) const;

  const pcc_program &program;
  std::string folder;
  int64_t count = -1;
  std::string counted;                 ///< an input that has so many samples
  std::map<std::string, Array> arrays; ///< by the file's name
};

/// The arrays that an ArrayDataset of this program reads, such as
/// "labels.npy [samples] of whole numbers below 10".
std::string describeArrays(const pcc_program &program);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_ARRAYDATASET_H
