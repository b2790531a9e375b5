//===- Arithmetic.cpp - Short names for building nn ops -------------------===//

#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

Shape Arithmetic::without(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  Shape kept;
  for (auto [d, extent] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims, static_cast<int64_t>(d)))
      kept.push_back(extent);
  return kept;
}

Value Arithmetic::splat(Value x, double number) {
  RankedTensorType type = tensorType(x);
  Scalar s = isa<FloatType>(type.getElementType())
                 ? ofFloat(number)
                 : ofInt(static_cast<int64_t>(number));
  return b.constant(Tensor::splat(type.getElementType(), type.getShape(), s));
}

Value Arithmetic::iota(ArrayRef<int64_t> shape, int64_t dim, Type element) {
  Tensor t(element, {shape[dim]});
  for (auto [i, to] : llvm::enumerate(t.elements()))
    to = isa<FloatType>(element) ? ofFloat(i) : ofInt(i);
  Shape place(shape.size(), 1);
  place[dim] = shape[dim];
  return b.constant(t.reshape(place).expand(shape));
}

Value Arithmetic::add(Value x, Value y) {
  return SumOp::create(b.builder, b.loc, x.getType(), ValueRange{x, y});
}
Value Arithmetic::sub(Value x, Value y) { return b.binary<SubOp>(x, y); }
Value Arithmetic::mul(Value x, Value y) { return b.binary<MulOp>(x, y); }
Value Arithmetic::mul(Value x, double y) {
  if (isa<FloatType>(tensorType(x).getElementType()))
    return b.scale(x, y);
  return y == 1 ? x : mul(x, splat(x, y));
}
Value Arithmetic::div(Value x, Value y) { return b.binary<DivOp>(x, y); }
Value Arithmetic::rem(Value x, Value y) { return b.binary<RemOp>(x, y); }
Value Arithmetic::pow(Value x, Value y) { return b.binary<PowOp>(x, y); }
Value Arithmetic::max(Value x, Value y) { return b.binary<MaxOp>(x, y); }
Value Arithmetic::min(Value x, Value y) { return b.binary<MinOp>(x, y); }
Value Arithmetic::abs(Value x) { return max(x, mul(x, -1)); }

Value Arithmetic::cast(Value x, Type element) {
  RankedTensorType type = tensorType(x);
  if (type.getElementType() == element)
    return x;
  return CastOp::create(b.builder, b.loc, b.typeOf(type.getShape(), element),
                        x);
}

Value Arithmetic::compare(Relation relation, Value x, Value y) {
  return CompareOp::create(b.builder, b.loc,
                           CompareOp::getResultType(tensorType(x)), relation, x,
                           y);
}

Value Arithmetic::where(Value condition, Value x, Value y) {
  return WhereOp::create(b.builder, b.loc, x.getType(), condition, x, y);
}

Value Arithmetic::spread(Value x, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> dims) {
  if (dims.empty())
    return x;
  SmallVector<int64_t> kept;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d)
    if (!llvm::is_contained(dims, d))
      kept.push_back(d);
  return BroadcastOp::create(b.builder, b.loc,
                             b.typeOf(shape, tensorType(x).getElementType()), x,
                             kept);
}

Value Arithmetic::logSoftmax(Value x, int64_t dim) {
  ArrayRef<int64_t> shape = tensorType(x).getShape();
  Value max = spread(reduce<ReduceMaxOp>(x, dim), shape, dim);
  Value shifted = sub(x, max);
  Value sum = log(reduce<ReduceOp>(exp(shifted), dim));
  return sub(shifted, spread(sum, shape, dim));
}

Value Arithmetic::pick(Value x, Value ids, int64_t dim) {
  ArrayRef<int64_t> shape = tensorType(x).getShape();
  Value index = iota(shape, dim, tensorType(ids).getElementType());
  Value hit = equal(index, spread(ids, shape, dim));
  return reduce<ReduceOp>(where(hit, x, splat(x, 0)), dim);
}

Value Arithmetic::wrap(Value ids, int64_t extent) {
  return where(less(ids, splat(ids, 0)), add(ids, extent), ids);
}

Value Arithmetic::take(Value x, Value ids, int64_t dim) {
  RankedTensorType type = tensorType(x);
  Shape from(type.getShape()), indices(tensorType(ids).getShape());
  int64_t rank = from.size(), count = indices.size();
  // Moves the dim to the front and flattens the others to rows.
  SmallVector<int64_t> front = {dim};
  Shape rest;
  int64_t row = 1;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim) {
      front.push_back(d);
      rest.push_back(from[d]);
      row *= from[d];
    }
  Value table = b.reshape(b.transpose(x, front), {from[dim], row});
  Shape looked(indices);
  looked.push_back(row);
  Value rows = EmbeddingOp::create(b.builder, b.loc,
                                   b.typeOf(looked, type.getElementType()), ids,
                                   table, Value());
  Shape split(indices);
  llvm::append_range(split, rest);
  // Back to (dims before `dim`, dims of ids, dims after it).
  SmallVector<int64_t> back;
  for (int64_t d = 0; d < dim; ++d)
    back.push_back(count + d);
  for (int64_t d = 0; d < count; ++d)
    back.push_back(d);
  for (int64_t d = dim; d < rank - 1; ++d)
    back.push_back(count + d);
  return b.transpose(b.reshape(rows, split), back);
}
