//===- TokenDataset.h - Token files as a dataset ----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_TOKENDATASET_H
#define PCC_RUNTIME_DATA_TOKENDATASET_H

#include "runtime/data/Dataset.h"
#include "runtime/data/TokenFile.h"

#include <vector>

namespace pcc {

/// Token files, one after the other as one sequence of tokens. Sample n is its
/// tokens [n * seq, (n + 1) * seq], the last being the last target only.
class TokenDataset : public Dataset {
public:
  /// Opens the files at `paths`; `name`: all of them as the user gave them, for
  /// messages. Exits with ExitData where they hold no sample.
  TokenDataset(const pcc_program &program, const std::string &name,
               const std::vector<std::string> &paths);

  const std::string &path() const override { return name; }
  int64_t samples() const override;
  std::string describe() const override;
  std::string needed(int64_t samples) const override;
  bool check(int64_t budget) const override;
  void checkSample(int64_t sample) const override;
  std::string findNotFinite(int64_t) const override { return ""; }
  std::string findUncounted(const std::vector<int64_t> &) const override {
    return "";
  }
  bool mayCount(const std::vector<int64_t> &) const override { return true; }
  std::string findZeros(const std::vector<int64_t> &,
                        const std::vector<int64_t> &) const override {
    return "";
  }
  void copySample(const pcc_input &input, const Shard &shard, int64_t sample,
                  char *to) const override;
  bool copyConstant(const pcc_input &, const Shard &, char *) const override {
    return false;
  }

private:
  int64_t size() const { return starts.back(); }
  int64_t at(int64_t position) const;
  /// The file that holds a position of the whole.
  size_t fileOf(int64_t position) const;
  [[noreturn]] void refuse(size_t file, int64_t position) const;

  std::string name;
  int64_t seq, vocab = 0; ///< vocab 0: ids have no bound
  std::string bound;      ///< whose bound it is
  std::vector<std::unique_ptr<TokenFile>> files;
  std::vector<int64_t> starts; ///< of the files, then the size of the whole
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_TOKENDATASET_H
