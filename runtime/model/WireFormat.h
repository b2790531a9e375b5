//===- WireFormat.h - Wire format of protocol buffers -----------*- C++ -*-===//
//
// A message is a sequence of fields, each a tag (field number, wire type) and a
// value. Nested messages and strings are length-delimited values. Models are
// walked in this form because a parser would copy all weights.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_WIREFORMAT_H
#define PCC_RUNTIME_MODEL_WIREFORMAT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace pcc::wire {

/// The supported wire types; the numbers are the format's.
enum Type { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// A field in the bytes of a message, which must outlive it.
struct Field {
  /// The field's number in the message, from 1.
  uint64_t number;
  /// A value of Type.
  int type;
  uint64_t varint;   ///< the value of a Varint, the length of Bytes
  const char *tag;   ///< the first byte of the field
  const char *begin; ///< the first byte of the value, after the length of Bytes
  const char *end;

  /// Returns the value of Bytes as text.
  std::string_view text() const {
    return std::string_view(begin, static_cast<size_t>(end - begin));
  }
};

/// Reads the varint at `at` and advances `at`. Returns false if it is invalid
/// or, setting `truncated`, does not end before `end`.
inline bool readVarint(const char *&at, const char *end, uint64_t &value,
                       bool &truncated) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == end) {
      truncated = true;
      return false;
    }
    auto byte = static_cast<unsigned char>(*at++);
    value |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

/// The same for a field.
inline bool readField(const char *&at, const char *end, Field &field,
                      bool &truncated) {
  uint64_t tag;
  field.tag = at;
  if (!readVarint(at, end, tag, truncated) || tag >> 3 == 0)
    return false;
  field.number = tag >> 3;
  field.type = tag & 7;
  field.begin = at;
  uint64_t width = 0;
  switch (field.type) {
  case Varint:
    if (!readVarint(at, end, field.varint, truncated))
      return false;
    break;
  case Fixed64:
    width = 8;
    break;
  case Fixed32:
    width = 4;
    break;
  case Bytes:
    if (!readVarint(at, end, field.varint, truncated))
      return false;
    width = field.varint;
    field.begin = at;
    break;
  default:
    return false;
  }
  if (width > static_cast<uint64_t>(end - at)) {
    truncated = true;
    return false;
  }
  at += width;
  field.end = at;
  return true;
}

/// Appends a varint: seven bits per byte, the lowest first.
inline void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

/// Appends a varint field.
inline void putNumber(std::string &out, uint64_t field, uint64_t value) {
  putVarint(out, field << 3 | Varint);
  putVarint(out, value);
}

/// Appends a length-delimited field: a string or a nested message.
inline void putBytes(std::string &out, uint64_t field, std::string_view bytes) {
  putVarint(out, field << 3 | Bytes);
  putVarint(out, bytes.size());
  out.append(bytes);
}

} // namespace pcc::wire

#endif // PCC_RUNTIME_MODEL_WIREFORMAT_H
