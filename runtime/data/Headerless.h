//===- Headerless.h - Recognizes files without a header ---------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_HEADERLESS_H
#define PCC_RUNTIME_DATA_HEADERLESS_H

#include <cstdint>
#include <string>

namespace pcc {

/// The reason why the bytes of a file without a header are not uint16 tokens.
struct FormatMismatch {
  /// The detected contents, such as "is text"; empty if they may be tokens.
  std::string reason;
  std::string note; ///< a note with the remedy
};

/// Detects other formats by their first bytes, and numbers of another width or
/// byte order by their high 16-bit halves, which are mostly 0. Reads at most a
/// few MiB, spread over the file.
FormatMismatch findFormatMismatch(const char *data, int64_t bytes);

/// For tokens outside the vocabulary: returns a note with another
/// interpretation of the bytes in which all tokens of the first MiB are in
/// range; empty if neither big-endian nor one-byte tokens are.
std::string findOtherReading(const char *data, int64_t bytes, int64_t vocab);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_HEADERLESS_H
