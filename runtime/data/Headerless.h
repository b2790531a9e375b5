//===- Headerless.h - What a file without a header holds --------*- C++ -*-===//

#ifndef PCC_RUNTIME_DATA_HEADERLESS_H
#define PCC_RUNTIME_DATA_HEADERLESS_H

#include <cstdint>
#include <string>

namespace pcc {

/// Why bytes that no header describes are not uint16 tokens.
struct NoTokens {
  /// What they are instead, such as "is text"; empty: they may be tokens.
  std::string reason;
  std::string note; ///< the way out
};

/// Looks for other formats, by their first bytes, and for numbers of another
/// width or byte order, by what every second one would be. Reads at most a few
/// MiB, spread over the file.
NoTokens findNoTokens(const char *data, int64_t bytes);

/// Of tokens that are outside the vocabulary: how else the bytes can be read so
/// that the first MiB is inside, as a note; empty: in no way that is known.
std::string otherReading(const char *data, int64_t bytes, int64_t vocab);

} // namespace pcc

#endif // PCC_RUNTIME_DATA_HEADERLESS_H
