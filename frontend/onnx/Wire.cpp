//===- Wire.cpp - Takes large tensors out of an ONNX file -----------------===//
//
// Protocol buffers copy everything they parse. So the file is first traversed
// in its wire format: the fields on the path from the model to its tensors are
// copied, but the bytes of large tensors are replaced by a reference in the
// form of external data, which is cheap to parse. A sparse tensor becomes such
// a reference, too.
//
//===----------------------------------------------------------------------===//

#include "frontend/onnx/Reader.h"
#include "runtime/model/EncodedTensor.h"
#include "runtime/support/DType.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

namespace {

/// Raw constants up to this many bytes stay inline unless they are floats,
/// which may be weights. Raw initializers never do: a parameter is identified
/// by its offset in the file. Integers in typed fields always stay inline.
constexpr uint64_t kSmallConstant = 4096;

enum class Message { Model, Graph, Node, Attribute, Initializer, Constant };

// Field numbers from onnx.proto; encoded:: has the numbers of element fields.
constexpr uint64_t kTensorName = 8, kExternalData = 13, kDataLocation = 14;
constexpr uint64_t kAttributeName = 1, kAttributeTensor = 5,
                   kAttributeType = 20;

/// The message in a field on the path to tensors.
std::optional<Message> nested(Message in, uint64_t field) {
  switch (in) {
  case Message::Model:
    return field == 7 ? std::optional(Message::Graph) : std::nullopt;
  case Message::Graph:
    return field == 1 ? std::optional(Message::Node) : std::nullopt;
  case Message::Node:
    return field == 5 ? std::optional(Message::Attribute) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Appends an external_data entry, a StringStringEntryProto.
void putEntry(std::string &out, StringRef key, StringRef value) {
  std::string entry;
  wire::putBytes(entry, 1, key);
  wire::putBytes(entry, 2, value);
  wire::putBytes(out, kExternalData, entry);
}

bool isElements(uint64_t field) {
  return field == encoded::FloatData || field == encoded::Int32Data ||
         field == encoded::Int64Data || field == encoded::RawData ||
         field == encoded::DoubleData || field == encoded::Uint64Data;
}

/// The element type, count and element fields of a TensorProto.
struct TensorFields {
  int32_t dtype = -1; ///< a pcc_dtype
  int64_t count = 1;
  /// The fields that hold elements.
  SmallVector<wire::Field, 1> elements;

  bool isFloats() const { return dtype >= 0 && isFloat(dtype); }
  /// Whether the elements are the bytes of one field, not encoded.
  bool arePlain() const {
    if (elements.size() != 1 || elements[0].type != wire::Bytes)
      return false;
    uint64_t number = elements[0].number;
    return number == encoded::RawData ||
           (number == encoded::FloatData && dtype == PCC_F32) ||
           (number == encoded::DoubleData && dtype == PCC_F64);
  }
};

struct Walker {
  const char *file;
  bool truncated = false;

  /// Appends a reference to bytes of the file, as external data with location
  /// "". `isEncoded`: the bytes are protobuf fields that encode elements.
  void putReference(std::string &out, const char *begin, const char *end,
                    bool isEncoded) const {
    putEntry(out, "location", "");
    putEntry(out, "offset", std::to_string(begin - file));
    putEntry(out, "length", std::to_string(end - begin));
    if (isEncoded)
      putEntry(out, kEncodedKey, "1");
    wire::putNumber(out, kDataLocation, onnx::TensorProto::EXTERNAL);
  }

  template <typename Visit>
  bool forEachField(const char *at, const char *end, Visit visit) {
    while (at < end) {
      wire::Field field;
      if (!wire::readField(at, end, field, truncated) || !visit(field))
        return false;
    }
    return true;
  }

  bool readDims(const wire::Field &field, int64_t &count) const {
    encoded::Elements dims(sizeof(int64_t));
    if (!dims.add(field, /*areFixed=*/false))
      return false;
    for (int64_t i = 0; i < dims.count(); ++i)
      if (llvm::MulOverflow(count, dims.number(i), count))
        count = -1;
    return true;
  }

  bool readTensor(const wire::Field &tensor, TensorFields &to) {
    return forEachField(tensor.begin, tensor.end, [&](const wire::Field &f) {
      if (f.number == encoded::TensorDims)
        return readDims(f, to.count);
      if (f.number == encoded::TensorDataType && f.type == wire::Varint)
        to.dtype = dtypeOfONNX(static_cast<int32_t>(f.varint));
      else if (isElements(f.number) && f.begin != f.end)
        to.elements.push_back(f);
      return true;
    });
  }

  /// Copies a TensorProto, with a reference in place of its elements if they
  /// are floats, the raw bytes of an initializer, or raw and larger than
  /// kSmallConstant.
  bool copyTensor(Message kind, const wire::Field &tensor, std::string &out) {
    TensorFields fields;
    if (!readTensor(tensor, fields))
      return false;
    bool isInitializer = kind == Message::Initializer;
    bool arePlain = fields.arePlain();
    bool isLarge = arePlain && (isInitializer ||
                                fields.elements[0].varint > kSmallConstant);
    bool isReference =
        !fields.elements.empty() && (fields.isFloats() || isLarge);
    if (isReference && arePlain)
      putReference(out, fields.elements[0].begin, fields.elements[0].end,
                   false);
    else if (isReference)
      putReference(out, tensor.tag, tensor.end, true);
    return forEachField(tensor.begin, tensor.end, [&](const wire::Field &f) {
      if (!isReference || !isElements(f.number))
        out.append(f.tag, f.end);
      return true;
    });
  }

  /// Builds a TensorProto from a SparseTensorProto. `out` stays empty if its
  /// values are in another file.
  bool copySparse(const wire::Field &sparse, std::string &out) {
    std::string tensor;
    bool isExternal = false;
    auto readValues = [&](const wire::Field &f) {
      if (f.number == kTensorName || f.number == encoded::TensorDataType)
        tensor.append(f.tag, f.end);
      isExternal |= f.number == kDataLocation && f.varint != 0;
      return true;
    };
    bool good = forEachField(sparse.begin, sparse.end, [&](const auto &f) {
      if (f.number == encoded::SparseDims) {
        encoded::Elements dims(sizeof(int64_t));
        bool areDims = dims.add(f, /*areFixed=*/false);
        for (int64_t i = 0; areDims && i < dims.count(); ++i)
          wire::putNumber(tensor, encoded::TensorDims, dims.number(i));
        return areDims;
      }
      return f.number != encoded::SparseValues || f.type != wire::Bytes ||
             forEachField(f.begin, f.end, readValues);
    });
    putReference(tensor, sparse.tag, sparse.end, true);
    if (good && !isExternal)
      out = std::move(tensor);
    return good;
  }

  /// The float list of an attribute as a TensorProto.
  static std::string tensorOfFloats(const Walker &walker, int64_t count,
                                    const char *begin, const char *end) {
    std::string tensor;
    wire::putNumber(tensor, encoded::TensorDims, count);
    wire::putNumber(tensor, encoded::TensorDataType, onnx::TensorProto::FLOAT);
    walker.putReference(tensor, begin, end, true);
    return tensor;
  }

  /// Copies an attribute. The float list (of several elements) or sparse tensor
  /// of a Constant becomes the attribute `value`, a tensor.
  bool copyAttribute(const wire::Field &attribute, std::string &out) {
    StringRef name;
    const wire::Field *sparse = nullptr;
    std::vector<wire::Field> all;
    encoded::Elements floats(sizeof(float));
    const char *begin = nullptr, *end = nullptr;
    bool good =
        forEachField(attribute.begin, attribute.end, [&](const wire::Field &f) {
          all.push_back(f);
          if (f.number == kAttributeName && f.type == wire::Bytes)
            name = f.text();
          if (f.number != encoded::Floats)
            return true;
          begin = begin ? begin : f.tag;
          end = f.end;
          return floats.add(f, /*areFixed=*/true);
        });
    for (const wire::Field &f : all)
      if (f.number == encoded::SparseTensor && f.type == wire::Bytes)
        sparse = &f;
    std::string tensor;
    if (good && name == "value_floats" && floats.count() > 1)
      tensor = tensorOfFloats(*this, floats.count(), begin, end);
    else if (good && name == "sparse_value" && sparse)
      good = copySparse(*sparse, tensor);
    if (!good)
      return false;
    if (!tensor.empty()) {
      wire::putBytes(out, kAttributeName, "value");
      wire::putBytes(out, kAttributeTensor, tensor);
      wire::putNumber(out, kAttributeType, onnx::AttributeProto::TENSOR);
      return true;
    }
    for (const wire::Field &f : all) {
      if (f.number != kAttributeTensor || f.type != wire::Bytes) {
        out.append(f.tag, f.end);
        continue;
      }
      std::string message;
      if (!copyTensor(Message::Constant, f, message))
        return false;
      wire::putBytes(out, f.number, message);
    }
    return true;
  }

  bool copy(Message kind, const wire::Field &message, std::string &out) {
    if (kind == Message::Attribute)
      return copyAttribute(message, out);
    return copy(kind, message.begin, message.end, out);
  }

  bool copy(Message kind, const char *at, const char *end, std::string &out) {
    return forEachField(at, end, [&](const wire::Field &field) {
      uint64_t number = field.number;
      bool isBytes = field.type == wire::Bytes,
           isGraphs = kind == Message::Graph && isBytes;
      std::string message;
      std::optional<Message> inner =
          isBytes ? nested(kind, number) : std::nullopt;
      bool good = true;
      if (isGraphs && number == encoded::Initializer)
        good = copyTensor(Message::Initializer, field, message);
      else if (isGraphs && number == encoded::SparseInitializer)
        good = copySparse(field, message);
      else if (inner)
        good = copy(*inner, field, message);
      else
        out.append(field.tag, field.end);
      bool isSparse = isGraphs && number == encoded::SparseInitializer;
      if (isSparse && good && message.empty())
        out.append(field.tag, field.end);
      else if (isSparse || inner ||
               (isGraphs && number == encoded::Initializer))
        wire::putBytes(out, isSparse ? encoded::Initializer : number, message);
      return good;
    });
  }
};

} // namespace

FailureOr<std::string> pcc::frontend::stripWeights(StringRef bytes,
                                                   bool &truncated) {
  Walker walker{bytes.data()};
  std::string out;
  bool ok = walker.copy(Message::Model, bytes.begin(), bytes.end(), out);
  // Every writer begins with ir_version, a small varint in field 1. Without it,
  // the file is not a truncated model.
  bool begins = bytes.size() > 1 && bytes[0] == 0x08 && bytes[1] < 0x40;
  truncated = begins && walker.truncated;
  if (!ok)
    return failure();
  return out;
}
