//===- Expressions.cpp - Constants that stay expressions ------------------===//

#include "analysis/Expressions.h"
#include "analysis/Runs.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::nn;

/// The largest number of elements of an expression that is computed as a whole.
static constexpr int64_t kLargestWhole = 1 << 26;
/// The largest number of elements up to which elementwise ops of float
/// constants are always folded, such as tables of angles by position.
static constexpr int64_t kLargestFloats = 1 << 24;
/// The largest number of changes between neighbouring distances for which
/// buildSteps() builds selections. A bias by T5's 32 buckets of relative
/// positions has fewer.
static constexpr size_t kMostSteps = 128;

bool pcc::analysis::staysExpression(StringRef op,
                                    ArrayRef<std::optional<Tensor>> operands,
                                    bool isFloat) {
  static const llvm::StringSet<> elementwise = {
      "Add",  "And",         "Div", "Equal", "Greater", "GreaterOrEqual",
      "Less", "LessOrEqual", "Max", "Min",   "Mul",     "Or",
      "Sub",  "Where",       "Xor"};
  static const llvm::StringSet<> onExpressions = {
      "Abs",   "Cast",    "CastLike", "Expand",    "Identity",  "Neg",  "Not",
      "Slice", "Squeeze", "Reshape",  "Transpose", "Unsqueeze", "Trilu"};
  bool hasExpression = llvm::is_contained(operands, std::nullopt);
  if (!elementwise.contains(op) &&
      !(hasExpression && onExpressions.contains(op)))
    return false;
  SmallVector<Shape> stored;
  int64_t largest = 0;
  for (const std::optional<Tensor> &tensor : operands)
    if (tensor) {
      stored.emplace_back(tensor->compact().core().shape());
      largest = std::max(largest, product(stored.back()));
    }
  if (hasExpression)
    return largest <= kLargestFolded;
  std::optional<Shape> joint = broadcastShapes(stored);
  return joint && product(*joint) > largest &&
         product(*joint) > (isFloat ? kLargestFloats : kLargestFolded);
}

/// Calls fn with the index and value of each element of a line; returns false
/// if one is unknown.
static bool forEachNumber(ArrayRef<Run> line, bool isFloat,
                          llvm::function_ref<void(int64_t, Scalar)> fn) {
  int64_t i = 0;
  for (const Run &run : line) {
    if (!run.isKnown)
      return false;
    for (int64_t begin = i; i < run.end; ++i)
      fn(i, isFloat ? ofFloat(run.first.f + run.slope * (i - begin))
                    : ofInt(run.first.i + run.slope * (i - begin)));
  }
  return true;
}

/// Whether `line` is `before` shifted by one to the right, except for its first
/// element.
static bool isMovedBy1(ArrayRef<Run> before, ArrayRef<Run> line, bool isFloat) {
  int64_t begin = 0, from = 0;
  for (size_t a = 0, b = 0; a < before.size() && b < line.size();) {
    const Run &old = before[a], &now = line[b];
    // In indices of `line`.
    int64_t first = std::max(begin + 1, from),
            end = std::min(old.end + 1, now.end);
    if (!old.isKnown || !now.isKnown)
      return false;
    if (first < end) {
      int64_t i = first - 1 - begin, j = first - from;
      bool isSame =
          isFloat ? old.first.f + old.slope * i == now.first.f + now.slope * j
                  : old.first.i + old.slope * i == now.first.i + now.slope * j;
      if (!isSame || (end - first > 1 && old.slope != now.slope))
        return false;
    }
    if (end == now.end)
      from = line[b++].end;
    if (end == old.end + 1)
      begin = before[a++].end;
  }
  return true;
}

