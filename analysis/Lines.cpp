//===- Lines.cpp - Run-length encoding of values, line by line ------------===//

#include "analysis/Lines.h"
#include "analysis/Axes.h"
#include "analysis/Dependence.h"
#include "analysis/Evaluate.h"
#include "analysis/Runs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::nn;

/// One value of the expression, with the line that was computed last.
struct Lines::Step {
  Value value;
  IndexMap map;
  /// The op and the steps of its operands; unset for a leaf.
  Operation *op = nullptr;
  SmallVector<unsigned> operands;
  /// The contents of a leaf: a constant, the bytes of a parameter, or elements;
  /// all unset if it is not known.
  DenseElementsAttr constant;
  SourceAttr source;
  std::optional<Tensor> elements;
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  /// The row-major number of the element that a leaf reads.
  AffineIndex offset;
  /// The dims, except the last, along which lines differ.
  llvm::SmallBitVector rows;
  Line line;

  bool isLeaf() const { return !op; }
  bool isKnown() const { return op || constant || source || elements; }
};

Lines::~Lines() = default;
Lines::Lines(Lines &&) = default;

Lines::Lines(Value value)
    : Lines(value, tensorType(value).getRank() - 1, Anything) {}

Lines::Lines(Value value, int64_t along, Unknown unknown)
    : type(tensorType(value).getElementType()),
      extents(tensorType(value).getShape()), unknown(unknown) {
  if (!extents.empty())
    std::swap(extents[along], extents.back());
  IndexMap map;
  for (size_t d = 0; d < extents.size(); ++d) {
    AffineIndex at;
    at.factors.assign(extents.size(), 0);
    at.factors[d] = extents[d] > 1;
    map.push_back(at);
  }
  if (!extents.empty())
    std::swap(map[along], map.back());
  bool isEmpty = extents.empty() || product(extents) == 0;
  if (isEmpty)
    known = false;
  else
    add(value, map);
}

bool Lines::varies(int64_t dim) const {
  return !steps.empty() && steps.back().rows.test(dim);
}

Lines::AffineIndex Lines::numbered(const IndexMap &map,
                                   ArrayRef<int64_t> strides,
                                   int64_t base) const {
  AffineIndex result;
  result.base = base;
  result.factors.assign(extents.size(), 0);
  for (auto [at, stride] : llvm::zip(map, strides)) {
    result.base += at.base * stride;
    for (auto [to, factor] : llvm::zip(result.factors, at.factors))
      to += factor * stride;
  }
  return result;
}

/// The index map of a reshape's input, if each of its dims is a dim of the
/// result or merges several; nullopt if the reshape merges dims of the input.
std::optional<Lines::IndexMap> Lines::throughReshape(ReshapeOp op,
                                                     const IndexMap &map) {
  ArrayRef<int64_t> from = tensorType(op.getInput()).getShape(),
                    to = op.getType().getShape();
  IndexMap result;
  size_t next = 0;
  for (int64_t extent : from) {
    int64_t merged = 1;
    size_t begin = next;
    while (merged < extent && next < to.size())
      merged *= to[next++];
    if (merged != extent)
      return std::nullopt;
    result.push_back(
        numbered(IndexMap(ArrayRef(map).slice(begin, next - begin)),
                 rowMajor(to.slice(begin, next - begin)), 0));
  }
  return result;
}

/// Whether a value is the argument of positions 0, 1, ...
static bool isPositions(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  return function && findInput(function, InputRole::Positions) == argument &&
         tensorType(value).getRank() == 1;
}

