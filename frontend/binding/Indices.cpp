//===- Indices.cpp - Indices as row numbers -------------------------------===//

#include "frontend/binding/Indices.h"
#include "analysis/Dependence.h"
#include "analysis/Evaluate.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

FailureOr<Value> pcc::frontend::elementNumbers(Binder &b, int64_t axis) {
  Shape from = b.shape(0), shape = b.shape(1);
  bool fits = from.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = static_cast<int64_t>(d) == axis || shape[d] <= from[d];
  if (!fits)
    return b.error() << "the shapes of its operands do not fit";
  if (failed(b.checkConstant(shape)))
    return failure();
  return elementNumbers(b, b.value(1), from, axis);
}

Value pcc::frontend::elementNumbers(Binder &b, Value indices,
                                    ArrayRef<int64_t> from, int64_t axis) {
  ArrayRef<int64_t> shape = tensorType(indices).getShape();
  Shape strides = rowMajor(from);
  Arithmetic a(b);
  Type i64 = b.builder.getI64Type();
  Value index = a.wrap(a.cast(indices, i64), from[axis]);
  Value number = a.mul(index, strides[axis]);
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (d != axis && shape[d] > 1)
      number = a.add(number, a.mul(a.iota(shape, d, i64), strides[d]));
  return number;
}

FailureOr<RowNumbers> pcc::frontend::rowNumbers(Binder &b, int64_t batch) {
  Shape from = b.shape(0), shape = b.shape(1);
  int64_t depth = shape.empty() ? 0 : shape.back();
  int64_t rank = from.size();
  if (shape.empty() || depth < 1 || batch < 0 || batch + depth > rank ||
      batch >= static_cast<int64_t>(shape.size()) ||
      ArrayRef<int64_t>(from).take_front(batch) !=
          ArrayRef<int64_t>(shape).take_front(batch))
    return b.error() << "the indices do not fit the data";
  ArrayRef<int64_t> named = ArrayRef<int64_t>(from).take_front(batch + depth);
  ArrayRef<int64_t> outer = ArrayRef<int64_t>(shape).drop_back();
  Shape strides = rowMajor(named);
  Arithmetic a(b);
  Type i64 = b.builder.getI64Type();
  Value ids = a.cast(b.value(1), i64), number;
  auto addTerm = [&](Value index, int64_t dim) {
    Value term = a.mul(index, strides[dim]);
    number = number ? a.add(number, term) : term;
  };
  for (int64_t d = 0; d < batch; ++d)
    addTerm(a.iota(outer, d, i64), d);
  for (int64_t d = 0; d < depth; ++d) {
    Value part = SelectOp::create(b.builder, b.loc, b.typeOf(outer, i64), ids,
                                  shape.size() - 1, d);
    addTerm(a.wrap(part, from[batch + d]), batch + d);
  }
  return RowNumbers{number, product(named),
                    Shape(from.begin() + batch + depth, from.end())};
}

RowsAlong::RowsAlong(Binder &b, int64_t rank, int64_t axis) : b(b), back(rank) {
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      order.push_back(d);
  order.push_back(axis);
  for (auto [i, d] : llvm::enumerate(order))
    back[d] = i;
}

Value RowsAlong::ids(unsigned operand, int64_t extent) {
  Arithmetic a(b);
  Value ids = b.value(operand);
  if (!areOfTopK(ids))
    return toLast(a.wrap(a.cast(ids, b.builder.getI64Type()), extent));
  // Undo the conversion to ONNX's type of indices.
  ids = toLast(ids);
  while (auto cast = ids.getDefiningOp<CastOp>())
    ids = cast.getInput();
  return ids;
}

Value RowsAlong::pick(Value x, Value ids) {
  Type element = tensorType(x).getElementType();
  return PickOp::create(b.builder, b.loc, tensorType(ids).clone(element), x,
                        ids, Value());
}

Value RowsAlong::spread(Value x, Value ids, Value rows) {
  Type element = tensorType(x).getElementType();
  return SpreadOp::create(b.builder, b.loc, tensorType(rows).clone(element), x,
                          ids, Value());
}

bool pcc::frontend::choosesOfRows(Binder &b, int64_t axis) {
  Shape from = b.shape(0), chosen = b.shape(1);
  if (from.size() != chosen.size() || b.isConstant(1) || chosen[axis] < 1 ||
      chosen[axis] > kMostChosen)
    return false;
  chosen[axis] = from[axis];
  return from == chosen && dependsOn(b.value(1), [](Value source) {
           Operation *op = source.getDefiningOp();
           return !op || (op->getNumOperands() == 0 && !isa<ConstantOp>(op));
         });
}

bool pcc::frontend::areOfTopK(Value indices) {
  while (isa_and_nonnull<CastOp, TransposeOp>(indices.getDefiningOp()))
    indices = indices.getDefiningOp()->getOperand(0);
  return indices.getDefiningOp<TopKOp>() != nullptr;
}

std::pair<int64_t, int64_t> pcc::frontend::rangeOf(const Tensor &integers) {
  Tensor core = integers.compact().core();
  if (core.size() == 0)
    return {0, -1};
  SmallVector<int64_t> elements;
  if (core.isByDistance())
    for (Scalar element : core.diagonals().elements)
      elements.push_back(element.i);
  else
    elements = core.ints();
  auto [least, most] = std::minmax_element(elements.begin(), elements.end());
  return {*least, *most};
}

/// Whether the elements of a constant may be negative.
static bool hasNegative(ConstantOp constant) {
  std::optional<Tensor> known = evaluate(constant.getResult());
  if (!known)
    return true;
  if (known->isFloat())
    return !known->isUniform() || !(known->at(int64_t(0)).f >= 0);
  return rangeOf(*known).first < 0;
}

bool pcc::frontend::mayBeNegative(Value integers) {
  bool isMoved = true;
  std::function<bool(Value)> isNonNegative = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return isMoved && isa<IntegerType>(tensorType(value).getElementType());
    if (auto constant = dyn_cast<ConstantOp>(op))
      return !hasNegative(constant);
    if (isa<TopKOp>(op))
      return true;
    // Bools, and values cast from them.
    if (tensorType(value).getElementType().isInteger(1))
      return true;
    // Programs check each id of an input that is looked up directly, but no id
    // that is computed.
    bool isSame = keepsElements(op) || isa<CastOp>(op);
    isMoved &= isSame && isa<IntegerType>(tensorType(value).getElementType());
    if (isSame)
      return isNonNegative(op->getOperand(0));
    if (isa<WhereOp>(op))
      return llvm::all_of(op->getOperands().drop_front(), isNonNegative);
    if (isa<MaxOp>(op))
      return llvm::any_of(op->getOperands(), isNonNegative);
    return (movesElements(op) || isa<SumOp, MulOp, MinOp, ReduceOp, ReduceMaxOp,
                                     ReduceMinOp, ReduceProdOp>(op)) &&
           llvm::all_of(op->getOperands(), isNonNegative);
  };
  return !isNonNegative(integers);
}
