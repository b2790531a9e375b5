//===- TokenDataset.h - Token files as a dataset ----------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_TOKENDATASET_H
#define PCC_RUNTIME_DATA_TOKENDATASET_H

#include "runtime/data/Dataset.h"
#include "runtime/data/TokenFile.h"

#include <vector>

namespace pcc {

/// Token files, concatenated to one sequence of tokens. Sample n is the seq + 1
/// tokens n * seq ... (n + 1) * seq; the last one is only a target.
class TokenDataset : public Dataset {
public:
  /// Opens the files at `paths`; `name`: all of them as the user gave them, for
  /// messages. Exits with ExitData if one is invalid. They may hold too few
  /// tokens for a sample.
  TokenDataset(const pcc_program &program, const std::string &name,
               const std::vector<std::string> &paths);

  /// Returns the number of tokens of all files.
  int64_t tokens() const { return size(); }

  const std::string &path() const override { return name; }
  int64_t samples() const override;
  std::string describe() const override;
  std::string needed(int64_t samples) const override;
  std::string digest() const override;
  bool check(int64_t &budget) const override;
  void checkSample(int64_t sample) const override;
  std::string findNotFinite(int64_t) const override { return ""; }
  std::optional<std::vector<ArrayValues>>
  findValues(const std::vector<int64_t> &, bool) const override {
    return std::nullopt;
  }
  std::vector<char> documentEnds(int64_t sample) const override;
  void copySample(const pcc_input &input, const Shard &shard, int64_t sample,
                  char *to) const override;
  bool copyConstant(const pcc_input &, const Shard &, char *) const override {
    return false;
  }

private:
  int64_t size() const { return starts.back(); }
  int64_t at(int64_t position) const;
  /// Returns the file that contains a position of the sequence.
  size_t fileOf(int64_t position) const;
  [[noreturn]] void refuse(size_t file, int64_t position) const;

  std::string name;
  int64_t seq, vocab = 0; ///< vocab 0: ids are unbounded
  /// The tokens that end a document where no index tells.
  std::vector<int64_t> endTokens;
  std::string bound; ///< boundText() of the input with this vocabulary
  std::vector<std::unique_ptr<TokenFile>> files;
  std::vector<int64_t> starts; ///< of the files, then the total size
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_TOKENDATASET_H
