//===- RowPass.cpp - A thread's code for a pass over a row ----------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Codegen/Gpu/DeviceEmitter.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

Value DeviceEmitter::element(Slice slice, Value column) {
  if (!slice.offset)
    return column;
  return arith::AddIOp::create(b, map.lookup(slice.offset), column);
}

/// Returns the alignment of an access to a vector of elements.
static llvm::MaybeAlign alignmentOf(VectorType type) {
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return llvm::MaybeAlign(std::min(bytes, kAccessBytes));
}

/// Whether several elements are accessed as a vector.
static bool isPacked(Type element, int64_t count) {
  return count > 1 && element.getIntOrFloatBitWidth() >= 8;
}

SmallVector<Value> DeviceEmitter::loadFrom(Value buffer, Value at,
                                           int64_t count) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  SmallVector<Value> values;
  if (isPacked(type, count)) {
    auto packed = VectorType::get({count}, type);
    Value all =
        vector::LoadOp::create(b, packed, buffer, ValueRange{at},
                               /*nontemporal=*/false, alignmentOf(packed));
    for (int64_t i = 0; i < count; ++i)
      values.push_back(vector::ExtractOp::create(b, all, i));
    return values;
  }
  for (int64_t i = 0; i < count; ++i) {
    Value one = i ? Value(arith::AddIOp::create(b, at, index(i))) : at;
    values.push_back(memref::LoadOp::create(b, buffer, ValueRange{one}));
  }
  return values;
}

void DeviceEmitter::storeTo(ValueRange values, Value buffer, Value at) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t count = values.size();
  if (isPacked(type, count)) {
    auto packed = VectorType::get({count}, type);
    Value all = vector::FromElementsOp::create(b, packed, values);
    vector::StoreOp::create(b, all, buffer, ValueRange{at},
                            /*nontemporal=*/false, alignmentOf(packed));
    return;
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    Value one = i ? Value(arith::AddIOp::create(b, at, index(i))) : at;
    memref::StoreOp::create(b, value, buffer, ValueRange{one});
  }
}

Value DeviceEmitter::findSameRow(Value memref) {
  Slice slice = sliceOf(memref);
  for (auto [row, view] : llvm::zip(layout.sameRows, sameRows))
    if (row.slice.buffer == slice.buffer && row.slice.offset == slice.offset &&
        row.columns == cast<MemRefType>(memref.getType()).getDimSize(0))
      return view;
  return nullptr;
}

namespace {
/// A condition that is the same for all columns of a row, and its required
/// value.
struct Condition {
  Value value;
  bool isTrue;
};
} // namespace

/// Returns the conditions without which an operand's elements are unused: their
/// only use passes through selects.
static SmallVector<Condition> conditionsOf(linalg::GenericOp op,
                                           BlockArgument argument) {
  SmallVector<Condition> conditions;
  Value value = argument;
  while (value.hasOneUse() && isa<FloatType>(value.getType())) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user->getNumResults() != 1 || !isPure(user))
      break;
    auto select = dyn_cast<arith::SelectOp>(user);
    if (select && use.getOperandNumber() > 0 &&
        select.getCondition().getParentRegion() != &op.getRegion())
      conditions.push_back(
          {select.getCondition(), use.getOperandNumber() == 1});
    value = user->getResult(0);
  }
  return conditions;
}

DeviceEmitter::Held DeviceEmitter::loadIfUsed(linalg::GenericOp op,
                                              OpOperand &operand, Value column,
                                              int64_t count) {
  auto conditions = conditionsOf(op, op.getMatchingBlockArgument(&operand));
  if (conditions.empty() || kept.find(operand) || findSameRow(operand.get()))
    return load(operand, column, count);
  Value isUsed;
  for (Condition condition : conditions) {
    Value holds = map.lookup(condition.value);
    if (!condition.isTrue)
      holds = arith::XOrIOp::create(
          b, holds, arith::ConstantOp::create(b, b.getBoolAttr(true)));
    isUsed = isUsed ? Value(arith::AndIOp::create(b, isUsed, holds)) : holds;
  }
  Type type = cast<MemRefType>(operand.get().getType()).getElementType();
  auto branch = scf::IfOp::create(b, SmallVector<Type>(count, type), isUsed,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, load(operand, column, count));
  b.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  scf::YieldOp::create(b, SmallVector<Value>(count, zero));
  return Held(branch.getResults());
}

void DeviceEmitter::loadAhead(linalg::GenericOp op, ArrayRef<Value> firsts,
                              int64_t count) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    const KeptRows::Use *use = kept.find(*operand);
    if (isa<MemRefType>(operand->get().getType()) && !argument.use_empty() &&
        !held.contains(sliceOf(operand->get()).buffer) &&
        !findSameRow(operand->get()) && !(use && use->isKept) &&
        conditionsOf(op, argument).empty())
      for (Value first : firsts)
        load(*operand, first, count);
  }
}

