//===- Compare.cpp - Comparison of kernels on CPU and emulator ------------===//
//
// The CPU accumulates in f64, the device in f32 and in another order. A sum of
// n numbers, computed by chains of at most k additions, has an error of at most
// k u times the sum of their absolute values. Here u = 2^-24 is the unit
// roundoff of f32 (Higham, Accuracy and Stability of Numerical Algorithms,
// 4.2). For positive numbers, that sum of absolute values is the sum itself. So
// a kernel's results on positive numbers bound the errors of its results on
// numbers of both signs. A few more roundings are allowed for exp, log and the
// like, in which CPU and device differ by a few units in the last place, and
// for operations on sums.
//
//===----------------------------------------------------------------------===//

#include "tools/pcc-kernels/Compare.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>
#include <memory>
#include <random>

using namespace mlir;
using namespace pcc;

/// Roundings of a kernel besides those of its sums.
static constexpr double kRoundings = 24;
static constexpr double kUnit = 0x1p-24;
/// Bytes between buffers, which no kernel may touch.
static constexpr int64_t kGap = 256;
static constexpr unsigned char kGapByte = 0xa5;
/// The alignment of buffers, as in the arena of a program.
static constexpr int64_t kAlignment = 64;

namespace {
/// The buffers of a run, separated by gaps.
class Arena {
public:
  Arena(const Runnable::Kernel &kernel, bool isInPlace) {
    int64_t at = kGap;
    for (const auto &buffer : kernel.device.buffers) {
      if (isInPlace && buffer.inplace >= 0) {
        offsets.push_back(offsets[buffer.inplace]);
        continue;
      }
      offsets.push_back(at);
      at = llvm::alignTo(at + buffer.bytes, kAlignment) + kGap;
    }
    size = at;
    bytes.assign(size + kAlignment, kGapByte);
  }
  unsigned char *get(size_t i) { return base() + offsets[i]; }
  /// Copies the contents of another arena of the same kernel.
  void copy(Arena &other) { memcpy(base(), other.base(), size); }
  std::vector<void *> pointers() {
    std::vector<void *> all;
    for (size_t i = 0; i < offsets.size(); ++i)
      all.push_back(get(i));
    return all;
  }
  /// Whether a byte outside of the buffers was written.
  bool isBroken(const Runnable::Kernel &kernel) {
    auto isGap = [](const unsigned char *at, int64_t count) {
      return std::all_of(at, at + count,
                         [](unsigned char b) { return b == kGapByte; });
    };
    for (size_t i = 0; i < offsets.size(); ++i) {
      int64_t size = kernel.device.buffers[i].bytes;
      if (!isGap(get(i) - kGap, kGap) || !isGap(get(i) + size, kGap))
        return true;
    }
    return false;
  }

private:
  unsigned char *base() {
    return reinterpret_cast<unsigned char *>(
        llvm::alignTo(reinterpret_cast<uintptr_t>(bytes.data()), kAlignment));
  }
  std::vector<unsigned char> bytes;
  std::vector<int64_t> offsets;
  int64_t size = 0;
};

/// Reads and writes elements of a type as doubles.
class Elements {
public:
  explicit Elements(Type type)
      : type(type), floats(dyn_cast<FloatType>(type)), isF32(type.isF32()),
        size(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)) {}
  int64_t bytes() const { return size; }
  double get(const unsigned char *at) const {
    uint64_t bits = 0;
    memcpy(&bits, at, size);
    // The most frequent type; APFloat is a hundred times slower.
    if (isF32)
      return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!floats)
      return static_cast<double>(llvm::SignExtend64(bits, size * 8));
    llvm::APFloat value(floats.getFloatSemantics(),
                        llvm::APInt(size * 8, bits));
    bool loses;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &loses);
    return value.convertToDouble();
  }
  void set(unsigned char *at, double number) const {
    uint64_t bits;
    if (isF32) {
      bits = llvm::bit_cast<uint32_t>(static_cast<float>(number));
    } else if (!floats) {
      bits = static_cast<uint64_t>(static_cast<int64_t>(number));
    } else {
      llvm::APFloat value(number);
      bool loses;
      value.convert(floats.getFloatSemantics(),
                    llvm::APFloat::rmNearestTiesToEven, &loses);
      bits = value.bitcastToAPInt().getZExtValue();
    }
    memcpy(at, &bits, size);
  }
  /// The unit roundoff of results of this type.
  double unit() const {
    return type.isBF16() ? 0x1p-8 : type.isF16() ? 0x1p-11 : kUnit;
  }

