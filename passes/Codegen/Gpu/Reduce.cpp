//===- Reduce.cpp - Reductions over the threads of a thread group ---------===//
//
// The order of all combinations depends on the layout only, so a sum has the
// same bits in every run. Lanes of a warp exchange values over distances of 16,
// 8, 4, 2 and 1; since combining ops commute, all lanes end with the same bits.
// The warps of a block store their results in shared memory, and each warp
// reduces all of them.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Gpu/DeviceEmitter.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

Operation *codegen::combinerOf(linalg::GenericOp op, unsigned out) {
  Value old = op.getRegionOutputArgs()[out];
  Operation *joining =
      op.getBody()->getTerminator()->getOperand(out).getDefiningOp();
  bool isPlain = joining && joining->getNumOperands() == 2 &&
                 joining->getOperand(0) == old && old.hasOneUse();
  return isPlain ? joining : nullptr;
}

bool codegen::isNeutral(Operation *joining, Value value) {
  if (isa<arith::AddFOp>(joining))
    return matchPattern(value, m_AnyZeroFloat());
  if (isa<arith::MulFOp>(joining))
    return matchPattern(value, m_OneFloat());
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(joining))
    return matchPattern(value, m_NegInfFloat());
  if (isa<arith::MinimumFOp>(joining))
    return matchPattern(value, m_PosInfFloat());
  IntegerAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  APInt bits = constant.getValue();
  if (isa<arith::AddIOp>(joining))
    return bits.isZero();
  if (isa<arith::MulIOp>(joining))
    return bits.isOne();
  if (isa<arith::MaxSIOp>(joining))
    return bits.isMinSignedValue();
  if (isa<arith::MaxUIOp>(joining))
    return bits.isMinValue();
  if (isa<arith::MinUIOp>(joining))
    return bits.isMaxValue();
  return isa<arith::MinSIOp>(joining) && bits.isMaxSignedValue();
}

Value DeviceEmitter::join(Operation *joining, Value a, Value other) {
  IRMapping operands;
  operands.map(joining->getOperand(0), a);
  operands.map(joining->getOperand(1), other);
  Operation *joined = b.clone(*joining, operands);
  // All lanes must combine in the same order: with reassociation, lanes could
  // end with different bits.
  auto flags = dyn_cast<arith::ArithFastMathInterface>(joined);
  if (flags && joined->hasAttr(flags.getFastMathAttrName())) {
    auto kept = bitEnumClear(flags.getFastMathFlagsAttr().getValue(),
                             arith::FastMathFlags::reassoc);
    joined->setAttr(flags.getFastMathAttrName(),
                    arith::FastMathFlagsAttr::get(b.getContext(), kept));
  }
  return joined->getResult(0);
}

/// Exchanges a value of any width by shuffles of 32 bits.
Value DeviceEmitter::shuffle(Value value, int64_t distance) {
  auto exchange = [&](Value bits) -> Value {
    return gpu::ShuffleOp::create(b, bits, distance, kWarp,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type type = value.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  if (type.isF32() || type.isInteger(32))
    return exchange(value);
  unsigned width = type.getIntOrFloatBitWidth();
  Type plain = b.getIntegerType(width);
  Value bits =
      type == plain ? value : Value(arith::BitcastOp::create(b, plain, value));
  if (width < 32) {
    bits = arith::ExtUIOp::create(b, i32, bits);
    bits = arith::TruncIOp::create(b, plain, exchange(bits));
  } else {
    Value half = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    Value low = arith::TruncIOp::create(b, i32, bits);
    Value high =
        arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, bits, half));
    low = arith::ExtUIOp::create(b, i64, exchange(low));
    high = arith::ExtUIOp::create(b, i64, exchange(high));
    bits = arith::OrIOp::create(b, low, arith::ShLIOp::create(b, high, half));
  }
  return type == plain ? bits : Value(arith::BitcastOp::create(b, type, bits));
}

Value DeviceEmitter::reduceLanes(Operation *joining, Value value,
                                 int64_t threads) {
  for (int64_t distance = threads / 2; distance; distance /= 2)
    value = join(joining, value, shuffle(value, distance));
  return value;
}