SmallVector<Value> DeviceEmitter::load(OpOperand &operand, Value column,
                                       int64_t count) {
  if (Value same = findSameRow(operand.get()))
    return loadFrom(same, column, count);
  const KeptRows::Use *use = kept.find(operand);
  if (use && use->isKept)
    return loadFrom(keptRows[use->row], column, count);
  Slice from = sliceOf(operand.get());
  for (const Loaded &known : loaded)
    if (known.from.buffer == from.buffer && known.from.offset == from.offset &&
        known.column == column && int64_t(known.values.size()) == count)
      return known.values;
  Held values = loadFrom(memory(from.buffer), element(from, column), count);
  if (keepsLoads)
    loaded.push_back({from, column, values});
  if (use && use->keeps)
    storeTo(values, keptRows[use->row], column);
  return values;
}

void DeviceEmitter::store(ValueRange values, OpOperand &out, Value column) {
  Slice to = sliceOf(out.get());
  storeTo(values, memory(to.buffer), element(to, column));
  const KeptRows::Use *use = kept.find(out);
  if (use && use->keeps)
    storeTo(values, keptRows[use->row], column);
}

LogicalResult DeviceEmitter::checkHazards(linalg::GenericOp op,
                                          const Columns &columns) {
  auto note = [&](OpOperand &operand, bool isWrite) -> LogicalResult {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    Slice slice = sliceOf(operand.get());
    if (!type || !type.getRank() || held.contains(slice.buffer))
      return success();
    const KeptRows::Use *use = kept.find(operand);
    if (!isWrite && (op.getMatchingBlockArgument(&operand).use_empty() ||
                     (use && use->isKept) || findSameRow(operand.get())))
      return success();
    Hazards::Touch touched;
    touched.offset = slice.offset;
    touched.columns = columns.isTiled ? -columns.key.most : columns.key.most;
    touched.width = columns.width;
    touched.isWrite = isWrite;
    return touch(slice.buffer, touched);
  };
  // All barriers precede the whole pass.
  for (OpOperand &operand : op->getOpOperands())
    if (failed(note(operand, false)))
      return failure();
  for (OpOperand &operand : op.getDpsInitsMutable())
    if (failed(note(operand, true)))
      return failure();
  return success();
}

