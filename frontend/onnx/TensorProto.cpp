//===- TensorProto.cpp - Tensors of a file --------------------------------===//

#include "frontend/onnx/TensorProto.h"
#include "analysis/Evaluate.h"
#include "frontend/onnx/ElementTypes.h"
#include "frontend/onnx/FileRangeScan.h"
#include <cstring>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;

/// Reads elements from typed fields instead of raw bytes.
static std::optional<Tensor> fromFields(Type element, ArrayRef<int64_t> shape,
                                        const onnx::TensorProto &tensor) {
  Tensor t(element, shape);
  auto fill = [&](const auto &values, auto convert) -> std::optional<Tensor> {
    if (static_cast<size_t>(values.size()) != t.elements().size())
      return std::nullopt;
    for (auto [to, from] : llvm::zip(t.elements(), values))
      to = convert(from);
    return t;
  };
  if (element.isF32())
    return fill(tensor.float_data(), ofFloat);
  if (element.isF64())
    return fill(tensor.double_data(), ofFloat);
  if (element.isInteger(64))
    return fill(tensor.int64_data(), ofInt);
  if (auto half = dyn_cast<FloatType>(element))
    return fill(tensor.int32_data(), [&](int32_t bits) {
      uint16_t raw = bits;
      char bytes[] = {static_cast<char>(raw), static_cast<char>(raw >> 8)};
      return Tensor::decode(half, {}, bytes).at(int64_t(0));
    });
  if (isa<IntegerType>(element))
    return fill(tensor.int32_data(), ofInt);
  return std::nullopt;
}

/// The most elements of a tensor that is loaded, and of one that is stored
/// element by element though all may be equal.
static constexpr int64_t kLargest = 1 << 26, kSmall = 4096;

/// Converts the stored elements of `tensor` to the element type to compute
/// with.
static Tensor toElement(const Tensor &stored, const onnx::TensorProto &tensor,
                        Type element) {
  if (tensor.data_type() != onnx::TensorProto::UINT8)
    return stored.castTo(element);
  return Tensor::map(element, stored, [](ArrayRef<Scalar> in) {
    return ofInt(static_cast<uint8_t>(in[0].i));
  });
}

FailureOr<Tensor> pcc::frontend::loadTensor(Location loc, Model &model,
                                            const onnx::TensorProto &tensor,
                                            bool asStored) {
  MLIRContext *context = loc.getContext();
  Type element = elementType(context, tensor.data_type(), asStored);
  Type storage = storageType(context, tensor.data_type());
  if (!element)
    return emitError(loc) << "tensor '" << tensor.name()
                          << "' has an unsupported element type";
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  std::optional<int64_t> count = countElements(shape);
  if (!count || *count > kLargest)
    return emitError(loc) << "tensor '" << tensor.name()
                          << "' has a negative dim or more than 2^26 elements, "
                             "the limit for a constant";
  int64_t size = *count;
  int64_t width = std::max(8u, storage.getIntOrFloatBitWidth()) / 8;
  auto disagrees = [&](int64_t bytes) -> LogicalResult {
    return emitError(loc) << "tensor '" << tensor.name() << "' has " << bytes
                          << " bytes, its shape needs " << size * width;
  };
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    FailureOr<FileRange> range = model.find(loc, tensor, /*optional=*/false);
    if (failed(range))
      return failure();
    if (range->length != size * width)
      return disagrees(range->length);
    bool isUniform = size > kSmall && isRepetition(*range, width);
    Tensor stored = Tensor::decode(
        storage, isUniform ? ArrayRef<int64_t>() : ArrayRef<int64_t>(shape),
        range->bytes);
    return toElement(isUniform ? stored.expand(shape) : stored, tensor,
                     element);
  }
  if (tensor.has_raw_data()) {
    int64_t bytes = tensor.raw_data().size();
    if (bytes != size * width)
      return disagrees(bytes);
    return toElement(Tensor::decode(storage, shape, tensor.raw_data().data()),
                     tensor, element);
  }
  if (auto t = fromFields(storage, shape, tensor))
    return toElement(*t, tensor, element);
  return emitError(loc) << "tensor '" << tensor.name()
                        << "' does not hold the elements of its shape";
}

std::optional<int64_t>
pcc::frontend::wholeNumber(const onnx::TensorProto &tensor) {
  int64_t number = 0;
  if (tensor.data_type() != onnx::TensorProto::INT64)
    return std::nullopt;
  if (tensor.int64_data_size() == 1)
    return tensor.int64_data(0);
  if (tensor.raw_data().size() != sizeof(number))
    return std::nullopt;
  std::memcpy(&number, tensor.raw_data().data(), sizeof(number));
  return number;
}

bool pcc::frontend::isOnes(MLIRContext *context,
                           const onnx::TensorProto &tensor,
                           const FileRange &range) {
  Type storage = storageType(context, tensor.data_type());
  if (tensor.dims_size() != 1 || !range.bytes)
    return false;
  Tensor scale = Tensor::decode(storage, {tensor.dims(0)}, range.bytes);
  return llvm::all_of(scale.elements(), [](Scalar s) { return s.f == 1; });
}

bool pcc::frontend::isMask(MLIRContext *context,
                           const onnx::TensorProto &tensor,
                           const FileRange &range) {
  Type storage = storageType(context, tensor.data_type());
  int64_t width = storage.getIntOrFloatBitWidth() / 8;
  // Larger tensors cannot be loaded as constants, so they are weights.
  if (tensor.dims_size() < 2 || !range.bytes || range.length / width > kLargest)
    return false;
  bool removes = false;
  auto onlyRemoves = [&](const char *bytes, int64_t length) {
    // Fast path: most of a mask is zero.
    if (!bytes[0] && !std::memcmp(bytes, bytes + 1, length - 1))
      return true;
    Tensor part = Tensor::decode(storage, {length / width}, bytes);
    for (Scalar s : part.elements()) {
      if (s.f != 0 && !(s.f <= kRemovesKey))
        return false;
      removes |= s.f != 0;
    }
    return true;
  };
  bool isMask =
      forEachPart(range, width, [&](const char *bytes, int64_t length) {
        constexpr int64_t kChunk = 8192;
        for (int64_t begin = 0; begin < length; begin += kChunk)
          if (!onlyRemoves(bytes + begin, std::min(kChunk, length - begin)))
            return false;
        return true;
      });
  return isMask && removes;
}