unsigned Lines::addLeaf(Value value, const IndexMap &map) {
  Step step;
  step.value = value;
  step.map = map;
  Shape shape(tensorType(value).getShape()), strides = rowMajor(shape);
  int64_t base = 0;
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    step.constant = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (step.constant && step.constant.isSplat())
      strides.assign(shape.size(), 0);
  } else if (auto read = value.getDefiningOp<ReadOp>()) {
    ParamOp param = paramOf(read);
    SourceAttr source = param ? param.getSource() : SourceAttr();
    stored = true;
    bool isFixed = unknown == Anything || (param && param.getFrozen());
    if (isFixed && source && !source.getFile().empty() &&
        source.getValid().asArrayRef() == ArrayRef(shape) &&
        source.getType().getElementType() ==
            tensorType(value).getElementType()) {
      step.source = source;
      strides.assign(source.getStrides().asArrayRef());
      base = source.getBase();
    }
  } else if (isPositions(value)) {
    Tensor positions(tensorType(value).getElementType(), shape);
    for (auto [i, to] : llvm::enumerate(positions.elements()))
      to = ofInt(i);
    step.elements = positions;
    known = isKeyed = false;
  } else if (isa_and_present<ReshapeOp>(value.getDefiningOp())) {
    // The reshape has no index map: evaluate the value as a whole, which is
    // only possible for ops that move elements.
    Operation *op = value.getDefiningOp();
    while (op && op->getNumOperands() == 1)
      op = op->getOperand(0).getDefiningOp();
    bool isRead = isa_and_present<ReadOp>(op);
    stored |= isRead;
    if (!isRead || unknown == Anything)
      step.elements = evaluate(value);
    if (step.elements)
      step.elements = step.elements->dense();
    isKeyed = false;
  }
  if (!step.isKnown()) {
    known = false;
    strides.assign(shape.size(), 0);
  }
  step.offset = numbered(map, strides, base);
  step.rows.resize(extents.size());
  for (size_t d = 0; d + 1 < extents.size(); ++d)
    step.rows[d] = step.offset.factors[d] != 0;
  steps.push_back(std::move(step));
  return steps.size() - 1;
}

unsigned Lines::addOp(Operation *op, const IndexMap &map) {
  Step step;
  step.value = op->getResult(0);
  step.map = map;
  step.op = op;
  step.rows.resize(extents.size());
  for (Value operand : op->getOperands()) {
    unsigned number = add(operand, map);
    step.operands.push_back(number);
    step.rows |= steps[number].rows;
  }
  steps.push_back(std::move(step));
  return steps.size() - 1;
}

/// Whether a line is a contiguous line of the value along its last dim.
bool Lines::isAlongLine(Value value, const IndexMap &map) const {
  const AffineIndex &at = map.back();
  return tensorType(value).getShape().back() == extents.back() &&
         at.base == 0 && at.factors.back() == 1 &&
         llvm::all_of(ArrayRef(at.factors).drop_back(),
                      [](int64_t factor) { return factor == 0; });
}

unsigned Lines::add(Value value, IndexMap map) {
  for (auto [number, step] : llvm::enumerate(steps))
    if (step.value == value && step.map == map)
      return number;
  Operation *op = value.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op)) {
    IndexMap inner;
    for (int64_t dim : broadcast.getDims())
      inner.push_back(map[dim]);
    return add(broadcast.getInput(), inner);
  }
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op)) {
    IndexMap inner(map.size());
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation()))
      inner[from] = map[to];
    return add(transpose.getInput(), inner);
  }
  if (auto slice = dyn_cast_or_null<SliceOp>(op)) {
    for (auto [at, start, by] :
         llvm::zip(map, slice.getStarts(), slice.getSteps())) {
      at.base = at.base * by + start;
      for (int64_t &factor : at.factors)
        factor *= by;
    }
    return add(slice.getInput(), map);
  }
  if (auto select = dyn_cast_or_null<SelectOp>(op)) {
    AffineIndex at;
    at.base = select.getIndex();
    at.factors.assign(extents.size(), 0);
    map.insert(map.begin() + select.getDim(), at);
    return add(select.getInput(), map);
  }
  if (auto reshape = dyn_cast_or_null<ReshapeOp>(op))
    if (std::optional<IndexMap> inner = throughReshape(reshape, map))
      return add(reshape.getInput(), *inner);
  if (op && isElementwise(op))
    return addOp(op, map);
  if (isa_and_present<SoftmaxOp>(op) && unknown == Finite &&
      isAlongLine(value, map))
    return addOp(op, map);
  return addLeaf(value, map);
}

