//===- Wire.cpp - Takes large tensors out of an ONNX file -----------------===//
//
// Protocol buffers copy everything they parse. So the file is walked by its
// wire format first: a sequence of (field number, wire type, value), messages
// being length-delimited values. Along the path from the model to its tensors
// the fields are copied, but the bytes of large tensors become a reference in
// the form of external data, which a parser copies in no time.
//
//===----------------------------------------------------------------------===//

#include "frontend/Reader.h"

using namespace mlir;
using namespace pcc::frontend;

namespace {

/// Constants up to this many bytes are parsed with the rest. Initializers are
/// never: a parameter must be known by its place in the file.
constexpr uint64_t kSmallConstant = 4096;

enum class Message { Model, Graph, Node, Attribute, Initializer, Constant };

/// The message in a field on the way to tensors (numbers from onnx.proto).
std::optional<Message> nested(Message in, uint64_t field) {
  switch (in) {
  case Message::Model:
    return field == 7 ? std::optional(Message::Graph) : std::nullopt;
  case Message::Graph:
    if (field == 1)
      return Message::Node;
    return field == 5 ? std::optional(Message::Initializer) : std::nullopt;
  case Message::Node:
    return field == 5 ? std::optional(Message::Attribute) : std::nullopt;
  case Message::Attribute:
    return field == 5 ? std::optional(Message::Constant) : std::nullopt;
  case Message::Initializer:
  case Message::Constant:
    return std::nullopt;
  }
}

constexpr uint64_t kFloatData = 4, kRawData = 9, kExternalData = 13,
                   kDataLocation = 14;

void putVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void putBytes(std::string &out, uint64_t field, StringRef bytes) {
  putVarint(out, field << 3 | 2);
  putVarint(out, bytes.size());
  out.append(bytes.data(), bytes.size());
}

/// A StringStringEntryProto.
void putEntry(std::string &out, StringRef key, StringRef value) {
  std::string entry;
  putBytes(entry, 1, key);
  putBytes(entry, 2, value);
  putBytes(out, kExternalData, entry);
}

struct Walker {
  StringRef file;
  bool truncated = false;

  bool varint(size_t &at, size_t end, uint64_t &value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at == end) {
        truncated = true;
        return false;
      }
      uint8_t byte = file[at++];
      value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return true;
    }
    return false;
  }

  bool copy(Message kind, size_t at, size_t end, std::string &out) {
    while (at < end) {
      size_t start = at;
      uint64_t tag, value;
      if (!varint(at, end, tag) || tag >> 3 == 0)
        return false;
      uint64_t field = tag >> 3, width = 0;
      switch (tag & 7) {
      case 0:
        if (!varint(at, end, value))
          return false;
        break;
      case 1:
        width = 8;
        break;
      case 5:
        width = 4;
        break;
      case 2:
        if (!varint(at, end, width))
          return false;
        break;
      default:
        return false;
      }
      if (width > end - at) {
        truncated = true;
        return false;
      }
      if ((tag & 7) != 2) {
        at += width;
        out.append(file.data() + start, at - start);
        continue;
      }
      bool data = field == kRawData || field == kFloatData;
      if (data && ((kind == Message::Initializer && width > 0) ||
                   (kind == Message::Constant && width > kSmallConstant))) {
        putEntry(out, "location", "");
        putEntry(out, "offset", std::to_string(at));
        putEntry(out, "length", std::to_string(width));
        putVarint(out, kDataLocation << 3);
        putVarint(out, onnx::TensorProto::EXTERNAL);
      } else if (std::optional<Message> inner = nested(kind, field)) {
        std::string message;
        if (!copy(*inner, at, at + width, message))
          return false;
        putBytes(out, field, message);
      } else {
        out.append(file.data() + start, at + width - start);
      }
      at += width;
    }
    return true;
  }
};

} // namespace

FailureOr<std::string> pcc::frontend::stripWeights(StringRef bytes,
                                                   bool &truncated) {
  Walker walker{bytes};
  std::string out;
  bool ok = walker.copy(Message::Model, 0, bytes.size(), out);
  // Every writer begins with ir_version, a small varint in field 1: without
  // it, this never was a model.
  bool begins = bytes.size() > 1 && bytes[0] == 0x08 && bytes[1] < 0x40;
  truncated = begins && walker.truncated;
  if (!ok)
    return failure();
  return out;
}
