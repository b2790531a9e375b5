//===- FileRangeScan.cpp - Comparisons of weights in files ----------------===//

#include "frontend/onnx/FileRangeScan.h"
#include <cstring>

using namespace mlir;
using namespace pcc::frontend;

/// Bytes that are read before their pages are released.
static constexpr int64_t kPart = 16 << 20;

/// Releases the pages of `length` bytes if a file backs them.
static void release(const FileRange &range, const char *bytes, int64_t length) {
  if (range.isMapped)
    pcc::frontend::releasePages(bytes, bytes + length);
}

bool pcc::frontend::forEachPart(
    const FileRange &range, int64_t width,
    llvm::function_ref<bool(const char *, int64_t)> visit) {
  int64_t step = kPart / width * width;
  for (int64_t begin = 0; begin < range.length; begin += step) {
    const char *bytes = range.bytes + begin;
    int64_t length = std::min(step, range.length - begin);
    bool goesOn = visit(bytes, length);
    release(range, bytes, length);
    if (!goesOn)
      return false;
  }
  return true;
}

bool pcc::frontend::areEqual(const FileRange &a, const FileRange &b) {
  return forEachPart(a, 1, [&](const char *bytes, int64_t length) {
    const char *others = b.bytes + (bytes - a.bytes);
    bool same = !std::memcmp(bytes, others, length);
    release(b, others, length);
    return same;
  });
}

bool pcc::frontend::isRepetition(const FileRange &range, int64_t part) {
  FileRange rest = range;
  rest.bytes += part;
  rest.length -= part;
  return areEqual(rest, range);
}

bool pcc::frontend::hasEqualDiagonals(const FileRange &range, int64_t rows,
                                      int64_t columns, int64_t width) {
  if (rows < 3 || columns < 3)
    return false;
  int64_t row = columns * width, compared = row - width, unread = 0;
  for (int64_t at = 0; at < range.length; at += row) {
    // The last row of a matrix has no row below it.
    if (at / row % rows == rows - 1)
      continue;
    const char *above = range.bytes + at;
    bool same = !std::memcmp(above, above + row + width, compared);
    unread += row;
    if (!same || unread >= kPart) {
      release(range, range.bytes, at + row);
      unread = 0;
    }
    if (!same)
      return false;
  }
  return true;
}

/// Whether same(i, j) holds for all elements of a matrix. Visits it in tiles
/// large enough to cover mostly whole pages of both matrices, also if one is
/// read transposed. Their pages are then released. Within a tile it visits
/// blocks that fit the cache.
template <typename Same>
static bool holdsForAll(const FileRange &a, const FileRange &b, int64_t rows,
                        int64_t columns, Same same) {
  constexpr int64_t kTile = 1024, kBlock = 32;
  auto block = [&](int64_t i0, int64_t j0) {
    for (int64_t i = i0; i < std::min(rows, i0 + kBlock); ++i)
      for (int64_t j = j0; j < std::min(columns, j0 + kBlock); ++j)
        if (!same(i, j))
          return false;
    return true;
  };
  auto tile = [&](int64_t i0, int64_t j0) {
    for (int64_t i = i0; i < std::min(rows, i0 + kTile); i += kBlock)
      for (int64_t j = j0; j < std::min(columns, j0 + kTile); j += kBlock)
        if (!block(i, j))
          return false;
    return true;
  };
  for (int64_t i = 0; i < rows; i += kTile)
    for (int64_t j = 0; j < columns; j += kTile) {
      bool goesOn = tile(i, j);
      release(a, a.bytes, a.length);
      release(b, b.bytes, b.length);
      if (!goesOn)
        return false;
    }
  return true;
}

template <typename T>
static T load(const FileRange &range, int64_t index) {
  T value;
  std::memcpy(&value, range.bytes + index * sizeof(T), sizeof(T));
  return value;
}

template <typename Bits>
static bool isTransposeOf(const FileRange &a, const FileRange &b, int64_t rows,
                          int64_t columns) {
  return holdsForAll(a, b, rows, columns, [&](int64_t i, int64_t j) {
    return load<Bits>(a, i * columns + j) == load<Bits>(b, j * rows + i);
  });
}

bool pcc::frontend::isTranspose(const FileRange &a, const FileRange &b,
                                int64_t rows, int64_t columns, int64_t width) {
  return width == 2   ? isTransposeOf<uint16_t>(a, b, rows, columns)
         : width == 4 ? isTransposeOf<uint32_t>(a, b, rows, columns)
                      : isTransposeOf<uint64_t>(a, b, rows, columns);
}

using Load = double (*)(const FileRange &, int64_t);

/// Returns the function that reads elements of a float type; null for other
/// types.
static Load loadOf(Type type) {
  if (type.isF16())
    return [](const FileRange &e, int64_t i) -> double {
      return load<_Float16>(e, i);
    };
  if (type.isBF16())
    return [](const FileRange &e, int64_t i) -> double {
      uint32_t bits = uint32_t(load<uint16_t>(e, i)) << 16;
      float value;
      std::memcpy(&value, &bits, sizeof(value));
      return value;
    };
  if (type.isF32())
    return [](const FileRange &e, int64_t i) -> double {
      return load<float>(e, i);
    };
  if (type.isF64())
    return load<double>;
  return nullptr;
}

bool pcc::frontend::haveSameValues(const FileRange &a, Type aType,
                                   const FileRange &b, Type bType, int64_t rows,
                                   int64_t columns, bool transposed) {
  Load ofA = loadOf(aType), ofB = loadOf(bType);
  if (!ofA || !ofB)
    return false;
  return holdsForAll(a, b, rows, columns, [&](int64_t i, int64_t j) {
    return ofA(a, i * columns + j) ==
           ofB(b, transposed ? j * rows + i : i * columns + j);
  });
}
