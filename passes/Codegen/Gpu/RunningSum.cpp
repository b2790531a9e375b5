//===- RunningSum.cpp - Sums of exponentials by one sweep -----------------===//

#include "passes/Codegen/Gpu/RunningSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Codegen/Gpu/DeviceEmitter.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Accesses of each operand that a thread has under way at a time.
static constexpr int64_t kAccesses = 4;

/// Whether a sweep of a known number of columns writes nothing but numbers that
/// belong to the unit, each joined by its body's last op.
static bool onlyReduces(linalg::GenericOp op) {
  if (op.getNumLoops() != 1 || !op.getNumReductionLoops())
    return false;
  for (Value operand : op.getDpsInputs())
    if (auto type = dyn_cast<MemRefType>(operand.getType());
        type && !type.hasStaticShape())
      return false;
  for (auto [i, out] : llvm::enumerate(op.getOutputs()))
    if (!out.getDefiningOp<memref::AllocaOp>() ||
        cast<MemRefType>(out.getType()).getRank() || !joiningOp(op, i))
      return false;
  return true;
}

Operation *codegen::differenceIn(Operation *power, Value subtracted) {
  auto exp = dyn_cast_or_null<math::ExpOp>(power);
  auto difference =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : nullptr;
  return difference && difference.getRhs() == subtracted ? difference : nullptr;
}

/// The op that makes x - highest, if a sum's element is exp of that or, by
/// selects, zero.
static Operation *differenceOf(Value term, Value highest) {
  while (auto select = term.getDefiningOp<arith::SelectOp>()) {
    bool isElse = matchPattern(select.getTrueValue(), m_AnyZeroFloat());
    if (!isElse && !matchPattern(select.getFalseValue(), m_AnyZeroFloat()))
      return nullptr;
    term = isElse ? select.getFalseValue() : select.getTrueValue();
  }
  Operation *difference = differenceIn(term.getDefiningOp(), highest);
  return difference && difference->getOperand(0) != highest ? difference
                                                            : nullptr;
}

/// Whether a sweep sums up exponentials from which a number is subtracted, and
/// has no other use for that.
static bool sumsPowers(linalg::GenericOp sum, Value highest) {
  llvm::SmallPtrSet<Operation *, 2> differences;
  for (unsigned i = 0; i < sum.getNumDpsInits(); ++i) {
    Operation *joining = joiningOp(sum, i);
    Operation *difference = isa<arith::AddFOp>(joining)
                                ? differenceOf(joining->getOperand(1), highest)
                                : nullptr;
    if (!difference)
      return false;
    differences.insert(difference);
  }
  return llvm::all_of(highest.getUsers(), [&](Operation *user) {
    return !sum->isProperAncestor(user) || differences.contains(user);
  });
}

/// Whether all that one sweep reads of rows the other reads, too.
static bool readsRowsOf(linalg::GenericOp sum, linalg::GenericOp max) {
  return llvm::all_of(sum.getDpsInputs(), [&](Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    Slice slice = sliceOf(operand);
    return type && llvm::any_of(max.getDpsInputs(), [&](Value other) {
             Slice row = sliceOf(other);
             return other.getType() == type && row.buffer == slice.buffer &&
                    row.offset == slice.offset;
           });
  });
}

/// Whether a sweep may be made with a later one: what lies between them takes
/// nothing of it, and writes to nothing but what is the unit's own; the later
/// one takes the highest element alone.
static bool mayWait(linalg::GenericOp max, linalg::GenericOp sum,
                    Value highest) {
  llvm::SmallPtrSet<Operation *, 4> waiting;
  for (Operation *op = max->getNextNode(); op != sum; op = op->getNextNode()) {
    if (op->getNumRegions())
      return false;
    for (Value operand : op->getOperands())
      if (waiting.contains(operand.getDefiningOp()))
        return false;
    if (auto store = dyn_cast<memref::StoreOp>(op);
        store && (!store.getMemRef().getDefiningOp<memref::AllocaOp>() ||
                  llvm::is_contained(max.getOutputs(), store.getMemRef())))
      return false;
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && llvm::is_contained(max.getOutputs(), load.getMemRef()))
      waiting.insert(op);
  }
  return llvm::none_of(waiting, [&](Operation *load) {
    return load != highest.getDefiningOp() &&
           llvm::any_of(load->getUsers(),
                        [&](Operation *user) { return sum->isAncestor(user); });
  });
}