void DeviceEmitter::reduceGroup(ArrayRef<Operation *> joining,
                                MutableArrayRef<Value> values) {
  for (auto [op, value] : llvm::zip(joining, values))
    value = reduceLanes(op, value, std::min(layout.threads, kWarp));
  if (layout.isWarp())
    return;
  int64_t warps = layout.threads / kWarp;
  Value inWarp = arith::RemUIOp::create(b, thread, index(kWarp));
  Value warp = arith::DivUIOp::create(b, thread, index(kWarp));
  SmallVector<Value> places;
  for (Value value : values)
    places.push_back(
        allocateShared(value.getType(), warps, /*isPerGroup=*/false));
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inWarp, index(0));
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    for (auto [value, place] : llvm::zip(values, places))
      memref::StoreOp::create(b, value, place, ValueRange{warp});
  }
  wait();
  Value other = arith::RemUIOp::create(b, inWarp, index(warps));
  for (auto [op, value, place] : llvm::zip(joining, values, places)) {
    value = memref::LoadOp::create(b, place, ValueRange{other});
    value = reduceLanes(op, value, warps);
  }
}

DeviceEmitter::Held DeviceEmitter::heldBy(ArrayRef<Value> sums) {
  Held values;
  for (Value sum : sums)
    llvm::append_range(values, held[sum]);
  return values;
}

void DeviceEmitter::hold(ArrayRef<Value> sums, ValueRange values) {
  for (Value sum : sums) {
    Held &mine = held[sum];
    size_t width = mine.size();
    mine.assign(values.begin(), values.begin() + width);
    values = values.drop_front(width);
  }
}

FailureOr<scf::ForOp> DeviceEmitter::emitSums(scf::ForOp loop, Value first,
                                              int64_t step,
                                              ArrayRef<Value> sums) {
  Held start = heldBy(sums);
  for (Value value : start)
    if (!matchPattern(value, m_AnyZeroFloat()))
      return loop.emitError("the initial value of a sum of rows is not zero");
  auto emitted = scf::ForOp::create(b, first, map.lookup(loop.getUpperBound()),
                                    index(step), start);
  map.map(loop.getInductionVar(), emitted.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(emitted.getBody());
    hold(sums, emitted.getRegionIterArgs());
    if (failed(emitBody(*loop.getBody())))
      return failure();
    scf::YieldOp::create(b, heldBy(sums));
  }
  hold(sums, emitted.getResults());
  return emitted;
}

/// All threads of a group process one row after another; each thread has its
/// own columns.
LogicalResult DeviceEmitter::emitGroup(scf::ForOp loop) {
  llvm::SetVector<Value> sums;
  for (auto op : loop.getOps<linalg::GenericOp>())
    for (Value out : op.getOutputs())
      if (Value buffer = sliceOf(out).buffer; held.contains(buffer))
        sums.insert(buffer);
  hasWaited = false;
  auto emitted = emitSums(loop, index(0), 1, sums.getArrayRef());
  if (failed(emitted))
    return failure();
  if (hasWaited) {
    // A thread may write for the next row what others read for this one.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(emitted->getBody()->getTerminator());
    wait();
  }
  return success();
}

/// Splits the rows among the slices of a block, whose number is a power of two.
/// Their partial sums are added by halves: slice s adds the sums of slice s +
/// half.
LogicalResult DeviceEmitter::emitColumnSum(scf::ForOp loop) {
  SmallVector<Value> sums;
  for (auto op : loop.getOps<linalg::GenericOp>())
    for (Value out : op.getOutputs())
      sums.push_back(sliceOf(out).buffer);
  if (failed(emitSums(loop, slice, layout.slices, sums)))
    return failure();

  // Each column has its own array; slice s of the column is at s * threads +
  // lane.
  Held places;
  for (Value value : heldBy(sums)) {
    places.push_back(
        allocateShared(value.getType(), layout.threads * layout.slices, false));
    memref::StoreOp::create(b, value, places.back(), ValueRange{thread});
  }
  wait();
  auto read = [&](Value place, Value at) -> Value {
    return memref::LoadOp::create(b, place, ValueRange{at});
  };
  auto halves = scf::ForOp::create(
      b, index(0), index(llvm::Log2_64(layout.slices)), index(1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(halves.getBody());
    Value half = arith::ShRUIOp::create(b, index(layout.slices / 2),
                                        halves.getInductionVar());
    Value isMine =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, slice, half);
    auto branch = scf::IfOp::create(b, isMine, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(branch.thenBlock());
      Value skipped = arith::MulIOp::create(b, half, index(layout.threads));
      Value other = arith::AddIOp::create(b, thread, skipped);
      for (Value place : places) {
        Value sum =
            arith::AddFOp::create(b, read(place, thread), read(place, other));
        memref::StoreOp::create(b, sum, place, ValueRange{thread});
      }
    }
    wait();
  }
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, slice, index(0));
  auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Held added;
  for (Value place : places)
    added.push_back(read(place, lane));
  hold(sums, added);
  return success();
}
