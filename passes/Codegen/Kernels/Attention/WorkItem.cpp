//===- WorkItem.cpp - Common parts of attention work items ----------------===//

#include "passes/Codegen/Kernels/Attention/WorkItem.h"
#include "dialects/NN/Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

AttentionSizes::AttentionSizes(Operation *attention) {
  llvm::TypeSwitch<Operation *>(attention)
      .Case<nn::AttentionOp, nn::AttentionGradOp>([&](auto op) {
        q = op.getQ(), k = op.getK(), v = op.getV();
        qPos = op.getQPos(), kPos = op.getKPos();
        samples = op.getSamples(), seed = op.getSeed(), step = op.getStep();
        headOrigin = op.getHeadOrigin(), bias = op.getBias();
        scale = op.getScale().convertToDouble();
        softcap = op.getSoftcap().convertToDouble();
        mask = nn::VisibleKeys(op);
        starts = op.getStarts();
        p = op.getP().convertToDouble();
        isCausal = op.getCausal();
        id = op.getId();
      });
  if (auto number = attention->getAttrOfType<IntegerAttr>(nn::kPieceAttr))
    piece = number.getInt();
  if (auto forward = dyn_cast<nn::AttentionOp>(attention))
    sinks = forward.getSinks();
  auto grad = dyn_cast<nn::AttentionGradOp>(attention);
  asksForBias = grad && grad.getDbias() && !grad.getDbias().use_empty();
  auto query = nn::tensorType(q).getShape(),
       value = nn::tensorType(v).getShape();
  batch = query[0], queries = query[1], heads = query[2], width = query[3];
  keys = value[1], keyHeads = value[2], valueWidth = value[3];
}

int64_t AttentionSizes::countBiasUnits(const KernelChoices &choices) const {
  if (!asksForBias)
    return 0;
  auto shape = nn::tensorType(bias).getShape();
  return shape[0] * shape[1] * llvm::divideCeil(queries, pairHeight(choices));
}

Value AttentionUnit::divide(Value x, int64_t by) {
  return by == 1 ? x : arith::DivUIOp::create(b, x, index(by));
}

Value AttentionUnit::remainder(Value x, int64_t by) {
  return by == 1 ? index(0) : arith::RemUIOp::create(b, x, index(by));
}

Value AttentionUnit::mulf(Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}

Value AttentionUnit::subf(Value x, Value y) {
  return arith::SubFOp::create(b, x, y);
}

Value AttentionUnit::exp(Value x) { return math::ExpOp::create(b, x); }

Tile AttentionUnit::rowsOf(const Operand &at, Value sample, Value first,
                           Value head) {
  Value base = add(mul(sample, at.strides[0]), mul(first, at.strides[1]));
  base = add(base, mul(head, at.strides[2]));
  return {at.buffer, add(base, index(at.offset)), at.strides[1], {}};
}

Tile AttentionUnit::rowsOf(Value operand, Value sample, Value first, Value head,
                           Value left) {
  Tile rows = rowsOf(operands.at(operand), sample, first, head);
  rows.last = arith::SubIOp::create(b, left, index(1));
  return rows;
}

Tile AttentionUnit::widened(const Tile &rows, Value &buffer, int64_t height,
                            Value left, int64_t width) {
  auto element = cast<MemRefType>(rows.buffer.getType()).getElementType();
  if (element.isF32())
    return rows;
  if (!buffer)
    buffer = allocate(height * width);
  Tile wide = {buffer, {}, width, {}};
  copy(rows, wide, left, width);
  wide.last = rows.last;
  return wide;
}

Value AttentionUnit::loadRow(Value operand, Value sample, Value row,
                             Value head) {
  const Operand &at = operands.at(operand);
  Value place = add(mul(sample, at.strides[0]), mul(row, at.strides[1]));
  place = add(place, mul(head, at.strides[2]));
  return load(at.buffer, add(place, index(at.offset)));
}

Value AttentionUnit::finite(Value lse) {
  auto f32 = [&](float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  };
  Value isNone =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, lse,
                            f32(-std::numeric_limits<float>::infinity()));
  return arith::SelectOp::create(b, isNone, f32(0), lse);
}

