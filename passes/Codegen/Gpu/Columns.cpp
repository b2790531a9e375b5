//===- Columns.cpp - Code of a thread for some columns --------------------===//
//
// Emits the body of a pass over a row, for columns that one access reads or
// writes. A condition that all of them share is tested once. In a loss, one
// class of a row is the target:
//
//     %isHit = arith.cmpi eq, %number, %target       number = column + offset
//     %hit = arith.select %isHit, %one, %zero
//
// The test is done once for all columns of an access. The ops that depend on it
// are emitted twice: with the comparisons of each column and, for nearly all
// accesses, without any:
//
//     if (target - number of the first < count)  p[k] - (target - number == k)
//     else                                       p[k]
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Gpu/DeviceEmitter.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Whether an op compares a column with a constant bound that no column below
/// `end` reaches.
static bool isBelow(Operation *op, int64_t end) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !end ||
      (compare.getPredicate() != arith::CmpIPredicate::slt &&
       compare.getPredicate() != arith::CmpIPredicate::ult))
    return false;
  Value column = compare.getLhs();
  if (auto cast = column.getDefiningOp<arith::IndexCastOp>())
    column = cast.getIn();
  APInt bound;
  return column.getDefiningOp<linalg::IndexOp>() &&
         matchPattern(compare.getRhs(), m_ConstantInt(&bound)) &&
         bound.getSExtValue() >= end;
}

/// Whether a float, or a value computed from it by arithmetic, is only used
/// after truncation to at most 16 bits.
static bool isRounded(Value value) {
  llvm::SetVector<Value> made;
  made.insert(value);
  for (size_t i = 0; i < made.size(); ++i)
    for (Operation *user : made[i].getUsers()) {
      if (isa<arith::TruncFOp>(user) &&
          user->getResult(0).getType().getIntOrFloatBitWidth() <= 16)
        continue;
      if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
               arith::NegFOp, arith::SelectOp>(user))
        return false;
      made.insert(user->getResult(0));
    }
  return true;
}

/// The target comparison of a pass's body. It compares a number that increases
/// by one from column to column with a value that is the same for all columns.
/// `depending` are the ops that depend on its result.
struct codegen::TargetCompare {
  arith::CmpIOp op;
  Value number, target;
  llvm::SmallPtrSet<Operation *, 8> depending;

  explicit TargetCompare(linalg::GenericOp rowPass);
  bool concerns(Operation *inner) const {
    return inner == op || depending.contains(inner);
  }
};

/// Whether a value of the body is the same for all columns.
static bool isColumnInvariant(linalg::GenericOp rowPass, Value value) {
  if (!rowPass.getRegion().isAncestor(value.getParentRegion()))
    return true;
  auto argument = dyn_cast<BlockArgument>(value);
  return argument &&
         !isa<MemRefType>(
             rowPass.getMatchingOpOperand(argument)->get().getType());
}

/// Whether a value of the body increases by one from column to column.
static bool increasesByOne(linalg::GenericOp rowPass, Value value) {
  Operation *made = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<arith::IndexCastOp>(made))
    return increasesByOne(rowPass, cast.getIn());
  if (auto sum = dyn_cast_or_null<arith::AddIOp>(made))
    return (increasesByOne(rowPass, sum.getLhs()) &&
            isColumnInvariant(rowPass, sum.getRhs())) ||
           (increasesByOne(rowPass, sum.getRhs()) &&
            isColumnInvariant(rowPass, sum.getLhs()));
  return isa_and_nonnull<linalg::IndexOp>(made);
}

TargetCompare::TargetCompare(linalg::GenericOp rowPass) {
  for (Operation &inner : rowPass.getBody()->without_terminator()) {
    if (op) {
      if (llvm::any_of(inner.getOperands(), [&](Value operand) {
            Operation *made = operand.getDefiningOp();
            return made && concerns(made);
          }))
        depending.insert(&inner);
      continue;
    }
    auto compare = dyn_cast<arith::CmpIOp>(inner);
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
      continue;
    number = compare.getLhs();
    target = compare.getRhs();
    if (!increasesByOne(rowPass, number))
      std::swap(number, target);
    if (increasesByOne(rowPass, number) && isColumnInvariant(rowPass, target))
      op = compare;
  }
}

void DeviceEmitter::emitScalar(Operation &inner, IRMapping &local,
                               Value column) {
  // Values that are rounded to 16 bits, and the terms of a running sum, need
  // not be as exact as libdevice's functions.
  Value made;
  if (isa<linalg::IndexOp>(inner))
    made = column;
  else if (isBelow(&inner, columnsEnd))
    made = arith::ConstantOp::create(b, b.getBoolAttr(true));
  else if (auto exp = dyn_cast<math::ExpOp>(inner);
           exp && exp.getType().isF32() &&
           ((subtracted && differenceIn(exp, subtracted)) || isRounded(exp)))
    made = emitExp(local.lookupOrDefault(exp.getOperand()));
  if (made) {
    local.map(inner.getResult(0), made);
    return;
  }
  Operation *clone = b.clone(inner, local);
  // Only reciprocals are approximated: other quotients would be wrong if the
  // divisor's reciprocal is infinite.
  if (auto quotient = dyn_cast<arith::DivFOp>(clone);
      quotient && quotient.getType().isF32() &&
      matchPattern(quotient.getLhs(), m_OneFloat()) &&
      isRounded(inner.getResult(0)))
    quotient.setFastmath(quotient.getFastmath() | arith::FastMathFlags::afn);
}