static std::optional<RunningSum> findSumOf(linalg::GenericOp max) {
  if (!onlyReduces(max))
    return std::nullopt;
  // The next sweep.
  Operation *next = max->getNextNode();
  while (next && !isa<linalg::GenericOp>(next))
    next = next->getNextNode();
  auto sum = dyn_cast_or_null<linalg::GenericOp>(next);
  if (!sum || !onlyReduces(sum) || !readsRowsOf(sum, max))
    return std::nullopt;
  for (auto [i, out] : llvm::enumerate(max.getOutputs())) {
    if (!isa<arith::MaxNumFOp>(joiningOp(max, i)) ||
        !cast<MemRefType>(out.getType()).getElementType().isF32())
      continue;
    for (Operation *user : out.getUsers())
      if (auto load = dyn_cast<memref::LoadOp>(user);
          load && load->getBlock() == sum->getBlock() &&
          max->isBeforeInBlock(load) && load->isBeforeInBlock(sum) &&
          sumsPowers(sum, load) && mayWait(max, sum, load))
        return RunningSum{max, sum, unsigned(i), load};
  }
  return std::nullopt;
}

SmallVector<RunningSum> codegen::findRunningSums(Block &unit) {
  SmallVector<RunningSum> found;
  for (auto max : unit.getOps<linalg::GenericOp>())
    if (found.empty() || found.back().sum != max)
      if (auto sum = findSumOf(max))
        found.push_back(*sum);
  return found;
}

Value DeviceEmitter::powerOf(Value x) {
  Value log2e = arith::ConstantOp::create(
      b, b.getF32FloatAttr(float(llvm::numbers::log2e)));
  return math::Exp2Op::create(b, arith::MulFOp::create(b, x, log2e));
}

namespace {
/// What a thread has of two sweeps.
struct Partial {
  /// Of each of their reductions a number.
  SmallVector<Value> max, sum;
  /// What was subtracted from all that is in `sum`; finite.
  Value shift;

  SmallVector<Value> all() const {
    SmallVector<Value> values(max);
    llvm::append_range(values, sum);
    values.push_back(shift);
    return values;
  }
  /// The same of other values.
  Partial like(ValueRange values) const {
    return {SmallVector<Value>(values.take_front(max.size())),
            SmallVector<Value>(values.slice(max.size(), sum.size())),
            values.back()};
  }
};
} // namespace

void DeviceEmitter::takeColumns(linalg::GenericOp op, ArrayRef<Value> firsts,
                                int64_t count, int64_t width,
                                MutableArrayRef<Value> numbers) {
  // Of each reduction `count` chains, which are as many instructions under way.
  Held chains;
  for (auto [i, out] : llvm::enumerate(op.getOutputs())) {
    Value neutral = held[out].front();
    // To this adding is folded.
    if (isa<arith::AddFOp>(joiningOp(op, i)))
      neutral =
          arith::ConstantOp::create(b, b.getFloatAttr(neutral.getType(), -0.0));
    chains.push_back(numbers[i]);
    chains.append(width - 1, neutral);
  }
  loadAhead(op, firsts, count);
  for (Value first : firsts)
    chains = emitColumns(op, first, count, width, chains, 0);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    MutableArrayRef<Value> mine(&chains[i * width], count);
    for (int64_t half = count / 2; half; half /= 2)
      for (int64_t k = 0; k < half; ++k)
        mine[k] = join(joiningOp(op, i), mine[k], mine[k + half]);
    number = mine.front();
  }
}

