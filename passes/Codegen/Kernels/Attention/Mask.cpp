//===- Mask.cpp - Attention's mask by positions in kernels ----------------===//

#include "passes/Codegen/Kernels/Attention/Mask.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

static Value constantLike(ImplicitLocOpBuilder &b, int64_t value, Type type) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  TypedAttr number =
      b.getI32IntegerAttr(static_cast<int32_t>(std::min(value, most)));
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, Attribute(number));
  return arith::ConstantOp::create(b, number);
}

static Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate how, Value x,
                     Value y) {
  return arith::CmpIOp::create(b, how, x, y);
}

Value codegen::buildFirstKey(ImplicitLocOpBuilder &b,
                             const nn::VisibleKeys &mask, Value query) {
  Value first;
  if (mask.window)
    first = arith::SubIOp::create(
        b, query, constantLike(b, mask.window - 1, query.getType()));
  if (!mask.chunk)
    return first;
  Value size = constantLike(b, mask.chunk, query.getType());
  Value inside = arith::RemUIOp::create(b, query, size);
  Value start = arith::SubIOp::create(b, query, inside);
  return first ? arith::MaxSIOp::create(b, first, start).getResult() : start;
}

Value codegen::buildIsHidden(ImplicitLocOpBuilder &b,
                             const nn::VisibleKeys &mask, Value query,
                             Value key) {
  Value isBehind = compare(b, arith::CmpIPredicate::slt, query, key);
  if (!mask.isBounded())
    return isBehind;
  Value isBefore =
      compare(b, arith::CmpIPredicate::slt, key, buildFirstKey(b, mask, query));
  return arith::OrIOp::create(b, isBehind, isBefore);
}

Value codegen::buildMaySee(ImplicitLocOpBuilder &b, const nn::VisibleKeys &mask,
                           PositionRange queries, PositionRange keys) {
  Value reaches =
      compare(b, arith::CmpIPredicate::sge, queries.most, keys.least);
  if (!mask.isBounded())
    return reaches;
  Value isNear = compare(b, arith::CmpIPredicate::sge, keys.most,
                         buildFirstKey(b, mask, queries.least));
  return arith::AndIOp::create(b, reaches, isNear);
}

Value codegen::buildMayHide(ImplicitLocOpBuilder &b,
                            const nn::VisibleKeys &mask, PositionRange queries,
                            PositionRange keys) {
  Value hasLater =
      compare(b, arith::CmpIPredicate::slt, queries.least, keys.most);
  if (!mask.isBounded())
    return hasLater;
  Value hasFar = compare(b, arith::CmpIPredicate::slt, keys.least,
                         buildFirstKey(b, mask, queries.most));
  return arith::OrIOp::create(b, hasLater, hasFar);
}
