//===- Elements.cpp - Arrays of numbers in data files ---------------------===//

#include "runtime/data/Elements.h"

#include "runtime/Backend.h"

#include <algorithm>
#include <atomic>
#include <cstring>

using namespace pcc;

template <typename T>
static T load(const char *data, int64_t i) {
  T value;
  memcpy(&value, data + i * sizeof(T), sizeof(T));
  return value;
}

/// Calls use(T()) with the integer type of the elements.
template <typename Use>
static auto withInteger(Element type, Use use) {
  switch (type) {
  case Element::I8:
    return use(int8_t());
  case Element::U16:
    return use(uint16_t());
  case Element::I16:
    return use(int16_t());
  case Element::U32:
    return use(uint32_t());
  case Element::I32:
    return use(int32_t());
  case Element::U64:
  case Element::I64:
    return use(int64_t());
  default:
    return use(uint8_t());
  }
}

int64_t Elements::integer(int64_t i) const {
  return withInteger(type, [&](auto zero) -> int64_t {
    return load<decltype(zero)>(data, i);
  });
}

double Elements::real(int64_t i) const {
  double value = 0;
  switch (type) {
  case Element::F16:
    convert(&value, PCC_F64, 1, data + i * 2, PCC_F16, 1, 1);
    return value;
  case Element::F32:
    return load<float>(data, i);
  case Element::F64:
    return load<double>(data, i);
  case Element::U64:
    return static_cast<double>(load<uint64_t>(data, i));
  default:
    return static_cast<double>(integer(i));
  }
}

/// Returns the first element of [begin, end) outside [0, bound) that is not
/// `ignored`, or -1.
template <typename T>
static int64_t scan(const char *data, int64_t begin, int64_t end, int64_t bound,
                    int64_t ignored) {
  const int64_t block = 4096;
  auto outside = [&](int64_t value) {
    return (value < 0 || value >= bound) && value != ignored;
  };
  for (int64_t at = begin; at < end; at += block) {
    // Minimum and maximum of a block come first: that loop is vectorized.
    int64_t stop = std::min(end, at + block);
    T least = load<T>(data, at), most = least;
    for (int64_t i = at; i < stop; ++i) {
      T value = load<T>(data, i);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    if (!outside(static_cast<int64_t>(most)) &&
        static_cast<int64_t>(least) >= 0)
      continue;
    for (int64_t i = at; i < stop; ++i)
      if (outside(static_cast<int64_t>(load<T>(data, i))))
        return i;
  }
  return -1;
}

int64_t Elements::firstOutside(int64_t begin, int64_t end, int64_t bound,
                               int64_t ignored) const {
  std::atomic<int64_t> first{INT64_MAX};
  backend::parallelFor(end - begin, [&](int64_t from, int64_t to) {
    int64_t found = withInteger(type, [&](auto zero) {
      return scan<decltype(zero)>(data, begin + from, begin + to, bound,
                                  ignored);
    });
    int64_t known = first;
    while (found >= 0 && found < known &&
           !first.compare_exchange_weak(known, found)) {
    }
  });
  return first == INT64_MAX ? -1 : first.load();
}

int64_t pcc::firstTooWide(const Elements &from, int64_t first, int64_t count,
                          int32_t toType) {
  int64_t bits = 8 * sizeOf(toType);
  if (isFloat(toType) || infoOf(from.type).isFloat || toType == PCC_BOOL ||
      8 * infoOf(from.type).bytes <= bits)
    return -1;
  int64_t least = -(int64_t{1} << (bits - 1)), end = int64_t{1} << bits;
  for (int64_t i = first; i < first + count; ++i)
    if (int64_t value = from.integer(i); value < least || value >= end)
      return i;
  return -1;
}

bool pcc::copyElements(const Elements &from, int64_t first, int64_t count,
                       int64_t stride, int32_t toType, char *to) {
  int64_t size = sizeOf(toType);
  bool toFloat = isFloat(toType);
  if (!toFloat && infoOf(from.type).isFloat)
    return false;
  for (int64_t i = 0; i < count; ++i, to += size) {
    int64_t at = first + i * stride;
    if (toFloat) {
      double value = from.real(at);
      convert(to, toType, 1, &value, PCC_F64, 1, 1);
      continue;
    }
    int64_t value = from.integer(at);
    if (toType == PCC_BOOL)
      value = value != 0;
    // Little endian: the low bytes come first.
    memcpy(to, &value, size);
  }
  return true;
}
