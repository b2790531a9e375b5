//===- LossScale.cpp - Dynamic loss scaling in @update --------------------===//
//
// fp16 gradients underflow. The backward pass therefore starts with the loss
// scale, a power of two, instead of 1. The scale is as large as possible: if it
// is too large, a cotangent becomes inf and so does the norm. Such a step
// updates nothing and halves the scale. After `--loss-scale-window` steps (w)
// without overflow the scale doubles:
//
//   norm             good_steps    scale
//   finite           g + 1         s           a step of the optimizer
//   finite, g+1 >= w 0             2 s         the same
//   inf or nan       0             max(s/2, 1) nothing else changes
//   no targets       g             s           nothing changes
//
// If the loss is not finite, the step is not taken either. If the gradients are
// finite nevertheless, as in a step without valid targets, `good_steps` and
// scale stay. The scale is at most PCC_MOST_LOSS_SCALE. These decisions depend
// only on loss and norm, which are the same on every rank. The runtime detects
// that a scale of 1 is still too large.
//
//===----------------------------------------------------------------------===//

#include "passes/Training/LossScale.h"
#include "runtime/Program.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

void pcc::addLossScale(ModuleOp module) {
  addNumber(module, kLossScale, scalarType(module.getContext()),
            PCC_FIRST_LOSS_SCALE);
}

LossScale::LossScale(ModuleOp module, EntryBuilder &entry)
    : module(module), entry(entry), builder(entry.builder), loc(entry.loc),
      math(builder, loc) {
  if (!module.lookupSymbol<StateOp>(kLossScale))
    return;
  addNumber(module, kGoodSteps, math.wholeType, 0);
  window = entry.input(InputRole::LossScaleWindow, math.wholeType);
  scale = entry.read(kLossScale, math.realType);
}

Value LossScale::divisor(Value targets) {
  return MulOp::create(builder, loc, math.realType, targets, scale);
}

Value LossScale::countUpdate(Value isTaken) {
  addNumber(module, kUpdates, math.wholeType, 0);
  Value before = entry.read(kUpdates, math.wholeType);
  Value next = math.sum(before, math.whole(1));
  entry.write(math.where(isTaken, next, before), kUpdates);
  return next;
}

void LossScale::change(Value isTaken, Value length) {
  Value good = entry.read(kGoodSteps, math.wholeType),
        next = math.sum(good, math.whole(1));
  Value isDue = math.atMost(window, next), isWhole = math.isFinite(length);
  RankedTensorType scalar = math.realType;
  Value twice =
      ScaleOp::create(builder, loc, scalar, scale, builder.getF64FloatAttr(2));
  twice = MinOp::create(builder, loc, scalar, twice,
                        math.real(double(PCC_MOST_LOSS_SCALE)));
  Value half = ScaleOp::create(builder, loc, scalar, scale,
                               builder.getF64FloatAttr(0.5));
  half = MaxOp::create(builder, loc, scalar, half, math.real(1));
  entry.write(math.where(isTaken, math.where(isDue, math.whole(0), next),
                         math.where(isWhole, good, math.whole(0))),
              kGoodSteps);
  entry.write(math.where(isTaken, math.where(isDue, twice, scale),
                         math.where(isWhole, scale, half)),
              kLossScale);
}
