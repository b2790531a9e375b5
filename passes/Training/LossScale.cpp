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
// A loss that is not finite is as a norm that is not; where the gradients are
// finite all the same, as without targets. All of it follows from loss and
// norm, which are the same on every rank. That a scale of 1 is too large, too,
// is the runtime's to say.
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
