//===- TokenFile.h - Memory-mapped token data -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_COMMON_TOKENFILE_H
#define PCC_RUNTIME_COMMON_TOKENFILE_H

#include "runtime/common/MappedFile.h"

#include <cstdint>
#include <string>

namespace pcc {

/// A corpus of tokens, mapped and never read whole. Formats, told apart by
/// their first bytes: llm.c's .bin (256 int32: magic 20240520, version 1,
/// count, then uint16 tokens; or magic 20240801, version 7, then uint32
/// tokens), and nanoGPT's headerless uint16.
class TokenFile {
public:
  /// Exits with ExitData for a file that cannot be read, or whose length
  /// disagrees with its header.
  explicit TokenFile(const std::string &path);

  int64_t size() const { return tokens; }
  uint32_t at(int64_t position) const {
    return wide ? reinterpret_cast<const uint32_t *>(first)[position]
                : reinterpret_cast<const uint16_t *>(first)[position];
  }
  /// "llm.c" or "uint16".
  const char *formatName() const { return kind; }
  const std::string &path() const { return file.path(); }

private:
  MappedFile file;
  const char *first = nullptr;
  const char *kind = "";
  int64_t tokens = 0;
  bool wide = false;
};

} // namespace pcc

#endif // PCC_RUNTIME_COMMON_TOKENFILE_H
