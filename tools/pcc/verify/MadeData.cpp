//===- MadeData.cpp - Data for pcc verify ---------------------------------===//

#include "tools/pcc/verify/MadeData.h"
#include "runtime/support/FileNames.h"
#include "tools/pcc/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace mlir;
using namespace pcc;

namespace {
/// SplitMix64, whose values are the same on all machines.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  int64_t below(int64_t bound) { return int64_t(next() % uint64_t(bound)); }
  /// A sum of twelve uniform numbers, nearly normal.
  float normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += double(next() >> 11) / double(1ull << 53);
    return float(sum);
  }

private:
  uint64_t state;
};
} // namespace

/// Of the targets, one in so many is ignored.
static constexpr int64_t kIgnoredTargets = 16;
static constexpr int64_t kIgnored = -100;
/// Of the tokens, one in so many ends a document, if any does.
static constexpr int64_t kTokensOfDocument = 8;
/// Classes of ids without a bound.
static constexpr int64_t kFew = 2;

static bool isTargets(const DataInput &input) {
  return input.role == "targets" || input.role == "labels" || input.isOfLoss ||
         input.name == "targets";
}

/// Whether an input is a padding mask, as the runtime decides it.
static bool isPaddingMask(const DataInput &input) {
  return StringRef(input.name).ends_with("attention_mask") &&
         input.role == "data" && !input.isReal && input.shape.size() == 1;
}

/// The header of a .npy file.
static std::string headerOf(StringRef type, ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{'descr': '" << type << "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : shape)
    os << extent << ", ";
  os << "), }";
  size_t length = llvm::alignTo(10 + text.size() + 1, 64) - 10;
  text.resize(length - 1, ' ');
  std::string header = "\x93NUMPY\x01";
  header.push_back('\0');
  header.push_back(char(length & 255));
  header.push_back(char(length >> 8));
  return header + text + "\n";
}

template <typename T>
static void append(std::string &bytes, T value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

/// The values of one sample, or of the array that all samples share.
static void appendValues(const DataInput &input, int64_t count, Random &random,
                         std::string &bytes) {
  // At least half of a sample is not padding.
  int64_t valid = isPaddingMask(input)
                      ? count - random.below(std::max<int64_t>(count / 2, 1))
                      : 0;
  for (int64_t i = 0; i < count; ++i) {
    if (input.isReal)
      append<float>(bytes, random.normal());
    else if (isPaddingMask(input))
      append<int64_t>(bytes, i < valid);
    else if (isTargets(input) && input.isPerSample && count > 1 && i > 0 &&
             random.below(kIgnoredTargets) == 0)
      append<int64_t>(bytes, kIgnored);
    else if (!input.ends.empty() && random.below(kTokensOfDocument) == 0)
      append<int64_t>(bytes, input.ends[random.below(input.ends.size())]);
    else
      append<int64_t>(bytes, random.below(input.below ? input.below : kFew));
  }
}

std::string pcc::usualArray(const DataInput &input) {
  return arrayFile(isTargets(input) && !input.isOfLoss ? "labels" : input.name);
}

LogicalResult pcc::makeData(ArrayRef<DataInput> inputs, int64_t samples,
                            StringRef folder) {
  for (const DataInput &input : inputs) {
    std::string name = usualArray(input);
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    std::vector<int64_t> shape = input.shape;
    int64_t count = 1, rows = input.isPerSample ? samples : 1;
    for (int64_t extent : shape)
      count *= extent;
    if (input.isPerSample)
      shape.insert(shape.begin(), samples);
    std::string bytes = headerOf(input.isReal ? "<f4" : "<i8", shape);
    // Inputs of one name have the same values in every order of inputs.
    Random random(kDataSeed + llvm::xxh3_64bits(name));
    for (int64_t row = 0; row < rows; ++row)
      appendValues(input, count, random, bytes);
    if (failed(writeText(path, [&](llvm::raw_ostream &os) { os << bytes; })))
      return failure();
  }
  return success();
}
