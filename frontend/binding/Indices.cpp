//===- Indices.cpp - Indices as row numbers -------------------------------===//

#include "frontend/binding/Indices.h"

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