/// The elements of an expression by distance, if along one dim each line is the
/// previous line shifted by one; nullopt otherwise. `shape` has extent 1 in
/// dims along which nothing varies.
static std::optional<Tensor> computeByDistance(Lines &lines, Type element,
                                               ArrayRef<int64_t> shape) {
  int64_t rank = shape.size(), row = -1;
  for (int64_t d = 0; d + 1 < rank; ++d)
    if (shape[d] > 1) {
      if (row >= 0)
        return std::nullopt;
      row = d;
    }
  if (row < 0 || shape.back() < 2)
    return std::nullopt;
  int64_t rows = shape[row], columns = shape.back();
  std::vector<Scalar> diagonals(rows + columns - 1);
  Shape index(rank, 0);
  Line before(lines.line(index));
  auto put = [&](int64_t j, Scalar s) { diagonals[rows - 1 + j] = s; };
  if (!forEachNumber(before, lines.isFloat(), put))
    return std::nullopt;
  while (++index[row] < rows) {
    ArrayRef<Run> line = lines.line(index);
    if (!isMovedBy1(before, line, lines.isFloat()))
      return std::nullopt;
    diagonals[rows - 1 - index[row]] = line.front().first;
    before.assign(line.begin(), line.end());
  }
  return Tensor::byDistance(element, rows, columns, std::move(diagonals))
      .reshape(shape)
      .expand(lines.shape());
}

std::optional<Tensor> pcc::analysis::computeWhole(Value expression) {
  Lines lines(expression);
  Shape shape(lines.shape());
  for (size_t d = 0; d + 1 < shape.size(); ++d)
    if (!lines.varies(d))
      shape[d] = 1;
  std::optional<int64_t> count = countElements(shape);
  if (!lines.isKnown() || !count)
    return std::nullopt;
  if (*count > kLargestFolded)
    if (std::optional<Tensor> result = computeByDistance(
            lines, tensorType(expression).getElementType(), shape))
      return result;
  if (*count > kLargestWhole)
    return std::nullopt;
  Tensor whole(tensorType(expression).getElementType(), shape);
  size_t n = 0;
  bool isWhole = true;
  Lines all[] = {Lines(expression)};
  forEachLine(all, [&](ArrayRef<int64_t> index) {
    isWhole =
        forEachNumber(all[0].line(index), all[0].isFloat(),
                      [&](int64_t, Scalar s) { whole.elements()[n++] = s; });
    return isWhole;
  });
  if (!isWhole)
    return std::nullopt;
  return whole.expand(all[0].shape());
}

/// Builds the index of one dim minus the index of another.
static Value buildDistance(OpBuilder &builder, Location loc,
                           ArrayRef<int64_t> shape, int64_t minuend,
                           int64_t subtrahend) {
  Type i64 = builder.getI64Type();
  auto type = RankedTensorType::get(shape, i64);
  auto positions = [&](int64_t dim) -> Value {
    Tensor t(i64, {shape[dim]});
    for (auto [i, to] : llvm::enumerate(t.elements()))
      to = ofInt(i);
    Value line = ConstantOp::create(
        builder, loc, RankedTensorType::get(shape[dim], i64), t.attr());
    return BroadcastOp::create(builder, loc, type, line,
                               builder.getDenseI64ArrayAttr(dim));
  };
  return SubOp::create(builder, loc, type, positions(minuend),
                       positions(subtrahend));
}

Value pcc::analysis::buildSteps(OpBuilder &builder, Location loc,
                                const Tensor &tensor) {
  Tensor core = tensor.core();
  Tensor::Diagonals diagonals = core.diagonals();
  auto isSame = [&](Scalar a, Scalar b) {
    return core.isFloat() ? a.f == b.f : a.i == b.i;
  };
  SmallVector<size_t> steps;
  for (size_t k = 1; k < diagonals.elements.size(); ++k)
    if (!isSame(diagonals.elements[k], diagonals.elements[k - 1]))
      steps.push_back(k);
  if (steps.size() > kMostSteps)
    return nullptr;
  auto type = RankedTensorType::get(core.shape(), core.element());
  auto splat = [&](Type element, Scalar value) -> Value {
    Tensor t = Tensor::splat(element, core.shape(), value);
    return ConstantOp::create(
        builder, loc, RankedTensorType::get(core.shape(), element), t.attr());
  };
  Value distance = buildDistance(builder, loc, core.shape(), diagonals.minuend,
                                 diagonals.subtrahend);
  Value value = splat(core.element(), diagonals.elements[0]);
  for (size_t k : steps) {
    Value from = splat(builder.getI64Type(),
                       ofInt(diagonals.lowest + static_cast<int64_t>(k)));
    auto holds = CompareOp::getResultType(tensorType(distance));
    Value isBehind = CompareOp::create(builder, loc, holds,
                                       Relation::LessOrEqual, from, distance);
    value =
        WhereOp::create(builder, loc, type, isBehind,
                        splat(core.element(), diagonals.elements[k]), value);
  }
  return value;
}