void Lines::readLeaf(Step &step, ArrayRef<int64_t> index) {
  int64_t size = extents.back(), number = step.offset.base,
          stride = step.offset.factors.back();
  for (size_t d = 0; d + 1 < extents.size(); ++d)
    number += step.offset.factors[d] * index[d];
  if (!stride)
    size = 1;
  bool isFloat = isa<FloatType>(tensorType(step.value).getElementType());
  std::vector<Scalar> values;
  if (step.constant && !step.elements)
    step.elements = Tensor::ofAttr(step.constant).core().dense();
  if (step.source && !step.bytes)
    step.bytes = mapSource(step.source);
  if (step.elements) {
    const std::vector<Scalar> &all = step.elements->elements();
    for (int64_t i = 0; i < size; ++i)
      values.push_back(all[number + i * stride]);
  } else if (step.bytes) {
    Type element = step.source.getType().getElementType();
    int64_t width = std::max(8u, element.getIntOrFloatBitWidth()) / 8;
    const char *bytes = step.bytes->getBufferStart();
    bool isRow = stride == 1;
    for (int64_t i = 0; i < size; i += isRow ? size : 1) {
      Tensor part = Tensor::decode(element, {isRow ? size : 1},
                                   bytes + (number + i * stride) * width);
      llvm::append_range(values, part.elements());
    }
  } else {
    step.line = repeated(extents.back(), std::nullopt);
    return;
  }
  step.line = stride ? compress(values, isFloat)
                     : repeated(extents.back(), values.front());
}

/// The elements of a softmax that are known to be 0: masked scores, if another
/// score in the line is not masked, and scores of -inf.
static Line softmaxZeros(ArrayRef<Run> scores) {
  auto isRemoved = [](const Run &run) {
    return run.isKnown && !run.slope && run.first.f <= kRemovesKey;
  };
  bool leavesOne = !llvm::all_of(scores, isRemoved);
  Line line;
  for (const Run &run : scores) {
    bool isZero = isRemoved(run) && (leavesOne || std::isinf(run.first.f));
    append(line, {run.end, isZero, ofFloat(0), 0}, /*isFloat=*/true);
  }
  return line;
}

ArrayRef<Run> Lines::line(ArrayRef<int64_t> index) {
  llvm::SmallBitVector moved(extents.size(), last.empty());
  for (size_t d = 0; d + 1 < extents.size() && !last.empty(); ++d)
    moved[d] = index[d] != last[d];
  for (Step &step : steps) {
    if (!last.empty() && !step.rows.anyCommon(moved))
      continue;
    if (step.isLeaf()) {
      readLeaf(step, index);
      continue;
    }
    SmallVector<ArrayRef<Run>> operands;
    for (unsigned operand : step.operands)
      operands.push_back(steps[operand].line);
    step.line = isa<SoftmaxOp>(step.op)
                    ? softmaxZeros(operands.front())
                    : combine(step.op, operands, unknown == Finite);
  }
  last.assign(index.begin(), index.end());
  return steps.back().line;
}

std::string Lines::key() const {
  if (!isKeyed)
    return "";
  std::string key;
  llvm::raw_string_ostream os(key);
  auto number = [&](const AffineIndex &at) {
    os << at.base;
    for (int64_t factor : at.factors)
      os << ',' << factor;
  };
  llvm::interleave(extents, os, "x");
  for (const Step &step : steps) {
    os << ';';
    if (step.op) {
      // Attributes are unique: equal ones have one address.
      os << step.op->getName()
         << step.op->getAttrDictionary().getAsOpaquePointer()
         << tensorType(step.value).getElementType();
      llvm::interleave(step.operands, os, ",");
    } else if (step.constant || step.source) {
      os << (step.constant ? step.constant.getAsOpaquePointer()
                           : step.source.getAsOpaquePointer())
         << '@';
      number(step.offset);
    } else {
      os << '?';
    }
  }
  return key;
}

void pcc::analysis::forEachLine(
    MutableArrayRef<Lines> values,
    llvm::function_ref<bool(ArrayRef<int64_t>)> fn) {
  Shape shape(values.front().shape());
  for (size_t d = 0; d < shape.size(); ++d)
    if (d + 1 == shape.size() ||
        llvm::none_of(values, [&](const Lines &v) { return v.varies(d); }))
      shape[d] = 1;
  Shape index(shape.size(), 0);
  while (fn(index)) {
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}