LogicalResult DeviceEmitter::emitRunningSum(const RunningSum &running) {
  linalg::GenericOp max = running.max, sum = running.sum;
  unsigned place = running.place;
  Columns columns{columnsOf(max, limits), 0, nullptr, false};
  int64_t width = columns.width = layout.widths.at(columns.key);
  if (failed(checkHazards(max, columns)))
    return failure();
  for (linalg::GenericOp op : {max, sum})
    for (auto [i, out] : llvm::enumerate(op.getOutputs()))
      if (!isNeutral(joiningOp(op, i), held[out].front()))
        return op.emitError(
            "begins a reduction with what counts in each thread");
  // A thread that has seen nothing, or -inf alone, subtracts a number, too.
  Value lowest = arith::ConstantOp::create(b, b.getF32FloatAttr(kLowest));
  auto finite = [&](Value x) { return arith::MaxNumFOp::create(b, x, lowest); };
  auto scale = [&](SmallVector<Value> &sums, Value from, Value to) {
    Value factor = powerOf(arith::SubFOp::create(b, from, to));
    for (Value &x : sums)
      x = arith::MulFOp::create(b, x, factor);
  };

  // `count` columns from each of some on, all below `end`.
  auto take = [&](ArrayRef<Value> firsts, int64_t count, int64_t end,
                  Partial now) {
    columnsEnd = end;
    keepsLoads = true;
    takeColumns(max, firsts, count, width, now.max);
    Value shift = finite(now.max[place]);
    scale(now.sum, now.shift, shift);
    now.shift = shift;
    map.map(running.highest, shift);
    subtracted = running.highest;
    takeColumns(sum, firsts, count, width, now.sum);
    subtracted = nullptr;
    columnsEnd = 0;
    keepsLoads = false;
    loaded.clear();
    return now;
  };
  auto takeIf = [&](Value isMine, Value first, int64_t count, Partial now) {
    SmallVector<Value> before = now.all();
    SmallVector<Type> types(ValueRange(before).getTypes());
    auto branch = scf::IfOp::create(b, types, isMine, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, take(first, count, columns.key.most, now).all());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, before);
    return now.like(branch.getResults());
  };

  int64_t most = columns.key.most, perStep = layout.threads * width;
  int64_t rest = most % width, steps = most / perStep;
  int64_t rounds = steps / kAccesses, perRound = kAccesses * perStep;
  Value first = layout.threads > 1
                    ? Value(arith::MulIOp::create(b, lane, index(width)))
                    : index(0);
  auto columnsFrom = [&](Value from, int64_t count) {
    SmallVector<Value> firsts;
    for (int64_t i = 0; i < count; ++i)
      firsts.push_back(arith::AddIOp::create(b, from, index(i * perStep)));
    return firsts;
  };
  Partial now;
  now.shift = lowest;
  for (Value out : max.getOutputs())
    now.max.push_back(held[out].front());
  for (Value out : sum.getOutputs())
    now.sum.push_back(held[out].front());
  if (rounds) {
    auto loop = scf::ForOp::create(b, index(0), index(rounds * perRound),
                                   index(perRound), now.all());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value from = arith::AddIOp::create(b, first, loop.getInductionVar());
    Partial after = take(columnsFrom(from, kAccesses), width, rounds * perRound,
                         now.like(loop.getRegionIterArgs()));
    scf::YieldOp::create(b, after.all());
    now = now.like(loop.getResults());
  }
  if (steps % kAccesses) {
    Value from = arith::AddIOp::create(b, first, index(rounds * perRound));
    now =
        take(columnsFrom(from, steps % kAccesses), width, steps * perStep, now);
  }
  if (most - rest > steps * perStep) {
    Value column = arith::AddIOp::create(b, first, index(steps * perStep));
    Value isMine = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, column,
                                         index(most - rest));
    now = takeIf(isMine, column, width, now);
  }
  if (rest) {
    Value isMine =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lane, index(rest));
    Value column = arith::AddIOp::create(b, lane, index(most - rest));
    now = takeIf(isMine, column, 1, now);
  }

  // The highest element of the row is known before sums are joined.
  joinTeam(joiningOp(max, place), now.max[place]);
  scale(now.sum, now.shift, finite(now.max[place]));
  held[max.getOutputs()[place]] = {now.max[place]};
  SmallVector<Operation *> joining;
  SmallVector<Value> values, outs;
  auto collect = [&](linalg::GenericOp op, ArrayRef<Value> numbers) {
    for (auto [i, out] : llvm::enumerate(op.getOutputs())) {
      if (op == max && i == place)
        continue;
      joining.push_back(joiningOp(op, i));
      values.push_back(numbers[i]);
      outs.push_back(out);
    }
  };
  collect(max, now.max);
  collect(sum, now.sum);
  joinTeam(joining, values);
  for (auto [out, value] : llvm::zip(outs, values))
    held[out] = {value};
  // What was loaded ahead of this was not looked at.
  for (Operation *op = max; op != sum; op = op->getNextNode())
    if (auto load = dyn_cast<memref::LoadOp>(op))
      if (auto it = held.find(load.getMemRef()); it != held.end())
        map.map(load.getResult(), it->second.front());
  return success();
}
