//===- Symbols.cpp - Uses of parameters and state -------------------------===//

#include "dialects/NN/NN.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pcc::nn;

/// Checks that `symbol` names a param or state of the value's shape, and of
/// its element type unless `anyElement`.
static LogicalResult verifyUse(Operation *op, FlatSymbolRefAttr symbol,
                               Type type, SymbolTableCollection &tables,
                               bool anyElement = false) {
  Operation *target = tables.lookupNearestSymbolFrom(op, symbol);
  if (!target)
    return op->emitOpError() << "names " << symbol << ", which does not exist";
  Type declared;
  if (auto param = dyn_cast<ParamOp>(target))
    declared = param.getType();
  else if (auto state = dyn_cast<StateOp>(target))
    declared = state.getType();
  else
    return op->emitOpError()
           << "names " << symbol << ", which is neither nn.param nor nn.state";
  auto shaped = cast<RankedTensorType>(type);
  auto declaredShape = cast<RankedTensorType>(declared);
  bool fits = anyElement ? shaped.getShape() == declaredShape.getShape()
                         : shaped == declaredShape;
  if (fits)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "uses " << symbol << " as " << type;
  diag.attachNote(target->getLoc()) << "it is declared as " << declared;
  return diag;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyUse(*this, getSymbolAttr(), getType(), tables);
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &tables) {
  return verifyUse(*this, getSymbolAttr(), getValue().getType(), tables);
}

LogicalResult AccumulateOp::verifySymbolUses(SymbolTableCollection &tables) {
  Type type = getValue().getType();
  if (failed(verifyUse(*this, getSymbolAttr(), type, tables,
                       /*anyElement=*/true)))
    return failure();
  auto state =
      dyn_cast<StateOp>(tables.lookupNearestSymbolFrom(*this, getSymbolAttr()));
  if (!state)
    return emitOpError() << "adds to " << getSymbolAttr()
                         << ", which is not a state";
  Type from = getElementTypeOrSelf(type),
       to = state.getTensorType().getElementType();
  if (from == to)
    return success();
  auto narrow = dyn_cast<FloatType>(from), wide = dyn_cast<FloatType>(to);
  if (narrow && wide && narrow.getWidth() < wide.getWidth())
    return success();
  return emitOpError() << "adds " << from << " to a state of " << to
                       << ", which is not wider";
}

/// Checks a bucket's members and their offsets, one by one.
static LogicalResult verifyMembers(StateOp bucket,
                                   SymbolTableCollection &tables) {
  auto members = bucket.getMembersAttr();
  auto offsets = bucket.getOffsetsAttr();
  if (bucket.getKind() != StateKind::Bucket)
    return members || offsets
               ? bucket.emitOpError("has members, but is not a bucket")
               : success();
  if (!members || !offsets || members.empty() ||
      members.size() != size_t(offsets.size()) || bucket.getOfAttr())
    return bucket.emitOpError(
        "is a bucket, which needs members, an offset for each, and no 'of'");
  for (auto member : members.getAsRange<FlatSymbolRefAttr>()) {
    Operation *op = tables.lookupNearestSymbolFrom(bucket, member);
    auto state = dyn_cast_or_null<StateOp>(op);
    auto param = dyn_cast_or_null<ParamOp>(op);
    if (!param && (!state || state.getKind() == StateKind::Bucket ||
                   state.getKind() == StateKind::Part))
      return bucket.emitOpError() << "has the member " << member
                                  << ", which is neither a parameter nor a "
                                     "state with its own memory";
    RankedTensorType type =
        param ? param.getTensorType() : state.getTensorType();
    if (type.getElementType() != bucket.getTensorType().getElementType())
      return bucket.emitOpError()
             << "has the member " << member << " of " << type
             << " in a bucket of " << bucket.getTensorType().getElementType();
  }
  return success();
}

/// Checks a shard of a bucket.
static LogicalResult verifyPart(StateOp part, SymbolTableCollection &tables) {
  auto row =
      part.getOfAttr()
          ? tables.lookupNearestSymbolFrom<StateOp>(part, part.getOfAttr())
          : StateOp();
  if (!row || row.getKind() != StateKind::Bucket || part.getFirstAttr())
    return part.emitOpError(
        "is a shard, which needs 'of' with a bucket, and no 'first'");
  RankedTensorType own = part.getTensorType(), whole = row.getTensorType();
  if (own.getRank() == 2 && whole.getRank() == 2 &&
      own.getElementType() == whole.getElementType())
    return success();
  InFlightDiagnostic diag = part.emitOpError()
                            << "is " << own << ", not a shard of the bucket "
                            << part.getOfAttr();
  diag.attachNote(row.getLoc()) << "it is declared as " << whole;
  return diag;
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (failed(verifyMembers(*this, tables)))
    return failure();
  if (getKind() == StateKind::Part)
    return verifyPart(*this, tables);
  bool isNumber = getKind() == StateKind::Number;
  if (isNumber && (getOfAttr() || getTensorType().getRank() != 0))
    return emitOpError("is a number, which needs rank 0 and no 'of'");
  if (getFirstAttr() && !isNumber)
    return emitOpError("has a 'first' value, but is not a number");
  if (!getOfAttr()) {
    if (getKind() == StateKind::Copy)
      return emitOpError("is a copy, which needs 'of' with a parameter");
    return success();
  }
  if (getKind() == StateKind::Gradient) {
    auto row = tables.lookupNearestSymbolFrom<StateOp>(*this, getOfAttr());
    if (row && row.getKind() == StateKind::Bucket)
      return success();
  }
  auto param = tables.lookupNearestSymbolFrom<ParamOp>(*this, getOfAttr());
  if (!param)
    return emitOpError() << "belongs to " << getOfAttr()
                         << ", which is not a parameter";
  if (getKind() != StateKind::Copy)
    return success();
  RankedTensorType own = getTensorType(), whole = param.getTensorType();
  auto narrow = dyn_cast<FloatType>(own.getElementType()),
       wide = dyn_cast<FloatType>(whole.getElementType());
  if (own.getShape() == whole.getShape() && narrow && wide &&
      narrow.getWidth() <= wide.getWidth())
    return success();
  InFlightDiagnostic diag = emitOpError() << "is " << own << ", not a copy of "
                                          << getOfAttr();
  diag.attachNote(param.getLoc()) << "it is declared as " << whole;
  return diag;
}
