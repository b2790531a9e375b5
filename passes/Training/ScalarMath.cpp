//===- ScalarMath.cpp - Arithmetic of single numbers ----------------------===//

#include "passes/Training/ScalarMath.h"
#include <limits>

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

ScalarMath::ScalarMath(OpBuilder &builder, Location loc)
    : realType(RankedTensorType::get({}, builder.getF32Type())),
      wholeType(RankedTensorType::get({}, builder.getI64Type())),
      builder(builder), loc(loc) {}

Value ScalarMath::real(double value) {
  auto attr = builder.getF32FloatAttr(static_cast<float>(value));
  return ConstantOp::create(builder, loc, realType,
                            DenseElementsAttr::get(realType, attr));
}

Value ScalarMath::whole(int64_t value) {
  auto attr = builder.getI64IntegerAttr(value);
  return ConstantOp::create(builder, loc, wholeType,
                            DenseElementsAttr::get(wholeType, attr));
}

Value ScalarMath::atMost(Value lhs, Value rhs) {
  auto type = CompareOp::getResultType(tensorType(lhs));
  return CompareOp::create(builder, loc, type, Relation::LessOrEqual, lhs, rhs);
}

Value ScalarMath::isFinite(Value value) {
  return atMost(value, real(std::numeric_limits<float>::max()));
}

Value ScalarMath::where(Value condition, Value lhs, Value rhs) {
  return WhereOp::create(builder, loc, lhs.getType(), condition, lhs, rhs);
}

Value ScalarMath::sum(Value lhs, Value rhs) {
  return SumOp::create(builder, loc, lhs.getType(), ValueRange{lhs, rhs});
}
