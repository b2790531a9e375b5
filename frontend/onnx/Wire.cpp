//===- Wire.cpp - Takes large tensors out of an ONNX file -----------------===//
//
// Protocol buffers copy everything they parse. So the file is walked by its
// wire format first: along the path from the model to its tensors the fields
// are copied, but the bytes of large tensors become a reference in the form of
// external data, which a parser copies in no time.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Reader.h"
#include "runtime/model/WireFormat.h"

using namespace mlir;
using namespace pcc;
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

/// A StringStringEntryProto.
void putEntry(std::string &out, StringRef key, StringRef value) {
  std::string entry;
  wire::putBytes(entry, 1, key);
  wire::putBytes(entry, 2, value);
  wire::putBytes(out, kExternalData, entry);
}

struct Walker {
  const char *file;
  bool truncated = false;

  bool copy(Message kind, const char *at, const char *end, std::string &out) {
    while (at < end) {
      wire::Field field;
      if (!wire::readField(at, end, field, truncated))
        return false;
      uint64_t number = field.number;
      bool isBytes = field.type == wire::Bytes;
      bool data = isBytes && (number == kRawData || number == kFloatData);
      std::optional<Message> inner =
          isBytes ? nested(kind, number) : std::nullopt;
      if (data &&
          ((kind == Message::Initializer && field.varint > 0) ||
           (kind == Message::Constant && field.varint > kSmallConstant))) {
        putEntry(out, "location", "");
        putEntry(out, "offset", std::to_string(field.begin - file));
        putEntry(out, "length", std::to_string(field.varint));
        wire::putNumber(out, kDataLocation, onnx::TensorProto::EXTERNAL);
      } else if (inner) {
        std::string message;
        if (!copy(*inner, field.begin, field.end, message))
          return false;
        wire::putBytes(out, number, message);
      } else {
        out.append(field.tag, field.end);
      }
    }
    return true;
  }
};

} // namespace

FailureOr<std::string> pcc::frontend::stripWeights(StringRef bytes,
                                                   bool &truncated) {
  Walker walker{bytes.data()};
  std::string out;
  bool ok = walker.copy(Message::Model, bytes.begin(), bytes.end(), out);
  // Every writer begins with ir_version, a small varint in field 1: without
  // it, this never was a model.
  bool begins = bytes.size() > 1 && bytes[0] == 0x08 && bytes[1] < 0x40;
  truncated = begins && walker.truncated;
  if (!ok)
    return failure();
  return out;
}
