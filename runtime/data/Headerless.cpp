//===- Headerless.cpp - Recognizes files without a header -----------------===//

#include "runtime/data/Headerless.h"

#include "runtime/support/Error.h"
#include "runtime/support/Utf8.h"

#include <algorithm>
#include <cstring>
#include <string_view>

using namespace pcc;

namespace {
/// A file format, recognized by its first bytes.
struct Format {
  const char *begin;
  size_t length;
  const char *reason;
  const char *note;
};

/// An interpretation of bytes as numbers: width in bytes and byte order.
struct Reading {
  int64_t width;
  bool isBig;
};

/// Statistics of a file's numbers in one interpretation.
struct Numbers {
  int64_t count = 0;
  int64_t ids = 0;    ///< less than `mostIds`
  int64_t wide = 0;   ///< at least 65536
  int64_t varied = 0; ///< whose low 16 bits are at least `fewHigh`
  int64_t nonzero = 0;
};
} // namespace

static const char wayOut[] =
    "headerless tokens are uint16, as nanoGPT's prepare.py writes them; wider "
    "ones take llm.c's header (20240801, 7, number of tokens) before uint32 "
    "tokens, or Megatron's .idx beside the file";
static const char noArray[] =
    "--data DIR takes the folder of <input>.npy arrays; for one array of "
    "tokens, "
    "x.astype('<u2').tofile(FILE) writes a token file";
static const char noTokenFile[] =
    "--data takes a file of token ids, or a folder of .npy arrays";

static const Format formats[] = {
    {"\x93NUMPY", 6, "is a .npy array", noArray},
    {"PK\x03\x04", 4, "is a zip archive, as of numpy.savez or torch.save",
     noTokenFile},
    {"\x1f\x8b\x08", 3, "is compressed by gzip", "unpack it first"},
    {"\x28\xb5\x2f\xfd", 4, "is compressed by zstd", "unpack it first"},
    {"PAR1", 4, "is a Parquet file", noTokenFile},
    {"ARROW1", 6, "is an Arrow file", noTokenFile},
    {"\x89HDF\r\n", 6, "is an HDF5 file", noTokenFile},
    {"\x8a\xd8\x34\x01", 4, "is an evaluation file of llm.c", noTokenFile},
    {"\xc6\xd7\x34\x01", 4, "is a model of llm.c", noTokenFile},
    {"\xc7\xd7\x34\x01", 4, "is a debugging state of llm.c", noTokenFile},
    {"\x01\x34\xd8\x88", 4, "is an llm.c file of big-endian numbers",
     "llm.c writes little-endian ones"},
    {"\x01\x34\xd9\xa1", 4, "is an llm.c file of big-endian numbers",
     "llm.c writes little-endian ones"},
    {"TNTIDX", 6, "is the index of an old Megatron data set",
     "only its successor, which begins with MMIDIDX, is read"},
};

/// Returns whether the first bytes (32 to 4096) are text. It is very unlikely
/// that uint16 tokens look like text by chance.
static bool isText(const char *data, int64_t bytes) {
  const int64_t least = 32, most = 4096, longestCharacter = 4;
  if (bytes < least)
    return false;
  std::string_view text(data, std::min(bytes, most));
  for (size_t at = 0; at < text.size();) {
    size_t length = utf8Length(text.substr(at));
    auto c = static_cast<unsigned char>(text[at]);
    // The last character may be cut off.
    if (length == 0 && at + longestCharacter > text.size() && c >= 0x80)
      return true;
    if (length == 0 || c == 0x7f || (c < ' ' && (!c || !strchr("\t\n\r\f", c))))
      return false;
    at += length;
  }
  return true;
}

static uint64_t load(const char *data, Reading reading) {
  uint64_t value = 0;
  for (int64_t i = 0; i < reading.width; ++i) {
    int64_t from = reading.isBig ? i : reading.width - 1 - i;
    value = value << 8 | static_cast<unsigned char>(data[from]);
  }
  return value;
}

/// More ids than any tokenizer's vocabulary has.
static const uint64_t mostIds = 1 << 20;

static void count(const char *data, int64_t bytes, Reading reading,
                  Numbers &numbers) {
  const uint64_t fewHigh = mostIds >> 16;
  for (int64_t at = 0; at + reading.width <= bytes; at += reading.width) {
    uint64_t value = load(data + at, reading);
    ++numbers.count;
    numbers.ids += value < mostIds;
    numbers.wide += value > 0xffff;
    numbers.varied += (value & 0xffff) >= fewHigh;
    numbers.nonzero += value != 0;
  }
}

/// Returns whether the numbers look like ids of this width: all less than
/// `mostIds`. If the file had uint16 tokens, the 16-bit halves that are the
/// high ones in this interpretation would be distributed like the low ones.
/// Then all of them would be less than 16 only if nearly all tokens were.
static bool areIds(const char *data, int64_t bytes, Reading reading) {
  const int64_t window = 64 << 10, windows = 16, least = 8;
  if (bytes % reading.width || bytes / reading.width < least)
    return false;
  Numbers numbers;
  int64_t step = std::max(window, bytes / windows / window * window);
  for (int64_t at = 0; at < bytes; at += step)
    count(data + at, std::min(window, bytes - at), reading, numbers);
  if (numbers.ids < numbers.count)
    return false;
  return 2 * numbers.varied >= numbers.count ||
         (numbers.wide == 0 && 2 * numbers.nonzero >= numbers.count);
}

FormatMismatch pcc::findFormatMismatch(const char *data, int64_t bytes) {
  for (const Format &format : formats)
    if (bytes >= static_cast<int64_t>(format.length) &&
        !memcmp(data, format.begin, format.length))
      return {format.reason, format.note};
  if (isText(data, bytes))
    return {"is text, not token ids",
            "pcc-data turns text into token ids, by a model's tokenizer or a "
            "token per byte"};
  for (Reading reading : {Reading{8, false}, Reading{8, true},
                          Reading{4, false}, Reading{4, true}})
    if (areIds(data, bytes, reading)) {
      long long bits = reading.width * 8;
      return {format("has no header and looks like %lld-bit tokens%s: of the "
                     "16-bit ones that it would be read as, %s less than 16, "
                     "mostly 0",
                     bits, reading.isBig ? " in big-endian order" : "",
                     bits == 32 ? "every second is" : "three of four are"),
              wayOut};
    }
  return {};
}

std::string pcc::findOtherReading(const char *data, int64_t bytes,
                                  int64_t vocab) {
  struct Other {
    Reading reading;
    const char *note;
  };
  const Other others[] = {
      {{2, true},
       "as big-endian tokens they are in range: x.astype('<u2').tofile(FILE) "
       "writes little-endian ones"},
      {{1, false},
       "as tokens of a byte each they are in range: headerless tokens are "
       "uint16"}};
  int64_t end = std::min<int64_t>(bytes, 1 << 20) / 2 * 2;
  for (const Other &other : others) {
    bool isInside = true;
    for (int64_t at = 0; isInside && at < end; at += other.reading.width)
      isInside = load(data + at, other.reading) < static_cast<uint64_t>(vocab);
    if (isInside)
      return other.note;
  }
  return "";
}
