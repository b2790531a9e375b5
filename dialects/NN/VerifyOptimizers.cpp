//===- VerifyOptimizers.cpp - Verifiers of optimizers ---------------------===//

#include "dialects/NN/Verify.h"

using namespace mlir;
using namespace pcc::nn;

/// Checks that gradient and moments have the parameter's shape, and that the
/// other operands are scalars.
static LogicalResult verifyStep(Operation *op, Value param,
                                ValueRange sameShape,
                                ArrayRef<std::pair<Value, StringRef>> scalars) {
  for (Value value : sameShape)
    if (shapeOf(value) != shapeOf(param))
      return op->emitOpError()
             << value.getType() << " does not have the shape of "
             << param.getType();
  for (auto [value, what] : scalars)
    if (failed(verifyScalar(op, value, what)))
      return failure();
  return success();
}

LogicalResult AdamWOp::verify() {
  Type moment = tensorType(getExpAvg()).getElementType();
  if (moment.isF16())
    return emitOpError("cannot have moments of f16");
  if (moment.isBF16() != static_cast<bool>(getRounding()))
    return emitOpError() << (getRounding() ? "rounds" : "does not round")
                         << " moments of " << moment;
  if (getRounding() && shapeOf(getRounding()) != shapeOf(getParam()))
    return emitOpError() << "rounds with " << getRounding().getType()
                         << ", which does not have the shape of "
                         << getParam().getType();
  return verifyStep(*this, getParam(), {getGrad(), getExpAvg()},
                    {{getGradScale(), "grad_scale"},
                     {getLr(), "lr"},
                     {getBeta1(), "beta1"},
                     {getBeta2(), "beta2"},
                     {getEps(), "eps"},
                     {getWeightDecay(), "weight_decay"},
                     {getStep(), "step"}});
}

LogicalResult SgdOp::verify() {
  return verifyStep(*this, getParam(), {getGrad()},
                    {{getGradScale(), "grad_scale"},
                     {getLr(), "lr"},
                     {getWeightDecay(), "weight_decay"}});
}

LogicalResult SumOfSquaresOp::verify() {
  return verifyScalar(*this, getResult(), "result");
}

//===----------------------------------------------------------------------===//
// Random bits for rounding
//===----------------------------------------------------------------------===//

int64_t MemberAttr::getNumElements() const {
  return ShapedType::getNumElements(getShape().asArrayRef());
}

LogicalResult
MemberAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   int64_t id, int64_t start, DenseI64ArrayAttr shape,
                   DenseI64ArrayAttr whole, DenseI64ArrayAttr origins) {
  if (id < 0 || start < 0)
    return emitError() << "has id " << id << " and start " << start
                       << ", one of which is negative";
  if (shape.size() != whole.size())
    return emitError() << "has a shard of rank " << shape.size()
                       << ", but the whole tensor has rank " << whole.size();
  auto isExtent = [](int64_t extent) { return extent >= 1; };
  if (!llvm::all_of(shape.asArrayRef(), isExtent) ||
      !llvm::all_of(whole.asArrayRef(), isExtent))
    return emitError() << "has an extent that is not positive";
  if (!origins || origins.empty())
    return success();
  if (origins.size() != shape.size())
    return emitError() << "has " << origins.size() << " origins for "
                       << shape.size() << " dims";
  for (int64_t origin : origins.asArrayRef())
    if (origin < -1)
      return emitError() << "has origin " << origin << ", less than -1";
  return success();
}

SmallVector<MemberAttr> RoundingBitsOp::getMemberList() {
  return llvm::to_vector(getMembers().getAsRange<MemberAttr>());
}

LogicalResult RoundingBitsOp::verify() {
  if (failed(verifyScalar(*this, getSeed(), "seed")) ||
      failed(verifyScalar(*this, getStep(), "step")))
    return failure();
  for (Value origin : getOrigins())
    if (failed(verifyScalar(*this, origin, "origins")))
      return failure();
  int64_t count = getOrigins().size();
  auto isEntry = [&](int64_t origin) { return origin >= 0 && origin < count; };
  if (getPosition() && !isEntry(*getPosition()))
    return emitOpError() << "begins at origin " << *getPosition() << " of "
                         << count;
  if (getMembers().empty())
    return emitOpError("has no members");
  int64_t end = 0;
  for (auto [i, member] : llvm::enumerate(getMemberList())) {
    int64_t start = member.getStart();
    if (i ? start < end : start != 0)
      return emitOpError() << "has member " << i << " at element " << start
                           << (i ? ", which overlaps the one before"
                                 : ", but the first starts at 0");
    end = start + member.getNumElements();
    for (unsigned dim = 0, rank = member.getShape().size(); dim < rank; ++dim)
      if (int64_t origin = member.getOrigin(dim);
          origin != -1 && !isEntry(origin))
        return emitOpError() << "has member " << i << " with origin " << origin
                             << " of " << count;
  }
  if (int64_t elements = getResult().getType().getNumElements();
      !getPosition() && elements < end)
    return emitOpError() << "has " << elements << " elements, but its members "
                         << end;
  return success();
}