ScoreBias AttentionUnit::biasOf(Value sample, Value head) {
  const Operand &at = operands.at(sizes.bias);
  SmallVector<int64_t, 4> strides;
  for (auto [size, stride] :
       llvm::zip_equal(nn::tensorType(sizes.bias).getShape(), at.strides))
    strides.push_back(size == 1 ? 0 : stride);
  Value base = index(at.offset);
  if (strides[0])
    base = add(base, mul(sample, strides[0]));
  if (strides[1])
    base = add(base, mul(head, strides[1]));
  return {at.buffer, base, strides[2], strides[3]};
}

Value AttentionUnit::numberLike(double value, Type like) {
  TypedAttr number = b.getF32FloatAttr(static_cast<float>(value));
  if (auto vector = dyn_cast<VectorType>(like))
    number = DenseElementsAttr::get(vector, Attribute(number));
  return arith::ConstantOp::create(b, number);
}

Value AttentionUnit::loadSink(Value head) {
  const Operand &at = operands.at(sizes.sinks);
  Value sink = load(at.buffer, add(mul(head, at.strides[0]), index(at.offset)));
  return arith::MaximumFOp::create(b, sink,
                                   numberLike(kLowest, sink.getType()));
}

Value AttentionUnit::scaled(Value products) {
  Type type = products.getType();
  if (!sizes.softcap)
    return mulf(products, numberLike(sizes.scale, type));
  Value ratio = mulf(products, numberLike(sizes.scale / sizes.softcap, type));
  return mulf(math::TanhOp::create(b, ratio), numberLike(sizes.softcap, type));
}

Value AttentionUnit::slopeOfCap(Value scaled) {
  Type type = scaled.getType();
  Value ratio = mulf(scaled, numberLike(1 / sizes.softcap, type));
  return subf(numberLike(1, type), mulf(ratio, ratio));
}

Value AttentionUnit::loadWord(Value operand, Value place) {
  const Operand &at = operands.at(operand);
  Value element = index(at.offset);
  if (!at.strides.empty())
    element = add(element, mul(place, at.strides[0]));
  Value loaded = memref::LoadOp::create(b, at.buffer, ValueRange{element});
  return convertScalar(b, loaded, b.getI32Type());
}

void AttentionUnit::copyPositions(Value operand, Value first, Value last,
                                  int64_t height, Value to) {
  loop(index(height), 1, [&](Value i) {
    Value position = loadWord(operand, add(first, min(i, last)));
    memref::StoreOp::create(b, position, to, ValueRange{i});
  });
}

Value AttentionUnit::loadStart(Value sample, Value query) {
  const Operand &at = operands.at(sizes.starts);
  Value element = add(mul(sample, at.strides[0]), mul(query, at.strides[1]));
  Value loaded = memref::LoadOp::create(
      b, at.buffer, ValueRange{add(element, index(at.offset))});
  return convertScalar(b, loaded, b.getI32Type());
}

void AttentionUnit::copyStarts(Value sample, Value first, Value last,
                               int64_t height, Value to) {
  loop(index(height), 1, [&](Value i) {
    Value start = loadStart(sample, add(first, min(i, last)));
    memref::StoreOp::create(b, start, to, ValueRange{i});
  });
}

std::pair<Value, Value>
AttentionUnit::extremesOf(Value first, Value count,
                          llvm::function_ref<Value(Value)> load) {
  Value start = load(first);
  auto loop = scf::ForOp::create(b, index(1), count, index(1),
                                 ValueRange{start, start});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value next = load(add(first, loop.getInductionVar()));
  Value least = arith::MinSIOp::create(b, loop.getRegionIterArg(0), next);
  Value most = arith::MaxSIOp::create(b, loop.getRegionIterArg(1), next);
  scf::YieldOp::create(b, ValueRange{least, most});
  return {loop.getResult(0), loop.getResult(1)};
}

