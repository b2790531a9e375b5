//===- ValuePatterns.cpp - Tables that are computed, not learned ----------===//

#include "frontend/weights/ValuePatterns.h"
#include "analysis/Tensor.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;

namespace {

/// The elements of a matrix in the file; a vector is one row.
class Matrix {
public:
  Matrix(const FileRange &range, ArrayRef<int64_t> shape, Type storage)
      : bytes(range.bytes), storage(storage),
        width(storage.getIntOrFloatBitWidth() / 8) {
    for (int64_t size : shape)
      if (size != 1)
        dims.push_back(size);
  }

  /// The rank without dims of extent 1.
  int64_t rank() const { return dims.size(); }
  int64_t rows() const { return rank() < 2 ? 1 : dims[0]; }
  int64_t columns() const { return rank() ? dims.back() : 1; }
  double at(int64_t row, int64_t column) const {
    const char *place = bytes + (row * columns() + column) * width;
    if (storage.isF32()) {
      float value;
      std::memcpy(&value, place, sizeof(value));
      return value;
    }
    return Tensor::decode(storage, {}, place).at(int64_t(0)).f;
  }
  /// The spacing of the element type's numbers at 1 (machine epsilon).
  double unit() const {
    return std::ldexp(1.0,
                      1 - int(cast<FloatType>(storage).getFPMantissaWidth()));
  }

private:
  const char *bytes;
  Type storage;
  int64_t width;
  SmallVector<int64_t> dims;
};

/// The layout of sines and cosines in a row.
struct Layout {
  /// Whether sine and cosine alternate; else all of one precede the other.
  bool interleaved;
  bool cosineFirst;
  /// Frequency i is base^(-i / (pairs - less)).
  int64_t less;
  /// The position of row 0.
  int64_t first;
};

} // namespace

static bool isClose(double value, double expected, double bound) {
  return std::fabs(value - expected) <= bound;
}

/// Whether `columns` elements of row `row`, from `start` on, are the sines and
/// cosines of position `index` in this layout.
static bool isSinusoidalRow(const Matrix &table, int64_t row, int64_t start,
                            int64_t columns, int64_t index,
                            const Layout &layout) {
  int64_t pairs = columns / 2, odd = columns % 2;
  double position = double(index + layout.first);
  // With an odd width, the last element of an interleaved row has no partner;
  // in other rows it is padding, which is not compared.
  for (int64_t i = 0; i < pairs + (layout.interleaved ? odd : 0); ++i) {
    double exponent = double(i) / std::max<int64_t>(1, pairs - layout.less);
    double angle = position * std::pow(10000.0, -exponent);
    double bound = 2 * table.unit() + 4e-6 + angle * 1e-6;
    double first = layout.cosineFirst ? std::cos(angle) : std::sin(angle);
    double second = layout.cosineFirst ? std::sin(angle) : std::cos(angle);
    int64_t at = layout.interleaved ? 2 * i : i;
    int64_t next = layout.interleaved ? 2 * i + 1 : pairs + i;
    if (!isClose(table.at(row, start + at), first, bound) ||
        (next < columns &&
         !isClose(table.at(row, start + next), second, bound)))
      return false;
  }
  return true;
}

/// Whether this is a table of sines and cosines of positions. One row, of a
/// padding token, may be zeros.
static bool isSinusoidal(const Matrix &table) {
  if (table.rank() != 2 || table.rows() < 3 || table.columns() < 4)
    return false;
  auto isZero = [&](int64_t row) {
    for (int64_t i = 0; i < table.columns(); ++i)
      if (table.at(row, i) != 0)
        return false;
    return true;
  };
  for (bool interleaved : {false, true})
    for (bool cosineFirst : {false, true})
      for (int64_t less : {0, 1})
        for (int64_t first : {0, 1, 2}) {
          Layout layout = {interleaved, cosineFirst, less, first};
          int64_t zeros = 0;
          auto fits = [&](int64_t row) {
            return isSinusoidalRow(table, row, 0, table.columns(), row,
                                   layout) ||
                   (isZero(row) && ++zeros == 1);
          };
          if (llvm::all_of(llvm::seq<int64_t>(0, table.rows()), fits))
            return true;
        }
  return false;
}

/// Whether this is a table of sines and cosines of 2-D positions in an image:
/// one half of the columns encodes the row, the other the column. Up to two
/// leading rows, of class tokens, may be zeros.
static bool isPlanar(const Matrix &table) {
  if (table.rank() != 2 || table.rows() < 4 || table.columns() < 8 ||
      table.columns() % 4 != 0)
    return false;
  int64_t half = table.columns() / 2, before = 0;
  auto isZero = [&](int64_t row) {
    for (int64_t i = 0; i < table.columns(); ++i)
      if (table.at(row, i) != 0)
        return false;
    return true;
  };
  while (before < 2 && isZero(before))
    ++before;
  int64_t places = table.rows() - before;
  for (int64_t width = 2; width <= places / 2; ++width) {
    if (places % width != 0)
      continue;
    for (bool columnFirst : {false, true})
      for (int64_t less : {0, 1})
        for (bool interleaved : {false, true})
          for (bool cosineFirst : {false, true}) {
            Layout layout = {interleaved, cosineFirst, less, /*first=*/0};
            auto fits = [&](int64_t place) {
              int64_t y = place / width, x = place % width;
              return isSinusoidalRow(table, before + place, 0, half,
                                     columnFirst ? x : y, layout) &&
                     isSinusoidalRow(table, before + place, half, half,
                                     columnFirst ? y : x, layout);
            };
            if (llvm::all_of(llvm::seq<int64_t>(0, places), fits))
              return true;
          }
  }
  return false;
}