LogicalResult DeviceEmitter::emitRowPass(linalg::GenericOp op) {
  if (op.getNumLoops() != 1)
    return op.emitError(
        "only one-dimensional generics can be lowered for a GPU");
  Columns columns;
  columns.key = columnsOf(op, limits);
  columns.width = layout.widths.at(columns.key);
  if (columns.key.isDynamic)
    for (Value operand : op->getOperands())
      if (auto view = operand.getDefiningOp<memref::SubViewOp>())
        if (auto size = dyn_cast<Value>(view.getMixedSizes().front()))
          columns.size = map.lookup(size);
  bool isReduction = op.getNumReductionLoops();
  columns.isTiled = layout.tiles > 1 && !isReduction;
  if (failed(checkHazards(op, columns)))
    return failure();

  int64_t most = columns.key.most, perStep = layout.threads * columns.width;
  int64_t whole = columns.isTiled ? layout.tileColumns : most;
  int64_t width = columns.width, steps = llvm::divideCeil(whole, perStep);

  // A thread has these values in registers: `width` partial sums of each
  // reduction, which are combined at the end, and its own columns of each
  // private row, `width` per step.
  Held start;
  SmallVector<Value> heldOuts;
  SmallVector<Operation *> joining;
  for (auto [i, out] : llvm::enumerate(op.getDpsInits())) {
    Value buffer = sliceOf(out).buffer;
    auto it = held.find(buffer);
    if (it == held.end())
      continue;
    bool isSum = !cast<MemRefType>(buffer.getType()).getRank();
    joining.push_back(isSum ? combinerOf(op, i) : nullptr);
    if (isSum && !joining.back())
      return op.emitError("the last op of the body does not combine an element "
                          "with the accumulator");
    if (isSum && !isNeutral(joining.back(), it->second.front()))
      return op.emitError(
          "the initial value of a reduction is not its identity");
    heldOuts.push_back(buffer);
    if (isSum)
      start.append(width, it->second.front());
    else if (!it->second.empty())
      start.append(it->second.begin(), it->second.end());
    else // This pass fills the row; its previous values are unused.
      start.append(
          steps * width,
          arith::ConstantOp::create(
              b, b.getZeroAttr(
                     cast<MemRefType>(buffer.getType()).getElementType())));
  }
  // Registers cannot be indexed by a loop variable; all accesses to a row of a
  // group are outstanding together.
  bool isUnrolled =
      layout.isOfGroups || llvm::any_of(op->getOperands(), [&](Value operand) {
        auto type = dyn_cast<MemRefType>(operand.getType());
        return type && type.getRank() && held.contains(sliceOf(operand).buffer);
      });

  Value first = lane;
  if (width > 1 && layout.threads > 1)
    first = arith::MulIOp::create(b, lane, index(width));
  else if (layout.threads == 1)
    first = index(0);
  if (columns.isTiled)
    first = arith::AddIOp::create(
        b, first, arith::MulIOp::create(b, tile, index(layout.tileColumns)));
  int64_t rest = columns.size ? 0 : most % width;
  // Extra columns of a private row do no harm.
  bool isPrivate =
      !isReduction && llvm::all_of(op->getOperands(), [&](Value v) {
        return !isa<MemRefType>(v.getType()) ||
               held.contains(sliceOf(v).buffer);
      });
  // The number of tiles is determined by the longest pass, including its
  // remaining columns.
  int64_t taken = columns.isTiled ? layout.tiles * layout.tileColumns
                                  : llvm::alignTo(most - rest, steps * perStep);
  bool isGuarded = !isPrivate && (columns.size || taken != most - rest);
  Value bound;
  if (isGuarded)
    bound = columns.size ? columns.size : index(most - rest);

  auto guarded = [&](Value isMine, ValueRange held,
                     llvm::function_ref<Held()> body) -> Held {
    SmallVector<Type> types(held.getTypes());
    auto branch = scf::IfOp::create(b, TypeRange(types), isMine,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/!types.empty());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Held after = body();
    scf::YieldOp::create(b, after);
    if (!types.empty()) {
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, held);
    }
    return Held(branch.getResults());
  };
  // Returns the positions in the register values of each out for step `number`.
  auto placesOf = [&](int64_t number) {
    SmallVector<size_t> places;
    size_t at = 0;
    for (Operation *joins : joining) {
      places.push_back(at + (joins ? 0 : number * width));
      at += joins ? width : steps * width;
    }
    return places;
  };
  // Emits the steps from `from` to `to`; with `checks`, columns may be out of
  // bounds.
  auto run = [&](int64_t from, int64_t to, bool checks, Held now) -> Held {
    if (!columns.size && !columns.isTiled)
      columnsEnd = std::min(to * perStep, most);
    llvm::scope_exit reset([&] { columnsEnd = 0; });
    auto step = [&](Value column, ValueRange held, int64_t number) -> Held {
      auto body = [&] {
        return emitColumns(op, column, width, width, held, number);
      };
      if (!checks)
        return body();
      Value isMine =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ult, column, bound);
      return guarded(isMine, held, body);
    };
    if (isUnrolled || to - from == 1) {
      for (int64_t number = from; number < to; ++number) {
        Value column = first;
        if (number)
          column = arith::AddIOp::create(b, first, index(number * perStep));
        auto places = placesOf(number);
        Held before;
        for (size_t place : places)
          before.append(now.begin() + place, now.begin() + place + width);
        Held after = step(column, before, number);
        for (auto [i, place] : llvm::enumerate(places))
          std::copy(after.begin() + i * width, after.begin() + (i + 1) * width,
                    now.begin() + place);
      }
      return now;
    }
    if (from == to)
      return now;
    auto loop = scf::ForOp::create(b, index(from * perStep),
                                   index(to * perStep), index(perStep), now);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value column = arith::AddIOp::create(b, first, loop.getInductionVar());
    Held after = step(column, loop.getRegionIterArgs(), 0);
    if (!after.empty())
      scf::YieldOp::create(b, after);
    return Held(loop.getResults());
  };
  Held now = start;
  // A row shorter than an access consists of remaining columns only. Only the
  // last step may lack columns for some threads: without a condition, the loads
  // of the other steps are outstanding together.
  if (most >= width) {
    bool isLast = isGuarded && !columns.size && !columns.isTiled;
    int64_t full = isLast ? steps - 1 : isGuarded ? 0 : steps;
    now = run(0, full, /*checks=*/false, now);
    now = run(full, steps, /*checks=*/true, now);
  }
  if (rest) {
    Value isMine =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lane, index(rest));
    if (columns.isTiled)
      isMine = arith::AndIOp::create(
          b, isMine,
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, tile, index(0)));
    Value column = arith::AddIOp::create(b, lane, index(most - rest));
    now = guarded(isMine, now,
                  [&] { return emitColumns(op, column, 1, width, now, 0); });
  }

  SmallVector<Operation *> joins;
  SmallVector<Value> partial;
  size_t end = 0;
  for (auto [i, buffer] : llvm::enumerate(heldOuts)) {
    size_t begin = end;
    end += joining[i] ? width : steps * width;
    SmallVector<Value> mine(now.begin() + begin, now.begin() + end);
    if (!joining[i]) {
      held[buffer] = mine;
      continue;
    }
    for (size_t half = mine.size() / 2; half; half /= 2)
      for (size_t k = 0; k < half; ++k)
        mine[k] = join(joining[i], mine[k], mine[k + half]);
    joins.push_back(joining[i]);
    partial.push_back(mine.front());
  }
  if (joins.empty())
    return success();
  reduceGroup(joins, partial);
  for (auto [i, buffer] : llvm::enumerate(heldOuts))
    if (joining[i])
      held[buffer] = {partial[llvm::find(joins, joining[i]) - joins.begin()]};
  return success();
}