private:
  Type type;
  FloatType floats;
  bool isF32;
  int64_t size;
};
} // namespace

/// Draws ids of tokens, positions and targets, some out of the range of every
/// table; a scalar is the number of a step.
static double drawInteger(std::mt19937_64 &random, Type type, bool isAlone) {
  if (type.isInteger(1))
    return random() % 2;
  return double(random() % 40) + (isAlone ? 1 : -2);
}

static void fill(const Runnable::Kernel &kernel, Arena &arena, uint64_t seed,
                 bool isSigned) {
  std::mt19937_64 random(seed);
  for (auto [i, buffer] : llvm::enumerate(kernel.device.buffers)) {
    unsigned char *at = arena.get(i);
    if (buffer.isWritten) {
      // Fills results with NaN, unless they share the memory of an operand.
      if (buffer.inplace < 0 || at != arena.get(buffer.inplace))
        memset(at, 0xff, buffer.bytes);
      continue;
    }
    Elements elements(buffer.element);
    bool isAlone = buffer.bytes == elements.bytes();
    // A scalar is a rate, or a term under a root. If it were negative, terms
    // could cancel, with a large relative error.
    std::uniform_real_distribution<double> floats(isSigned && !isAlone ? -1 : 0,
                                                  1);
    std::vector<double> drawn;
    for (int64_t k = 0; k < buffer.bytes; k += elements.bytes())
      drawn.push_back(isa<FloatType>(buffer.element)
                          ? floats(random)
                          : drawInteger(random, buffer.element, isAlone));
    RowIds ids = i < kernel.ids.size() ? kernel.ids[i] : RowIds();
    if (ids.areEnds)
      for (double &number : drawn)
        number = double(random() % (ids.rows + 1));
    if (ids.areSorted)
      llvm::sort(drawn);
    for (double &number : drawn)
      if (ids.areOfRows)
        number = std::clamp<double>(number, 0, ids.rows - 1);
    for (auto [k, number] : llvm::enumerate(drawn))
      elements.set(at + k * elements.bytes(), number);
  }
}

/// Runs the CPU's kernel, and rounds a widened result once.
static void runOnCpu(const Runnable::Kernel &kernel, Arena &arena) {
  std::vector<void *> places = arena.pointers();
  if (kernel.wide < 0)
    return kernel.cpu(places.data(), 0, kernel.units);
  const auto &buffer = kernel.device.buffers[kernel.wide];
  Elements elements(buffer.element);
  int64_t count = buffer.bytes / elements.bytes();
  std::vector<float> memory(count + kAlignment);
  void *numbers = memory.data();
  size_t room = memory.size() * sizeof(float);
  std::align(kAlignment, count * sizeof(float), numbers, room);
  places[kernel.wide] = numbers;
  kernel.cpu(places.data(), 0, kernel.units);
  for (int64_t i = 0; i < count; ++i)
    elements.set(arena.get(kernel.wide) + i * elements.bytes(),
                 static_cast<float *>(numbers)[i]);
}

/// Returns the allowed difference of floats for a largest absolute value.
static double boundOf(const Runnable::Kernel &kernel, double largest) {
  int64_t lanes = kernel.device.block;
  double path = kernel.chain ? double(kernel.chain)
                             : llvm::divideCeil(kernel.reduced, lanes) +
                                   std::log2(double(lanes));
  double allowed = kUnit * (kRoundings + path);
  // Each term of a sum has the relative error of its factor. For terms of both
  // signs, the absolute values are a few times the largest result.
  if (kernel.rounded)
    allowed += 4 * Elements(kernel.rounded).unit();
  return allowed * largest;
}

