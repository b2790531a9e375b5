//===- Weights.cpp - The weights of a model -------------------------------===//

#include "frontend/Weights.h"
#include "frontend/Names.h"
#include <cstring>

using namespace mlir;
using namespace pcc::frontend;

static int64_t widthOf(const Weight &weight) {
  return weight.storage.getIntOrFloatBitWidth() / 8;
}

FailureOr<Weight *> Weights::add(Location loc, StringRef name,
                                 const onnx::TensorProto &tensor,
                                 RankedTensorType type, Type storage,
                                 Extent extent) {
  int64_t needed = type.getNumElements() * storage.getIntOrFloatBitWidth() / 8;
  if (extent.bytes && extent.length != needed)
    return emitError(loc) << "weight '" << tensor.name() << "' has "
                          << extent.length << " bytes, its shape needs "
                          << needed;
  Weight &weight = weights.emplace_back();
  weight.name = unique(name);
  weight.tensor = &tensor;
  weight.type = type;
  weight.storage = storage;
  weight.extent = std::move(extent);
  return &weight;
}

/// Whether element (i, j) of a is element (j, i) of b.
static bool isTranspose(const Weight &a, const Weight &b) {
  int64_t rows = a.type.getShape()[0], columns = a.type.getShape()[1];
  int64_t width = widthOf(a);
  const char *from = a.extent.bytes, *to = b.extent.bytes;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      if (std::memcmp(from + (i * columns + j) * width,
                      to + (j * rows + i) * width, width))
        return false;
  return true;
}

/// Fresh weights of one value say nothing about ties.
static bool isUniform(const Weight &weight) {
  int64_t width = widthOf(weight);
  const char *bytes = weight.extent.bytes;
  return !std::memcmp(bytes, bytes + width, weight.extent.length - width);
}

bool pcc::frontend::isRepeated(const Weight &weight) {
  int64_t rank = weight.type.getRank();
  if (rank < 3 || weight.type.getDimSize(0) < 2 || !weight.extent.bytes ||
      isUniform(weight))
    return false;
  int64_t part = weight.extent.length / weight.type.getDimSize(0);
  const char *bytes = weight.extent.bytes;
  return !std::memcmp(bytes, bytes + part, weight.extent.length - part);
}

void Weights::tieCopies(Location loc) {
  for (auto copy = weights.begin(); copy != weights.end(); ++copy) {
    if (copy->type.getRank() != 2 || !copy->extent.bytes)
      continue;
    ArrayRef<int64_t> shape = copy->type.getShape();
    for (auto other = weights.begin(); other != copy; ++other) {
      if (other->original || !other->extent.bytes ||
          other->type.getRank() != 2 || other->storage != copy->storage)
        continue;
      // What lies in one place need not be read.
      bool onePlace = other->type == copy->type &&
                      other->extent.bytes == copy->extent.bytes;
      bool same =
          onePlace || (other->type == copy->type &&
                       !std::memcmp(other->extent.bytes, copy->extent.bytes,
                                    copy->extent.length));
      bool transposed =
          !same && other->type.getShape() == ArrayRef({shape[1], shape[0]}) &&
          isTranspose(*copy, *other);
      if (!same && !transposed)
        continue;
      if (!onePlace && isUniform(*copy))
        break;
      copy->original = &*other;
      copy->transposed = transposed;
      emitRemark(loc) << "'" << copy->name << "' is a "
                      << (transposed ? "transposed " : "") << "copy of '"
                      << other->name << "': taken as tied to it";
      break;
    }
  }
}

Weight *Weights::alias(Weight *weight, StringRef result) {
  // Matrices are tied on purpose, unless they are fresh tokens of zeros.
  bool mayBeTied = weight->type.getRank() != 1 &&
                   !(weight->extent.bytes && isUniform(*weight));
  if (!isParameterName(result) || mayBeTied)
    return weight;
  return copy(weight, result);
}

Weight *Weights::copy(Weight *weight, StringRef name) {
  Weight own = *weight;
  own.name = unique(name);
  own.read = Value();
  own.uses.clear();
  own.wasMerged = true;
  return &weights.emplace_back(own);
}

std::string Weights::unique(StringRef name) {
  std::string candidate = name.str();
  for (int i = 1; !names.insert(candidate).second; ++i)
    candidate = (name + "_" + Twine(i)).str();
  return candidate;
}

Weight *Weights::separate(Location loc, Weight *weight, StringRef name) {
  if (name.empty() || name == weight->name || !weight->extent.bytes ||
      !isUniform(*weight))
    return weight;
  for (Weight &other : weights)
    if (other.tensor == weight->tensor && other.name == name)
      return &other;
  emitRemark(loc) << "'" << name << "' was merged with '" << weight->name
                  << "', whose elements are equal: taken as a parameter of "
                     "its own";
  return copy(weight, name);
}
