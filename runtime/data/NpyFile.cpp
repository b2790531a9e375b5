//===- NpyFile.cpp - Memory-mapped numpy arrays ---------------------------===//
//
// A file consists of "\x93NUMPY", the version, the length of the header (u16,
// from version 2 u32), the header, which is a Python dict such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// and the elements.
//
//===----------------------------------------------------------------------===//

#include "runtime/data/NpyFile.h"

#include <cstring>

using namespace pcc;

namespace {
/// Parses the dict. Its values are strings, True, False and tuples of integers.
class HeaderParser {
public:
  HeaderParser(const char *text, int64_t bytes) : at(text), end(text + bytes) {}

  /// Returns false if the text is not such a dict.
  bool parse();

  std::string descr;
  std::vector<int64_t> shape;
  bool fortran = false;
  int fields = 0; ///< bit set of the fields found

private:
  bool take(char c) {
    while (at < end && (*at == ' ' || *at == '\n'))
      ++at;
    if (at == end || *at != c)
      return false;
    ++at;
    return true;
  }
  bool word(const char *text) {
    int64_t length = static_cast<int64_t>(strlen(text));
    if (end - at < length || memcmp(at, text, length))
      return false;
    at += length;
    return true;
  }
  bool string(std::string &value);
  bool boolean(bool &value);
  bool tuple();

  const char *at, *end;
};
} // namespace

bool HeaderParser::string(std::string &value) {
  char quote = take('\'') ? '\'' : take('"') ? '"' : 0;
  if (!quote)
    return false;
  while (at < end && *at != quote)
    value += *at++;
  return take(quote);
}

bool HeaderParser::boolean(bool &value) {
  while (at < end && *at == ' ')
    ++at;
  value = word("True");
  return value || word("False");
}

bool HeaderParser::tuple() {
  if (!take('('))
    return false;
  while (!take(')')) {
    while (at < end && *at == ' ')
      ++at;
    const char *begin = at;
    int64_t size = 0;
    for (; at < end && *at >= '0' && *at <= '9'; ++at)
      if (__builtin_mul_overflow(size, 10, &size) ||
          __builtin_add_overflow(size, *at - '0', &size))
        return false;
    if (at == begin)
      return false;
    shape.push_back(size);
    // A tuple of one element ends with a comma.
    if (!take(',') && (at == end || *at != ')'))
      return false;
  }
  return true;
}

bool HeaderParser::parse() {
  if (!take('{'))
    return false;
  while (!take('}')) {
    std::string key;
    if (!string(key) || !take(':'))
      return false;
    int field = key == "descr" ? 1 : key == "fortran_order" ? 2 : 4;
    if ((field == 4 && key != "shape") || fields & field)
      return false;
    fields |= field;
    bool good = field == 1   ? string(descr)
                : field == 2 ? boolean(fortran)
                             : tuple();
    if (!good || (!take(',') && (at == end || *at != '}')))
      return false;
  }
  return fields == 7;
}

std::string pcc::shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

NpyFile::NpyFile(const std::string &path)
    : file(path, ExitData, "array", "numpy.save writes such files") {
  auto refuse = [&](const std::string &reason, const std::string &note = "") {
    fail(ExitData, format("array '%s' ", path.c_str()) + reason, note);
  };
  const char *bytes = file.data();
  if (file.size() < 12 || memcmp(bytes, "\x93NUMPY", 6))
    refuse("is not a .npy file", "numpy.save writes such files");
  int version = bytes[6];
  if (version < 1 || version > 3)
    refuse(format("has version %d of the format; 1 to 3 are known", version));
  int64_t headerAt = version == 1 ? 10 : 12;
  uint32_t length = 0;
  memcpy(&length, bytes + 8, version == 1 ? 2 : 4);
  if (length > file.size() - headerAt)
    refuse("ends within its header");
  HeaderParser header(bytes + headerAt, length);
  if (!header.parse())
    refuse("has a header that cannot be read");

  const ElementInfo *known = findElement(&ElementInfo::descr, header.descr);
  if (!known)
    refuse(format("has elements of type '%s'", header.descr.c_str()),
           "little-endian integers, bool, float16, float32 and float64 can be "
           "read");
  if (header.fortran && header.shape.size() > 1)
    refuse("is stored in column-major order",
           "numpy.save of numpy.ascontiguousarray(x) stores it row-major");
  values.type = known->type;
  values.data = bytes + headerAt + length;
  values.count = 1;
  int64_t needed = infoOf(values.type).bytes;
  for (int64_t size : header.shape)
    if (__builtin_mul_overflow(needed, size, &needed) ||
        __builtin_mul_overflow(values.count, size, &values.count))
      refuse("is too large: " + shapeText(header.shape));
  int64_t held = file.size() - headerAt - length;
  if (held != needed)
    refuse(format("has %lld bytes of elements, %s of %s needs %lld",
                  static_cast<long long>(held), shapeText(header.shape).c_str(),
                  infoOf(values.type).numpy, static_cast<long long>(needed)));
  sizes = header.shape;
}
