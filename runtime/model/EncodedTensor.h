//===- EncodedTensor.h - Tensors without raw bytes in ONNX ------*- C++ -*-===//
//
// An ONNX file may store the elements of a tensor as contiguous raw bytes, or
// encoded in protobuf fields:
//
//   initializer          int32_data of f16 and bf16, a varint per element;
//                        elements of any type, split over several fields
//   sparse_initializer   values and their indices
//   floats               an attribute of a Constant
//
// An encoded tensor is identified by the file position of its first field, tag
// included. Its elements are decoded when they are read. Where pcc_source and
// #nn.source have the offset of raw bytes, the position of an encoded tensor is
// stored as a number below PCC_ABSENT: PCC_ABSENT - 1 - position.
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
/// Field numbers of graphs and attributes, the messages that contain tensors.
enum {
  Initializer = 5, ///< of a graph; also the number of an attribute's tensor
  SparseInitializer = 15,
  SparseTensor = 22,
  Floats = 7,
};

/// Returns the offset that stands for the encoded tensor at this position.
inline int64_t offsetOf(int64_t place) { return PCC_ABSENT - 1 - place; }
/// Returns whether an offset stands for an encoded tensor.
inline bool isEncoded(int64_t offset) { return offset < PCC_ABSENT; }
/// Returns the position of the encoded tensor.
inline int64_t placeOf(int64_t offset) { return PCC_ABSENT - 1 - offset; }

/// Collects elements from the numbers of a field, packed or not. An element is
/// the low `width` bytes of a number.
class Elements {
public:
  /// Elements have `width` bytes.
  explicit Elements(int64_t width) : width(width) {}

  /// Adds the numbers of `field`: of fixed width or, else, varints. Returns
  /// false if the field is damaged or its size is no multiple of the element
  /// width.
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

  /// Returns the number of elements added so far.
  int64_t count() const { return static_cast<int64_t>(bytes.size()) / width; }
  /// Returns element `i` where elements have eight bytes.
  int64_t number(int64_t i) const {
    int64_t value = 0;
    std::memcpy(&value, &bytes[i * width], sizeof(value));
    return value;
  }

  /// The elements, little-endian and contiguous.
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

/// Calls visit(field) for the fields of a message. Returns false if the message
/// is damaged or visit returns false.
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

/// Returns the TensorProto field for elements of a type without raw bytes.
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

/// Decodes the elements of a TensorProto of type `dtype`. Returns false if it
/// is damaged.
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

/// Decodes a SparseTensorProto into a dense array of `count` elements. Returns
/// false if it is damaged or an index is out of range.
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
  // A value has one row-major index, or an index per dim.
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

/// Decodes `count` elements of type `dtype` from the field at `begin` and, if
/// it has fewer, from the fields after it up to `end`. Returns false if the
/// fields are damaged or hold another number of elements.
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
