//===- Weights.cpp - The weights of a model -------------------------------===//

#include "frontend/Weights.h"
#include "frontend/ExtentScan.h"
#include "frontend/Names.h"
#include "frontend/Tensor.h"
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

/// Whether all elements are equal.
static bool isUniform(const Weight &weight) {
  return isRepetition(weight.extent, widthOf(weight));
}

std::string pcc::frontend::foldedLookup(const Weight &weight) {
  if (weight.type.getRank() < 3 || !weight.extent.bytes || isUniform(weight))
    return "";
  int64_t times = weight.type.getDimSize(0);
  if (times > 1 && isRepetition(weight.extent, weight.extent.length / times))
    return "one table " + std::to_string(times) + " times";
  ArrayRef<int64_t> shape = weight.type.getShape();
  return hasEqualDiagonals(weight.extent, shape[shape.size() - 2], shape.back(),
                           widthOf(weight))
             ? "a table looked up by distance"
             : "";
}

/// Whether two matrices have the same elements, `transposed` in one of them.
static bool isCopy(const Weight &copy, const Weight &other, bool &transposed) {
  ArrayRef<int64_t> shape = copy.type.getShape();
  transposed = false;
  if (other.storage != copy.storage) {
    // Of other precision: an exporter folded a cast of it.
    auto hasValues = [&](bool transposed) {
      return haveSameValues(copy.extent, copy.storage, other.extent,
                            other.storage, shape[0], shape[1], transposed);
    };
    if (other.type == copy.type && hasValues(false))
      return true;
    transposed = other.type.getShape() == ArrayRef({shape[1], shape[0]}) &&
                 hasValues(true);
    return transposed;
  }
  if (other.type == copy.type && areEqual(copy.extent, other.extent))
    return true;
  transposed =
      other.type.getShape() == ArrayRef({shape[1], shape[0]}) &&
      isTranspose(copy.extent, other.extent, shape[0], shape[1], widthOf(copy));
  return transposed;
}

void Weights::tieCopies(Location loc) {
  for (auto copy = weights.begin(); copy != weights.end(); ++copy) {
    if (copy->type.getRank() != 2 || !copy->extent.bytes)
      continue;
    // Fresh weights of one value say nothing about ties.
    std::optional<bool> says;
    for (auto other = weights.begin(); other != copy; ++other) {
      if (other->original || !other->extent.bytes ||
          other->type.getRank() != 2 ||
          other->type.getNumElements() != copy->type.getNumElements())
        continue;
      // What lies in one place need not be read.
      bool transposed = false,
           onePlace = other->type == copy->type &&
                      other->extent.bytes == copy->extent.bytes;
      if (!onePlace && !says)
        says = !isUniform(*copy);
      if (!onePlace && !(*says && isCopy(*copy, *other, transposed)))
        continue;
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