/// Whether this is ones on one side of the diagonal and zeros on the other.
static bool isTriangle(const Matrix &table) {
  if (table.rank() != 2 || table.rows() != table.columns())
    return false;
  // The corners decide which triangle it is, and whether it has the diagonal.
  int64_t size = table.rows();
  bool lower = table.at(size - 1, 0) == 1, diagonal = table.at(0, 0) == 1;
  if (lower == (table.at(0, size - 1) == 1))
    return false;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < size; ++j) {
      bool isOne = i == j ? diagonal : lower == (j < i);
      if (table.at(i, j) != (isOne ? 1 : 0))
        return false;
    }
  return true;
}

/// Whether this is the ALiBi slopes of n heads, 2^(-8 i / n) for i = 1 to n, or
/// all of them negated. If n is no power of two, the first p heads have the
/// slopes of the largest power of two p below n, the rest have every other
/// slope of 2 p heads. False for more than 4096 heads.
static bool isSlopes(const Matrix &table) {
  int64_t heads = table.columns();
  if (table.rank() != 1 || heads > 4096)
    return false;
  int64_t power = int64_t(1) << int(std::log2(double(heads)));
  double sign = table.at(0, 0) < 0 ? -1 : 1;
  for (int64_t i = 0; i < heads; ++i) {
    double exponent = i < power
                          ? -8.0 * double(i + 1) / double(power)
                          : -4.0 * double(2 * (i - power) + 1) / double(power);
    double slope = sign * std::exp2(exponent);
    if (!isClose(table.at(0, i), slope,
                 std::fabs(slope) * (1e-6 + 2 * table.unit())))
      return false;
  }
  return true;
}

/// Whether this is base^(-i / n) for a round base; the list may occur twice.
static bool isFrequencies(const Matrix &table) {
  int64_t size = table.columns();
  if (table.rank() != 1 || size < 2 || table.at(0, 0) != 1)
    return false;
  double bound = 3e-6 + 2 * table.unit();
  auto fits = [&](int64_t count) {
    if (count < 2 || !(table.at(0, 1) > 0 && table.at(0, 1) < 1))
      return false;
    double base = std::pow(table.at(0, 1), -double(count));
    // Rounds the base to three digits.
    double digit = std::pow(10.0, std::floor(std::log10(base)) - 2);
    double rounded = std::round(base / digit) * digit;
    if (base < 100 || !isClose(base, rounded, base * bound * double(count)))
      return false;
    for (int64_t i = 0; i < size; ++i) {
      double expected = std::pow(rounded, -double(i % count) / double(count));
      if (!isClose(table.at(0, i), expected, expected * bound))
        return false;
    }
    return true;
  };
  return fits(size) || (size % 2 == 0 && fits(size / 2));
}

/// Whether this is the distance of column j from row i, signed or not.
static bool isDistances(const Matrix &table) {
  if (table.rank() != 2 || table.rows() < 3 || table.columns() < 3)
    return false;
  double up = table.at(0, 1), down = table.at(1, 0);
  if (std::fabs(up) != 1 || std::fabs(down) != 1)
    return false;
  for (int64_t i = 0; i < table.rows(); ++i)
    for (int64_t j = 0; j < table.columns(); ++j)
      if (table.at(i, j) !=
          (j >= i ? up * double(j - i) : down * double(i - j)))
        return false;
  return true;
}

/// Whether this is 0, 1, 2, ... or 1, 2, 3, ...
static bool isPositions(const Matrix &table) {
  if (table.rank() != 1 || table.columns() < 4)
    return false;
  double first = table.at(0, 0);
  if (first != 0 && first != 1)
    return false;
  for (int64_t i = 0; i < table.columns(); ++i)
    if (table.at(0, i) != first + double(i))
      return false;
  return true;
}

std::string pcc::frontend::findValuePattern(const FileRange &range,
                                            ArrayRef<int64_t> shape,
                                            Type storage) {
  if (!range.bytes || !isa<FloatType>(storage))
    return "";
  Matrix table(range, shape, storage);
  if (table.rank() < 1 || table.rank() > 2)
    return "";
  if (isSinusoidal(table))
    return "sines and cosines of positions";
  if (isPlanar(table))
    return "sines and cosines of places in a picture";
  if (isTriangle(table))
    return "a triangle of ones";
  if (isSlopes(table))
    return "the slopes of ALiBi";
  if (isFrequencies(table))
    return "rotary frequencies";
  if (isDistances(table))
    return "distances between positions";
  if (isPositions(table))
    return "positions in order";
  return "";
}
