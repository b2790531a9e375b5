//===- EncodedTensor.h - Elements in fields of wire format ------*- C++ -*-===//
//
// An ONNX file may have the elements of a tensor as plain bytes, or in fields
// that hold them in another form:
//
//   initializer          int32_data of f16 and bf16, a varint for each element;
//                        elements of any type that no one field holds together
//   sparse_initializer   values, and the indices of these
//   floats               of an attribute of a Constant
//
// Such a tensor is known by the place of its first field, tag included, and its
// elements are made from the fields whenever they are asked for. Where an
// offset of plain bytes could stand (pcc_source, #nn.source), the place stands
// as a number below PCC_ABSENT.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MODEL_ENCODEDTENSOR_H
#define PCC_RUNTIME_MODEL_ENCODEDTENSOR_H

#include "runtime/model/WireFormat.h"
#include "runtime/support/DType.h"

#include <cstring>
#include <vector>

namespace pcc::encoded {

/// Field numbers of a TensorProto, from onnx.proto.
enum {
  TensorDims = 1,
  TensorDataType = 2,
  FloatData = 4,
  Int32Data = 5,
  Int64Data = 7,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
};
/// Field numbers of a SparseTensorProto.
enum { SparseValues = 1, SparseIndices = 2, SparseDims = 3 };
/// Field numbers of the messages that have tensors: graphs and attributes.
enum {
  Initializer = 5, ///< of a graph; an attribute's tensor has this number, too
  SparseInitializer = 15,
  SparseTensor = 22,
  Floats = 7,
};

/// The offset that says that fields at `place` hold the elements.
inline int64_t offsetOf(int64_t place) { return PCC_ABSENT - 1 - place; }
/// Whether an offset says so, and of what place.
inline bool isEncoded(int64_t offset) { return offset < PCC_ABSENT; }
/// The place that such an offset names.
inline int64_t placeOf(int64_t offset) { return PCC_ABSENT - 1 - offset; }

/// Reads numbers of one field, be it packed or not, and makes elements of the
/// low bytes of each.
class Elements {
public:
  /// Elements have `width` bytes.
  explicit Elements(int64_t width) : width(width) {}

  /// Adds those of `field`, all of which are of fixed width or varints. False:
  /// the field is damaged, or has a width that elements do not have.
  bool add(const wire::Field &field, bool areFixed) {
    if (field.type != wire::Bytes)
      return areFixed ? addBytes(field.begin, field.end)
                      : field.type == wire::Varint && addNumber(field.varint);
    if (areFixed)
      return addBytes(field.begin, field.end);
    bool truncated = false;
    for (const char *at = field.begin; at < field.end;) {
      uint64_t value;
      if (!wire::readVarint(at, field.end, value, truncated))
        return false;
      addNumber(value);
    }
    return true;
  }

  /// How many elements were added.
  int64_t count() const { return static_cast<int64_t>(bytes.size()) / width; }
  /// Element `i` of eight bytes.
  int64_t number(int64_t i) const {
    int64_t value = 0;
    std::memcpy(&value, &bytes[i * width], sizeof(value));
    return value;
  }

  /// The elements, little-endian, one behind the other.
  std::vector<char> bytes;

private:
  bool addBytes(const char *begin, const char *end) {
    bytes.insert(bytes.end(), begin, end);
    return (end - begin) % width == 0;
  }
  bool addNumber(uint64_t value) {
    char low[sizeof(value)];
    std::memcpy(low, &value, sizeof(value));
    bytes.insert(bytes.end(), low, low + width);
    return true;
  }

  int64_t width;
};

/// Calls visit(field) for the fields of a message. False: it is damaged, or
/// visit says false.
template <typename Visit>
bool forEachField(const char *at, const char *end, Visit visit) {
  bool truncated = false;
  while (at < end) {
    wire::Field field;
    if (!wire::readField(at, end, field, truncated) || !visit(field))
      return false;
  }
  return true;
}

/// The field that ONNX keeps elements of a type in, without raw bytes.
inline uint64_t fieldOf(int32_t dtype) {
  switch (dtype) {
  case PCC_F32:
    return FloatData;
  case PCC_F64:
    return DoubleData;
  case PCC_I64:
    return Int64Data;
  default:
    return Int32Data;
  }
}

/// The elements of a TensorProto, of the type `dtype`. False: damaged.
inline bool readTensor(const char *begin, const char *end, int32_t dtype,
                       Elements &to) {
  uint64_t number = fieldOf(dtype);
  bool areFixed = number == FloatData || number == DoubleData;
  return forEachField(begin, end, [&](const wire::Field &field) {
    if (field.number == RawData && field.type == wire::Bytes)
      return to.add(field, /*areFixed=*/true);
    return field.number != number || to.add(field, areFixed);
  });
}

/// Puts the values of a SparseTensorProto at their places among zeros. False:
/// damaged, or an index lies outside.
inline bool readSparse(const char *begin, const char *end, int32_t dtype,
                       int64_t count, std::vector<char> &to) {
  int64_t width = sizeOf(dtype), rank = 1;
  Elements values(width), indices(8), dims(8);
  bool good = forEachField(begin, end, [&](const wire::Field &field) {
    if (field.number == SparseDims)
      return dims.add(field, /*areFixed=*/false);
    if (field.type != wire::Bytes)
      return true;
    if (field.number == SparseValues)
      return readTensor(field.begin, field.end, dtype, values);
    return field.number != SparseIndices ||
           readTensor(field.begin, field.end, PCC_I64, indices);
  });
  // Numbers in the row-major order of all elements, or an index for each dim.
  int64_t entries = values.count();
  if (entries > 0 && indices.count() != entries)
    rank = dims.count();
  if (!good || rank < 1 || indices.count() != entries * rank)
    return false;
  to.assign(count * width, 0);
  for (int64_t i = 0; i < entries; ++i) {
    int64_t place = indices.number(i * rank);
    for (int64_t d = 1; d < rank; ++d) {
      int64_t index = indices.number(i * rank + d), extent = dims.number(d);
      if (index < 0 || index >= extent || place < 0 || place >= count)
        return false;
      place = place * extent + index;
    }
    if (place < 0 || place >= count)
      return false;
    std::memcpy(&to[place * width], &values.bytes[i * width], width);
  }
  return true;
}

/// The `count` elements of type `dtype` that the field at `begin` holds, or
/// it and others up to `end`, as plain bytes. False: the fields are damaged, or
/// hold another number of elements.
inline bool decode(const char *begin, const char *end, int32_t dtype,
                   int64_t count, std::vector<char> &to) {
  Elements elements(sizeOf(dtype));
  bool truncated = false;
  for (const char *at = begin; at < end && elements.count() < count;) {
    wire::Field field;
    if (!wire::readField(at, end, field, truncated))
      return false;
    bool isMessage = field.type == wire::Bytes;
    if (isMessage &&
        (field.number == SparseInitializer || field.number == SparseTensor))
      return readSparse(field.begin, field.end, dtype, count, to);
    if (field.number == Initializer && isMessage) {
      if (!readTensor(field.begin, field.end, dtype, elements))
        return false;
      break;
    }
    if (field.number == Floats && !elements.add(field, /*areFixed=*/true))
      return false;
  }
  to = std::move(elements.bytes);
  return static_cast<int64_t>(to.size()) == count * sizeOf(dtype);
}

} // namespace pcc::encoded

#endif // PCC_RUNTIME_MODEL_ENCODEDTENSOR_H
