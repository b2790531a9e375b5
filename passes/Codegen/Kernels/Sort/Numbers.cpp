//===- Numbers.cpp - Building nn ops on integers --------------------------===//

#include "passes/Codegen/Kernels/Sort/Numbers.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

Value Numbers::cast(Value x, Type type) {
  RankedTensorType from = nn::tensorType(x);
  if (from.getElementType() == type)
    return x;
  return nn::CastOp::create(b, loc, from.clone(type), x);
}

Value Numbers::reshape(Value x, ArrayRef<int64_t> shape) {
  RankedTensorType type = nn::tensorType(x);
  if (type.getShape() == shape)
    return x;
  return nn::ReshapeOp::create(b, loc, type.clone(shape), x);
}

Value Numbers::count(int64_t size) {
  auto values = llvm::to_vector(llvm::seq<int32_t>(0, size));
  auto type = RankedTensorType::get({size}, i32());
  return nn::ConstantOp::create(b, loc,
                                DenseElementsAttr::get(type, ArrayRef(values)));
}

Value Numbers::splat(int64_t value, Value like) {
  RankedTensorType type = nn::tensorType(like);
  Type element = type.getElementType();
  Attribute number = isa<FloatType>(element)
                         ? Attribute(b.getFloatAttr(element, double(value)))
                         : Attribute(b.getIntegerAttr(element, value));
  return nn::ConstantOp::create(b, loc, DenseElementsAttr::get(type, number));
}

Value Numbers::spread(Value x, ArrayRef<int64_t> shape,
                      ArrayRef<int64_t> dims) {
  return nn::BroadcastOp::create(b, loc, nn::tensorType(x).clone(shape), x,
                                 dims);
}

Value Numbers::from(Value x, int64_t start, int64_t size) {
  RankedTensorType type = nn::tensorType(x);
  SmallVector<int64_t> shape(type.getShape()), starts(shape.size(), 0),
      steps(shape.size(), 1);
  shape[0] = size;
  starts[0] = start;
  return nn::SliceOp::create(b, loc, type.clone(shape), x, starts, steps);
}

Value Numbers::add(Value x, Value y) {
  return nn::SumOp::create(b, loc, x.getType(), ValueRange{x, y});
}

Value Numbers::compare(nn::Relation relation, Value x, Value y) {
  return nn::CompareOp::create(b, loc, nn::tensorType(x).clone(b.getI1Type()),
                               relation, x, y);
}

Value Numbers::where(Value condition, Value x, Value y) {
  return nn::WhereOp::create(b, loc, x.getType(), condition, x, y);
}

Value Numbers::sum(Value x) {
  ArrayRef<int64_t> shape = nn::tensorType(x).getShape();
  auto type = RankedTensorType::get(shape.drop_back(), f32());
  return nn::ReduceOp::create(b, loc, type, x,
                              ArrayRef<int64_t>(shape.size() - 1));
}

Value Numbers::sumWhere(Value condition, Value x) {
  return sum(where(condition, x, splat(0, x)));
}

Value Numbers::countWhere(Value condition) {
  return sum(cast(condition, f32()));
}

Value Numbers::at(Value ids, Value table) {
  RankedTensorType type = nn::tensorType(table);
  SmallVector<int64_t> rows(type.getShape());
  bool isFlat = rows.size() == 1;
  if (isFlat)
    rows.push_back(1);
  table = reshape(table, rows);
  int64_t count = nn::tensorType(ids).getNumElements();
  SmallVector<int64_t> shape = rows;
  shape[0] = count;
  Value taken = nn::EmbeddingOp::create(b, loc, type.clone(shape), ids, table,
                                        /*offset=*/Value());
  return isFlat ? reshape(taken, {count}) : taken;
}
