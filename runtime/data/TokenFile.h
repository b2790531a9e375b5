//===- TokenFile.h - Memory-mapped token data -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_TOKENFILE_H
#define PCC_RUNTIME_DATA_TOKENFILE_H

#include "runtime/data/Elements.h"
#include "runtime/support/MappedFile.h"

#include <string>

namespace pcc {

/// A file of tokens, mapped and never read whole. Formats:
/// - Megatron's .bin, told by the .idx file beside it (`path` may name either):
///   all its sequences, one after the other;
/// - llm.c's .bin, told by its first bytes: 256 int32 (magic 20240520,
///   version 1, count), then uint16 tokens; or magic 20240801, version 7, then
///   uint32 tokens;
/// - otherwise nanoGPT's headerless uint16.
class TokenFile {
public:
  /// Exits with ExitData for a file that cannot be read, whose length
  /// disagrees with its header or index, or that has neither and is no uint16
  /// tokens of a vocabulary of `vocab` ids (0: not known).
  explicit TokenFile(const std::string &path, int64_t vocab = 0);

  /// How many tokens it has.
  int64_t size() const { return tokens.count; }
  /// The id of the token at a position from 0.
  int64_t at(int64_t position) const { return tokens.integer(position); }
  /// All tokens; they live as long as this.
  const Elements &elements() const { return tokens; }
  /// "llm.c", "Megatron" or "uint16".
  const char *formatName() const { return kind; }
  /// Whether nothing in or beside the file says what it holds.
  bool isHeaderless() const { return headerless; }
  /// The path of the file that holds the tokens, not the index.
  const std::string &path() const { return file.path(); }

private:
  void readMegatron(const std::string &indexPath);
  void readLlmC();
  void readHeaderless(int64_t vocab);

  MappedFile file;
  const char *kind = "";
  bool headerless = false;
  Elements tokens;
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_TOKENFILE_H
