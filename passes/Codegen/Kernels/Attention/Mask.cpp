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
                             Value start, Value key) {
  Value isHidden = compare(b, arith::CmpIPredicate::slt, query, key);
  auto hideBefore = [&](Value first) {
    Value isBefore = compare(b, arith::CmpIPredicate::slt, key, first);
    isHidden = arith::OrIOp::create(b, isHidden, isBefore);
  };
  if (mask.isBounded())
    hideBefore(buildFirstKey(b, mask, query));
  if (start)
    hideBefore(start);
  return isHidden;
}

Value codegen::buildMaySee(ImplicitLocOpBuilder &b, const nn::VisibleKeys &mask,
                           PositionRange queries, PositionRange keys) {
  Value maySee =
      compare(b, arith::CmpIPredicate::sge, queries.most, keys.least);
  auto reachFrom = [&](Value first) {
    Value isNear = compare(b, arith::CmpIPredicate::sge, keys.most, first);
    maySee = arith::AndIOp::create(b, maySee, isNear);
  };
  if (mask.isBounded())
    reachFrom(buildFirstKey(b, mask, queries.least));
  if (queries.leastStart)
    reachFrom(queries.leastStart);
  return maySee;
}

Value codegen::buildMayHide(ImplicitLocOpBuilder &b,
                            const nn::VisibleKeys &mask, PositionRange queries,
                            PositionRange keys) {
  Value mayHide =
      compare(b, arith::CmpIPredicate::slt, queries.least, keys.most);
  auto hideBefore = [&](Value first) {
    Value hasFar = compare(b, arith::CmpIPredicate::slt, keys.least, first);
    mayHide = arith::OrIOp::create(b, mayHide, hasFar);
  };
  if (mask.isBounded())
    hideBefore(buildFirstKey(b, mask, queries.most));
  if (queries.mostStart)
    hideBefore(queries.mostStart);
  return mayHide;
}
