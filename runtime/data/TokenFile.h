//===- TokenFile.h - Memory-mapped token data -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_TOKENFILE_H
#define PCC_RUNTIME_DATA_TOKENFILE_H

#include "runtime/data/Elements.h"
#include "runtime/support/MappedFile.h"

#include <memory>
#include <string>

namespace pcc {

/// A file of tokens, mapped and never read whole. Formats:
/// - Megatron's .bin, recognized by the .idx file in its folder (`path` may
///   name either): all its sequences, concatenated;
/// - llm.c's .bin, recognized by its first bytes: 256 int32 (magic 20240520,
///   version 1, count), then uint16 tokens; or magic 20240801, version 7, then
///   uint32 tokens;
/// - otherwise nanoGPT's headerless uint16.
class TokenFile {
public:
  /// Exits with ExitData if the file cannot be read, if its length disagrees
  /// with its header or index, or if it has neither and its bytes cannot be
  /// uint16 tokens of a vocabulary of `vocab` ids (0: unknown).
  explicit TokenFile(const std::string &path, int64_t vocab = 0);

  /// Returns the number of tokens.
  int64_t size() const { return tokens.count; }
  /// Returns the id of the token at a position from 0.
  int64_t at(int64_t position) const { return tokens.integer(position); }
  /// All tokens; valid as long as this object.
  const Elements &elements() const { return tokens; }
  /// "llm.c", "Megatron" or "uint16".
  const char *formatName() const { return kind; }
  /// Returns whether an index tells where documents end: Megatron's.
  bool hasDocuments() const { return documentCount > 1; }
  /// Returns whether a document ends at the token at a position, by the index.
  bool endsDocument(int64_t position) const;
  /// Returns whether the file has neither a header nor an index.
  bool isHeaderless() const { return headerless; }
  /// The path of the file that holds the tokens, not the index.
  const std::string &path() const { return file.path(); }

private:
  void readMegatron(const std::string &indexPath);
  void readLlmC();
  void readHeaderless(int64_t vocab);

  MappedFile file;
  /// Megatron's index: the byte offset of each sequence, and the number of the
  /// first sequence of each document, then that of all sequences.
  std::unique_ptr<MappedFile> index;
  const char *offsets = nullptr, *documents = nullptr;
  int64_t sequenceCount = 0, documentCount = 0;
  const char *kind = "";
  bool headerless = false;
  Elements tokens;
};

} // namespace pcc

#endif // PCC_RUNTIME_DATA_TOKENFILE_H
