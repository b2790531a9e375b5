//===- Arena.cpp - The memory of a virtual rank ---------------------------===//

#include "interpreter/rt/Arena.h"
#include "interpreter/Elements.h"
#include "runtime/support/DType.h"
#include <cstring>

using namespace pcc;
using namespace pcc::interp;

/// A signalling NaN in bf16 and, twice, in f32; a quiet one in f16.
static constexpr uint16_t kPoison = 0x7FA1;
/// The size of the smallest float; at most one float begins in as many bytes.
static constexpr int64_t kFloatBytes = 2;

Arena::Arena(int64_t size, bool exact)
    : bytes(size), isWritten(size),
      unrounded(exact ? size / kFloatBytes + 1 : 0) {
  poison({0, size});
}

void Arena::setWritten(ByteRange range) {
  isWritten.set(range.begin, range.end);
}

void Arena::poison(ByteRange range) {
  for (int64_t i = range.begin; i < range.end; ++i)
    bytes[i] = static_cast<char>(kPoison >> 8 * (i % kFloatBytes));
  isWritten.reset(range.begin, range.end);
}

void Arena::zero(ByteRange range) {
  std::fill(bytes.begin() + range.begin, bytes.begin() + range.end, 0);
  setWritten(range);
}

void Arena::copy(int64_t to, const Arena &from, ByteRange range) {
  int64_t size = range.end - range.begin;
  memcpy(bytes.data() + to, from.bytes.data() + range.begin, size);
  setWritten({to, to + size});
  if (!unrounded.empty())
    std::copy_n(from.unrounded.begin() + range.begin / kFloatBytes,
                (size + kFloatBytes - 1) / kFloatBytes,
                unrounded.begin() + to / kFloatBytes);
}

std::optional<int64_t> Arena::findUnwritten(ByteRange range) const {
  int first = isWritten.find_first_unset_in(range.begin, range.end);
  return first < 0 ? std::nullopt : std::optional<int64_t>(first);
}

void Arena::read(int64_t offset, int32_t dtype, int64_t count, Tensor &to,
                 int64_t first) const {
  readElements(bytes.data() + offset, dtype, to, first, count);
  if (unrounded.empty() || !to.isFloat())
    return;
  // If the bytes are not the rounded value, other data has overwritten them.
  int64_t size = sizeOf(dtype);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = offset + i * size;
    double kept = unrounded[at / kFloatBytes];
    char rounded[sizeof(double)];
    convert(rounded, dtype, 1, &kept, PCC_F64, 1, 1);
    if (!memcmp(rounded, bytes.data() + at, size))
      to.real[first + i] = kept;
  }
}

void Arena::write(int64_t offset, int32_t dtype, int64_t count,
                  const Tensor &from, int64_t first) {
  writeElements(from, first, count, dtype, bytes.data() + offset);
  int64_t size = sizeOf(dtype);
  setWritten({offset, offset + count * size});
  if (!unrounded.empty() && from.isFloat())
    for (int64_t i = 0; i < count; ++i)
      unrounded[(offset + i * size) / kFloatBytes] = from.real[first + i];
}
