//===- LossScale.cpp - What an update does about the loss's scale ---------===//
//
// Gradients of fp16 are too small for its exponents, so the backward pass
// begins with a power of two in place of one, as large as it may be: where it
// is too large a cotangent becomes inf, and so does the norm. Such a step
// updates nothing and halves the scale; after --loss-scale-window steps without
// one it is doubled. With w for that window:
//
//   norm             good_steps    scale
//   finite           g + 1         s           a step of the optimizer
//   finite, g+1 = w  0             2 s         the same
//   inf or nan       0             max(s/2, 1) nothing else changes
//   no targets       g             s           nothing changes
//
// All of it follows from the norm, which is the same on every rank. That a
// scale of 1 is too large, too, is the runtime's to say.
//
//===----------------------------------------------------------------------===//

#include "passes/Training/LossScale.h"
#include "runtime/Program.h"
#include <limits>

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

void pcc::addLossScale(ModuleOp module) {
  addNumber(module, kLossScale, scalarType(module.getContext()),
            PCC_FIRST_LOSS_SCALE);
}

LossScale::LossScale(ModuleOp module, EntryBuilder &entry)
    : module(module), entry(entry), builder(entry.builder), loc(entry.loc),
      scalar(scalarType(module.getContext())),
      count(RankedTensorType::get({}, builder.getI64Type())) {
  if (!module.lookupSymbol<StateOp>(kLossScale))
    return;
  addNumber(module, kGoodSteps, count, 0);
  window = entry.input(InputRole::LossScaleWindow, count);
  scale = entry.read(kLossScale, scalar);
}

Value LossScale::real(double value) {
  auto attr = builder.getF32FloatAttr(static_cast<float>(value));
  return ConstantOp::create(builder, loc, scalar,
                            DenseElementsAttr::get(scalar, attr));
}

Value LossScale::whole(int64_t value) {
  auto attr = builder.getI64IntegerAttr(value);
  return ConstantOp::create(builder, loc, count,
                            DenseElementsAttr::get(count, attr));
}

Value LossScale::atMost(Value lhs, Value rhs) {
  auto type = CompareOp::getResultType(tensorType(lhs));
  return CompareOp::create(builder, loc, type, Relation::LessOrEqual, lhs, rhs);
}

/// Of a number that is not negative.
Value LossScale::isFinite(Value value) {
  return atMost(value, real(std::numeric_limits<float>::max()));
}

Value LossScale::where(Value condition, Value lhs, Value rhs) {
  return WhereOp::create(builder, loc, lhs.getType(), condition, lhs, rhs);
}

Value LossScale::sum(Value lhs, Value rhs) {
  return SumOp::create(builder, loc, lhs.getType(), ValueRange{lhs, rhs});
}

Value LossScale::divisor(Value targets) {
  return MulOp::create(builder, loc, scalar, targets, scale);
}

Value LossScale::orNothing(Value factor, Value norm) {
  isGood = isFinite(norm);
  return where(isGood, factor, real(std::numeric_limits<float>::quiet_NaN()));
}

Value LossScale::countUpdate() {
  addNumber(module, kUpdates, count, 0);
  Value before = entry.read(kUpdates, count);
  Value next = sum(before, whole(1));
  entry.write(where(isGood, next, before), kUpdates);
  return next;
}

void LossScale::change(Value length) {
  Value good = entry.read(kGoodSteps, count), next = sum(good, whole(1));
  Value isDue = atMost(window, next), isWhole = isFinite(length);
  Value twice =
      ScaleOp::create(builder, loc, scalar, scale, builder.getF64FloatAttr(2));
  twice = MinOp::create(builder, loc, scalar, twice,
                        real(double(PCC_MOST_LOSS_SCALE)));
  Value half = ScaleOp::create(builder, loc, scalar, scale,
                               builder.getF64FloatAttr(0.5));
  half = MaxOp::create(builder, loc, scalar, half, real(1));
  entry.write(where(isGood, where(isDue, whole(0), next),
                    where(isWhole, good, whole(0))),
              kGoodSteps);
  entry.write(
      where(isGood, where(isDue, twice, scale), where(isWhole, scale, half)),
      kLossScale);
}
