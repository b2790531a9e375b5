//===- RunningSum.cpp - Sums of exponentials in one pass ------------------===//

#include "passes/Codegen/Gpu/RunningSum.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "passes/Codegen/Gpu/DeviceEmitter.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Outstanding accesses of a thread for each operand.
static constexpr int64_t kAccesses = 4;

/// Whether a pass has a static number of columns and writes only scalars that
/// are private to the work item. The last op of its body must combine each
/// scalar with an element.
static bool onlyReduces(linalg::GenericOp op) {
  if (op.getNumLoops() != 1 || !op.getNumReductionLoops())
    return false;
  for (Value operand : op.getDpsInputs())
    if (auto type = dyn_cast<MemRefType>(operand.getType());
        type && !type.hasStaticShape())
      return false;
  for (auto [i, out] : llvm::enumerate(op.getOutputs()))
    if (!out.getDefiningOp<memref::AllocaOp>() ||
        cast<MemRefType>(out.getType()).getRank() || !combinerOf(op, i))
      return false;
  return true;
}

Operation *codegen::differenceIn(Operation *power, Value subtracted) {
  auto exp = dyn_cast_or_null<math::ExpOp>(power);
  auto difference =
      exp ? exp.getOperand().getDefiningOp<arith::SubFOp>() : nullptr;
  return difference && difference.getRhs() == subtracted ? difference : nullptr;
}

/// Returns the subtraction x - highest if `term` is its exp, or a select
/// between that and zero. Otherwise null.
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

/// Whether all reductions of a pass are sums of exp(x - highest), and the pass
/// uses `highest` for nothing else.
static bool sumsExponentials(linalg::GenericOp sum, Value highest) {
  llvm::SmallPtrSet<Operation *, 2> differences;
  for (unsigned i = 0; i < sum.getNumDpsInits(); ++i) {
    Operation *joining = combinerOf(sum, i);
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

/// Whether all rows that `sum` reads are read by `max`, too.
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

/// Whether `max` may be deferred to `sum`. The ops between them must not use
/// results of `max` and must not write anything but private temporaries. `sum`
/// may use only the maximum.
static bool canDefer(linalg::GenericOp max, linalg::GenericOp sum,
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
  // The next pass.
  Operation *next = max->getNextNode();
  while (next && !isa<linalg::GenericOp>(next))
    next = next->getNextNode();
  auto sum = dyn_cast_or_null<linalg::GenericOp>(next);
  if (!sum || !onlyReduces(sum) || !readsRowsOf(sum, max))
    return std::nullopt;
  for (auto [i, out] : llvm::enumerate(max.getOutputs())) {
    if (!isa<arith::MaxNumFOp>(combinerOf(max, i)) ||
        !cast<MemRefType>(out.getType()).getElementType().isF32())
      continue;
    for (Operation *user : out.getUsers())
      if (auto load = dyn_cast<memref::LoadOp>(user);
          load && load->getBlock() == sum->getBlock() &&
          max->isBeforeInBlock(load) && load->isBeforeInBlock(sum) &&
          sumsExponentials(sum, load) && canDefer(max, sum, load))
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

Value DeviceEmitter::emitExp(Value x) {
  Value log2e = arith::ConstantOp::create(
      b, b.getF32FloatAttr(float(llvm::numbers::log2e)));
  return math::Exp2Op::create(b, arith::MulFOp::create(b, x, log2e));
}

namespace {
/// The partial results of a thread for both passes.
struct Partial {
  /// The accumulators of the reductions of `max` and of `sum`.
  SmallVector<Value> max, sum;
  /// The value subtracted in all exponents of `sum`; finite.
  Value shift;

  SmallVector<Value> all() const {
    SmallVector<Value> values(max);
    llvm::append_range(values, sum);
    values.push_back(shift);
    return values;
  }
  /// A Partial of the same structure with other values.
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
  // Each reduction has `width` independent accumulators, for instruction-level
  // parallelism.
  Held chains;
  for (auto [i, out] : llvm::enumerate(op.getOutputs())) {
    Value neutral = held[out].front();
    // LLVM folds an addition to -0.0.
    if (isa<arith::AddFOp>(combinerOf(op, i)))
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
        mine[k] = join(combinerOf(op, i), mine[k], mine[k + half]);
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
      if (!isNeutral(combinerOf(op, i), held[out].front()))
        return op.emitError(
            "the initial value of a reduction is not its identity");
  // The shift is kept finite: a thread that has seen nothing but -inf subtracts
  // the lowest float instead.
  Value lowest = arith::ConstantOp::create(b, b.getF32FloatAttr(kLowest));
  auto finite = [&](Value x) { return arith::MaxNumFOp::create(b, x, lowest); };
  auto scale = [&](SmallVector<Value> &sums, Value from, Value to) {
    Value factor = emitExp(arith::SubFOp::create(b, from, to));
    for (Value &x : sums)
      x = arith::MulFOp::create(b, x, factor);
  };

  // Adds `count` columns from each of `firsts` on, all below `end`.
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

  // The row's maximum is reduced first, so that partial sums can be rescaled to
  // it.
  reduceGroup(combinerOf(max, place), now.max[place]);
  scale(now.sum, now.shift, finite(now.max[place]));
  held[max.getOutputs()[place]] = {now.max[place]};
  SmallVector<Operation *> joining;
  SmallVector<Value> values, outs;
  auto collect = [&](linalg::GenericOp op, ArrayRef<Value> numbers) {
    for (auto [i, out] : llvm::enumerate(op.getOutputs())) {
      if (op == max && i == place)
        continue;
      joining.push_back(combinerOf(op, i));
      values.push_back(numbers[i]);
      outs.push_back(out);
    }
  };
  collect(max, now.max);
  collect(sum, now.sum);
  reduceGroup(joining, values);
  for (auto [out, value] : llvm::zip(outs, values))
    held[out] = {value};
  // Loads between the two passes now get the final values.
  for (Operation *op = max; op != sum; op = op->getNextNode())
    if (auto load = dyn_cast<memref::LoadOp>(op))
      if (auto it = held.find(load.getMemRef()); it != held.end())
        map.map(load.getResult(), it->second.front());
  return success();
}