PositionRange AttentionUnit::rangeOfKeys(Value first, Value count) {
  if (!sizes.isCausal)
    return {};
  auto [least, most] = extremesOf(
      first, count, [&](Value i) { return loadWord(sizes.kPos, i); });
  return {least, most};
}

PositionRange AttentionUnit::rangeOfQueries(Value sample, Value first,
                                            Value count) {
  if (!sizes.isCausal)
    return {};
  PositionRange range;
  std::tie(range.least, range.most) = extremesOf(
      first, count, [&](Value i) { return loadWord(sizes.qPos, i); });
  if (sizes.starts)
    std::tie(range.leastStart, range.mostStart) =
        extremesOf(first, count, [&](Value i) { return loadStart(sample, i); });
  return range;
}

void AttentionUnit::ifSeen(PositionRange queries, PositionRange keys,
                           llvm::function_ref<void()> body) {
  if (!sizes.isCausal)
    return body();
  auto isSeen = scf::IfOp::create(b, buildMaySee(b, sizes.mask, queries, keys),
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isSeen.thenBlock());
  body();
}

Value AttentionUnit::word(uint32_t value, Type type) {
  TypedAttr attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, APInt(32, value));
  return arith::ConstantOp::create(b, attr);
}

Value AttentionUnit::foldWord(Value h, unsigned shift) {
  Value shifted = arith::ShRUIOp::create(b, h, word(shift, h.getType()));
  return arith::XOrIOp::create(b, h, shifted);
}

Value AttentionUnit::randomMix(Value hash) {
  Type type = hash.getType();
  Value h = foldWord(hash, 16);
  h = arith::MulIOp::create(b, h, word(nn::kRandomMul1, type));
  h = foldWord(h, 13);
  h = arith::MulIOp::create(b, h, word(nn::kRandomMul2, type));
  return foldWord(h, 16);
}

Value AttentionUnit::spreadWord(Value coordinate) {
  Type type = coordinate.getType();
  Value spread =
      arith::MulIOp::create(b, coordinate, word(nn::kRandomWeyl, type));
  return arith::AddIOp::create(b, spread, word(nn::kRandomMul1, type));
}

Value AttentionUnit::randomAdd(Value key, Value coordinate) {
  Type type = coordinate.getType();
  Value spread = spreadWord(coordinate);
  if (isa<VectorType>(key.getType()) && !isa<VectorType>(type))
    spread = splat(spread);
  else if (!isa<VectorType>(key.getType()) && isa<VectorType>(type))
    key = splat(key);
  return randomMix(arith::XOrIOp::create(b, key, spread));
}

Value AttentionUnit::randomKey(Value sample) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto whole = [&](Value operand) -> Value {
    const Operand &at = operands.at(operand);
    Value loaded =
        memref::LoadOp::create(b, at.buffer, ValueRange{index(at.offset)});
    return convertScalar(b, loaded, i64);
  };
  auto low = [&](Value x) { return convertScalar(b, x, i32); };
  auto high = [&](Value x) {
    Value shift = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
    Value shifted = arith::ShRUIOp::create(b, x, shift);
    return convertScalar(b, shifted, i32);
  };
  Value seed = whole(sizes.seed), step = whole(sizes.step);
  Value key = randomMix(
      arith::AddIOp::create(b, low(seed), word(nn::kRandomWeyl, i32)));
  key = randomAdd(key, high(seed));
  key = randomAdd(key, low(step));
  Value id = word(static_cast<uint32_t>(sizes.id), i32);
  key = randomAdd(key, arith::AddIOp::create(b, high(step), id));
  return randomAdd(key, loadWord(sizes.samples, sample));
}

Value AttentionUnit::headWord(Value head) {
  Value own = convertScalar(b, head, b.getI32Type());
  if (!sizes.headOrigin)
    return own;
  return arith::AddIOp::create(b, own, loadWord(sizes.headOrigin, index(0)));
}

Value AttentionUnit::drop(Value words, Value x) {
  Value bound = word(nn::dropThreshold(sizes.p), words.getType());
  Value isDropped =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, words, bound);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(x.getType()));
  return arith::SelectOp::create(b, isDropped, zero, x);
}
