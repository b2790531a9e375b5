//===- ExtentScan.cpp - Questions to the bytes of weights -----------------===//

#include "frontend/ExtentScan.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace pcc::frontend;

/// Bytes that are read before their pages are given back.
static constexpr int64_t kPart = 16 << 20;

/// Lets the pages of `length` bytes go; they can be read from the file again.
static void giveBack(const Extent &extent, const char *bytes, int64_t length) {
  if (!extent.isMapped)
    return;
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto begin = reinterpret_cast<uintptr_t>(bytes) / page * page;
  auto end = reinterpret_cast<uintptr_t>(bytes) + length;
  madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
}

bool pcc::frontend::forEachPart(
    const Extent &extent, int64_t width,
    llvm::function_ref<bool(const char *, int64_t)> visit) {
  int64_t step = kPart / width * width;
  for (int64_t begin = 0; begin < extent.length; begin += step) {
    const char *bytes = extent.bytes + begin;
    int64_t length = std::min(step, extent.length - begin);
    bool goesOn = visit(bytes, length);
    giveBack(extent, bytes, length);
    if (!goesOn)
      return false;
  }
  return true;
}

bool pcc::frontend::areEqual(const Extent &a, const Extent &b) {
  return forEachPart(a, 1, [&](const char *bytes, int64_t length) {
    const char *others = b.bytes + (bytes - a.bytes);
    bool same = !std::memcmp(bytes, others, length);
    giveBack(b, others, length);
    return same;
  });
}

bool pcc::frontend::isRepetition(const Extent &extent, int64_t part) {
  Extent rest = extent;
  rest.bytes += part;
  rest.length -= part;
  return areEqual(rest, extent);
}

/// Whether elements (i, j) of `a` from (i0, j0) on, at most `size` of each, are
/// elements (j, i) of `b`.
template <typename Bits>
static bool isTransposedTile(const char *a, const char *b, int64_t rows,
                             int64_t columns, int64_t i0, int64_t j0,
                             int64_t size) {
  // In blocks that stay in the cache.
  constexpr int64_t kBlock = 32;
  if (size > kBlock) {
    for (int64_t i = i0; i < std::min(rows, i0 + size); i += kBlock)
      for (int64_t j = j0; j < std::min(columns, j0 + size); j += kBlock)
        if (!isTransposedTile<Bits>(a, b, rows, columns, i, j, kBlock))
          return false;
    return true;
  }
  auto at = [](const char *bytes, int64_t index) {
    Bits bits;
    std::memcpy(&bits, bytes + index * sizeof(Bits), sizeof(Bits));
    return bits;
  };
  for (int64_t i = i0; i < std::min(rows, i0 + size); ++i)
    for (int64_t j = j0; j < std::min(columns, j0 + size); ++j)
      if (at(a, i * columns + j) != at(b, j * rows + i))
        return false;
  return true;
}

bool pcc::frontend::isTranspose(const Extent &a, const Extent &b, int64_t rows,
                                int64_t columns, int64_t width) {
  // Tiles of so many rows and columns have whole pages of both, mostly.
  constexpr int64_t kTile = 1024;
  auto *tile = width == 2   ? isTransposedTile<uint16_t>
               : width == 4 ? isTransposedTile<uint32_t>
                            : isTransposedTile<uint64_t>;
  for (int64_t i = 0; i < rows; i += kTile)
    for (int64_t j = 0; j < columns; j += kTile) {
      bool goesOn = tile(a.bytes, b.bytes, rows, columns, i, j, kTile);
      giveBack(a, a.bytes, a.length);
      giveBack(b, b.bytes, b.length);
      if (!goesOn)
        return false;
    }
  return true;
}