void DeviceEmitter::emitTargetOps(linalg::GenericOp op,
                                  const TargetCompare &question,
                                  MutableArrayRef<IRMapping> locals) {
  Value first = locals.front().lookupOrDefault(question.number);
  Value target = locals.front().lookupOrDefault(question.target);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b,
                                     b.getIntegerAttr(first.getType(), value));
  };
  Value distance = arith::SubIOp::create(b, target, first);
  Value isNear = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, distance,
                                       number(locals.size()));
  SmallVector<Value> wanted;
  for (Value result : op.getBody()->getTerminator()->getOperands())
    if (Operation *made = result.getDefiningOp();
        made && question.concerns(made) && !llvm::is_contained(wanted, result))
      wanted.push_back(result);
  SmallVector<Operation *> joining;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    joining.push_back(combinerOf(op, i));
  SmallVector<Type> types;
  for (Value result : wanted)
    types.append(locals.size(), result.getType());
  auto branch = scf::IfOp::create(b, types, isNear, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  auto emit = [&](Block *block, bool mayBe) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(block);
    SmallVector<Value> values(types.size());
    for (auto [k, known] : llvm::enumerate(locals)) {
      IRMapping local(known);
      local.map(
          question.op->getResult(0),
          mayBe ? Value(arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                              distance, number(k)))
                : Value(arith::ConstantOp::create(b, b.getBoolAttr(false))));
      for (Operation &inner : op.getBody()->without_terminator()) {
        if (!question.depending.contains(&inner))
          continue;
        auto select = dyn_cast<arith::SelectOp>(inner);
        if (!mayBe && select &&
            question.op->getResult(0) == select.getCondition()) {
          local.map(select.getResult(),
                    local.lookupOrDefault(select.getFalseValue()));
          continue;
        }
        // Drops additions of zero, which only change -0.0. No final sum is
        // -0.0, because one of its accumulators begins with +0.0.
        if (llvm::is_contained(joining, &inner) && isa<arith::AddFOp>(inner) &&
            matchPattern(local.lookupOrDefault(inner.getOperand(1)),
                         m_AnyZeroFloat())) {
          local.map(inner.getResult(0),
                    local.lookupOrDefault(inner.getOperand(0)));
          continue;
        }
        emitScalar(inner, local, /*column=*/nullptr);
      }
      for (auto [i, result] : llvm::enumerate(wanted))
        values[i * locals.size() + k] = local.lookup(result);
    }
    scf::YieldOp::create(b, values);
  };
  emit(branch.thenBlock(), true);
  emit(branch.elseBlock(), false);
  for (auto [i, result] : llvm::enumerate(wanted))
    for (auto [k, local] : llvm::enumerate(locals))
      local.map(result, branch.getResult(i * locals.size() + k));
}

DeviceEmitter::Held DeviceEmitter::emitColumns(linalg::GenericOp op,
                                               Value column, int64_t count,
                                               int64_t width, ValueRange before,
                                               int64_t step) {
  SmallVector<SmallVector<Value>> operands;
  Held after(before.begin(), before.end());
  unsigned heldOuts = 0;
  SmallVector<int> placeInHeld;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    auto type = dyn_cast<MemRefType>(value.getType());
    auto it = held.find(sliceOf(value).buffer);
    bool isHeld = type && it != held.end();
    bool isOut = op.isDpsInit(&operand);
    if (isOut)
      placeInHeld.push_back(isHeld ? int(heldOuts++ * width) : -1);
    SmallVector<Value> elements(count);
    if (argument.use_empty()) {
    } else if (!type) {
      elements.assign(count, map.lookup(value));
    } else if (isHeld && isOut) {
      elements.assign(before.begin() + placeInHeld.back(),
                      before.begin() + placeInHeld.back() + count);
    } else if (isHeld) {
      auto mine = it->second.begin() + step * width;
      elements.assign(mine, mine + count);
    } else {
      elements = loadIfUsed(op, operand, column, count);
    }
    operands.push_back(elements);
  }
  const TargetCompare question(op);
  SmallVector<IRMapping> locals;
  for (int64_t i = 0; i < count; ++i) {
    IRMapping &local = locals.emplace_back(map);
    for (auto [argument, elements] :
         llvm::zip(op.getBody()->getArguments(), operands))
      if (elements[i])
        local.map(argument, elements[i]);
    Value number =
        i ? Value(arith::AddIOp::create(b, column, index(i))) : column;
    for (Operation &inner : op.getBody()->without_terminator())
      if (count == 1 || !question.concerns(&inner))
        emitScalar(inner, local, number);
  }
  if (count > 1 && question.op)
    emitTargetOps(op, question, locals);
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  for (const IRMapping &local : locals)
    for (auto [values, result] :
         llvm::zip(results, op.getBody()->getTerminator()->getOperands()))
      values.push_back(local.lookupOrDefault(result));
  for (auto [values, out, place] :
       llvm::zip(results, op.getDpsInitsMutable(), placeInHeld)) {
    if (place < 0)
      store(values, out, column);
    else
      std::copy(values.begin(), values.end(), after.begin() + place);
  }
  return after;
}