Value pcc::analysis::buildBand(OpBuilder &builder, Location loc,
                               ArrayRef<int64_t> shape, int64_t low,
                               int64_t high) {
  Type i64 = builder.getI64Type();
  auto type = RankedTensorType::get(shape, i64);
  int64_t rank = shape.size(), rows = shape[rank - 2], columns = shape.back();
  auto number = [&](Type element, int64_t value) -> Value {
    auto numbers = RankedTensorType::get(shape, element);
    return ConstantOp::create(
        builder, loc, numbers,
        DenseElementsAttr::get(numbers,
                               builder.getIntegerAttr(element, value)));
  };
  Value distance = buildDistance(builder, loc, shape, rank - 1, rank - 2);
  auto holds = CompareOp::getResultType(type);
  Value condition;
  if (low > 1 - rows)
    condition = CompareOp::create(builder, loc, holds, Relation::LessOrEqual,
                                  number(i64, low), distance);
  if (high < columns - 1) {
    Value below = CompareOp::create(builder, loc, holds, Relation::LessOrEqual,
                                    distance, number(i64, high));
    condition = condition ? MulOp::create(builder, loc, holds, condition, below)
                          : below;
  }
  return condition ? condition : number(builder.getI1Type(), 1);
}

std::optional<Band> pcc::analysis::findBand(Type element,
                                            ArrayRef<int64_t> shape,
                                            StringRef bytes) {
  int64_t rank = shape.size();
  if (rank < 2 || product(shape) <= kLargestFolded)
    return std::nullopt;
  int64_t rows = shape[rank - 2], columns = shape.back();
  int64_t width = std::max(8u, element.getIntOrFloatBitWidth()) / 8;
  if (rows * columns != product(shape) ||
      static_cast<int64_t>(bytes.size()) != rows * columns * width)
    return std::nullopt;
  bool isFloat = isa<FloatType>(element);
  auto isSame = [&](Scalar a, Scalar b) {
    return isFloat ? a.f == b.f : a.i == b.i;
  };
  auto lineAt = [&](int64_t row) {
    Tensor line = Tensor::decode(element, {columns},
                                 bytes.data() + row * columns * width);
    return compress(line.elements(), isFloat);
  };
  // The first and the last row determine the only possible band.
  Line first = lineAt(0), last = lineAt(rows - 1);
  Band band{1 - rows, columns - 1, first[0].first, first.back().first};
  if (first.size() == 2)
    band.high = first[0].end - 1;
  else if (first.size() == 1)
    band.outside = last[0].first;
  else
    return std::nullopt;
  if (last.size() > 1 && !isSame(last[0].first, band.inside))
    band.low = last[0].end - (rows - 1);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t begin = 0;
    for (const Run &run : lineAt(row)) {
      // A run of one value is either inside the band or outside.
      bool isInside = isSame(run.first, band.inside);
      int64_t from = std::max<int64_t>(0, row + band.low),
              to = std::min(columns, row + band.high + 1);
      bool fits =
          !run.slope && (isInside ? begin >= from && run.end <= to
                                  : isSame(run.first, band.outside) &&
                                        (run.end <= from || begin >= to));
      if (!fits)
        return std::nullopt;
      begin = run.end;
    }
  }
  return band;
}

Value pcc::analysis::buildBand(OpBuilder &builder, Location loc,
                               RankedTensorType type, const Band &band) {
  Value condition =
      buildBand(builder, loc, type.getShape(), band.low, band.high);
  Type element = type.getElementType();
  auto splat = [&](Scalar value) -> Value {
    Tensor t = Tensor::splat(element, type.getShape(), value);
    return ConstantOp::create(builder, loc, type, t.attr());
  };
  if (element.isInteger(1) && band.inside.i && !band.outside.i)
    return condition;
  return WhereOp::create(builder, loc, type, condition, splat(band.inside),
                         splat(band.outside));
}