static std::string compareBuffer(const Runnable::Kernel &kernel, size_t index,
                                 const unsigned char *expected,
                                 const unsigned char *found, bool isSigned,
                                 Comparison &result) {
  const auto &buffer = kernel.device.buffers[index];
  Elements elements(buffer.element);
  int64_t size = elements.bytes(), count = buffer.bytes / size;
  double largest = 0;
  int64_t numbers = 0;
  for (int64_t i = 0; i < count; ++i) {
    double value = elements.get(expected + i * size);
    if (std::isfinite(value))
      largest = std::max(largest, std::fabs(value));
    numbers += !std::isnan(value);
  }
  result.largest.resize(kernel.device.buffers.size());
  result.largest[index] = std::max(result.largest[index], largest);
  double allowed = boundOf(kernel, result.largest[index]);
  auto where = [&](int64_t i) {
    return "buffer " + std::to_string(index) + ", element " +
           std::to_string(i) + ": ";
  };
  // Roots of negative numbers may be NaN.
  if (!numbers && !isSigned)
    return where(0) + "all are NaN, which compares nothing";
  int64_t rounded = 0;
  for (int64_t i = 0; i < count; ++i) {
    double a = elements.get(expected + i * size);
    double b = elements.get(found + i * size);
    if ((std::isnan(a) && std::isnan(b)) || a == b)
      continue;
    // A value between two 16-bit numbers may be rounded either way.
    double here = allowed;
    if (!isa<FloatType>(buffer.element))
      here = 0;
    else if (elements.unit() > kUnit)
      here += 2 * elements.unit() * std::max(std::fabs(a), 0x1p-14);
    double error = std::fabs(a - b);
    // The same holds for a rounding within the kernel, of a value that may be
    // as large as any. At most 1 + n / 100 of n elements may differ by that, as
    // few are so close to the middle.
    if (elements.unit() > kUnit && error > here &&
        error <= here + 2 * elements.unit() * result.largest[index] &&
        ++rounded <= 1 + count / 100)
      continue;
    if (!(error <= here))
      return where(i) + "the device has " + std::to_string(b) + ", the CPU " +
             std::to_string(a) + "; " + std::to_string(here / kUnit) +
             " units of 2^-24 are allowed, not " +
             std::to_string(error / kUnit);
    if (error * result.allowed >= result.error * here) {
      result.error = error;
      result.allowed = here;
    }
  }
  return "";
}

Comparison pcc::compareKernel(const Runnable::Kernel &kernel, uint64_t seed,
                              bool isSigned, bool isInPlace,
                              std::vector<double> largest) {
  Comparison result;
  result.largest = std::move(largest);
  Arena cpu(kernel, isInPlace), device(kernel, isInPlace),
      again(kernel, isInPlace);
  fill(kernel, cpu, seed, isSigned);
  device.copy(cpu);
  again.copy(cpu);
  if (kernel.cpu)
    runOnCpu(kernel, cpu);
  pcc_emu_reset();
  pcc_emu_seed(seed);
  pcc_emu_launch(kernel.emulated, device.pointers().data());
  result.counts = pcc_emu_count(kernel.emulated->name);
  pcc_emu_seed(seed + 1000);
  pcc_emu_launch(kernel.emulated, again.pointers().data());
  for (Arena *arena : {&cpu, &device, &again})
    if (arena->isBroken(kernel)) {
      result.problem = "writes outside of its buffers";
      return result;
    }
  for (auto [i, buffer] : llvm::enumerate(kernel.device.buffers)) {
    int64_t sectors = llvm::divideCeil(buffer.bytes, 32);
    (buffer.isWritten ? result.leastWritten : result.leastRead) += sectors;
    if (!buffer.isWritten)
      continue;
    if (memcmp(device.get(i), again.get(i), buffer.bytes)) {
      result.problem = "buffer " + std::to_string(i) +
                       ": the result depends on the order of blocks";
      return result;
    }
    if (!kernel.cpu)
      continue;
    result.problem =
        compareBuffer(kernel, i, cpu.get(i), device.get(i), isSigned, result);
    if (!result.problem.empty())
      return result;
  }
  return result;
}

Expectation pcc::expectationOf(const Runnable::Kernel &kernel, uint64_t seed,
                               bool isSigned, std::vector<double> largest) {
  Expectation expected;
  expected.largest = std::move(largest);
  expected.largest.resize(kernel.device.buffers.size());
  Arena arena(kernel, /*isInPlace=*/false);
  fill(kernel, arena, seed, isSigned);
  auto bytesOf = [&](size_t i) {
    return std::vector<unsigned char>(
        arena.get(i), arena.get(i) + kernel.device.buffers[i].bytes);
  };
  for (auto [i, buffer] : llvm::enumerate(kernel.device.buffers)) {
    std::vector<unsigned char> &before = expected.before.emplace_back();
    if (!buffer.isWritten)
      before = bytesOf(i);
  }
  runOnCpu(kernel, arena);
  for (auto [i, buffer] : llvm::enumerate(kernel.device.buffers)) {
    std::vector<unsigned char> &after = expected.after.emplace_back();
    if (buffer.isWritten)
      after = bytesOf(i);
    Elements elements(buffer.element);
    for (size_t at = 0; at < after.size(); at += elements.bytes())
      if (double value = elements.get(&after[at]); std::isfinite(value))
        expected.largest[i] = std::max(expected.largest[i], std::fabs(value));
    expected.allowed.push_back(boundOf(kernel, expected.largest[i]));
  }
  return expected;
}
