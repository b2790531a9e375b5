//===- ExprRouting.cpp - Choice of elements of rows -----------------------===//
//
// The k largest elements of a row are k maxima, each over the elements after
// the previous one. To compare value and index at once, both are one integer:
//
//     key of element i = order(x[i]) << 32 | 0xffffffff - i
//
// `order` maps floats to integers of the same order: a NaN to the largest, both
// zeros to one. It only uses integer operations, so the choice does not depend
// on a target's treatment of denormals.
//
//     best 0 = max of key              first pass over the row
//     best 1 = max of key < best 0     second pass
//     ids    = low half of best c, inverted, for column c = 0, 1
//
// Ids of few columns (kMostChosen) are scalars of the row. Column c of a pick
// is then a select among k loaded elements, and column c of a spread is a sum
// of k values, each zero unless its id is c. Otherwise each element of a pick,
// or of a spread, is a row of its own.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "passes/Codegen/Kernels/Prepare.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

static int64_t lastExtent(Value value) {
  return nn::tensorType(value).getShape().back();
}

/// The key of an f32 element of a row.
static Value keyOf(ScalarBuilder &b, Value x, Value column) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  auto word = [&](uint32_t bits) -> Value {
    return arith::ConstantOp::create(
        b, b.getI32IntegerAttr(static_cast<int32_t>(bits)));
  };
  auto compare = [&](arith::CmpIPredicate how, Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, how, lhs, rhs);
  };
  Value bits = arith::BitcastOp::create(b, i32, x);
  Value magnitude = arith::AndIOp::create(b, bits, word(0x7fffffff));
  // Negative floats are in descending order of their bits.
  Value sign = arith::ShRSIOp::create(b, bits, word(31));
  Value flipped = arith::AndIOp::create(b, sign, word(0x7fffffff));
  Value order = arith::XOrIOp::create(b, bits, flipped);
  order = arith::SelectOp::create(
      b, compare(arith::CmpIPredicate::eq, magnitude, word(0)), word(0), order);
  order = arith::SelectOp::create(
      b, compare(arith::CmpIPredicate::ugt, magnitude, word(0x7f800000)),
      word(0x7fffffff), order);
  Value high = arith::ShLIOp::create(
      b, arith::ExtSIOp::create(b, i64, order),
      arith::ConstantOp::create(b, b.getI64IntegerAttr(32)));
  Value index = arith::IndexCastOp::create(b, i32, column);
  Value low = arith::XOrIOp::create(b, index, word(0xffffffff));
  return arith::OrIOp::create(b, high, arith::ExtUIOp::create(b, i64, low));
}

Node *ExprBuilder::selectByColumn(ArrayRef<Node *> entries) {
  Node *chosen = entries.front();
  Node *at = column(entries.size());
  for (auto [i, entry] : llvm::drop_begin(llvm::enumerate(entries)))
    chosen = select(equal(at, constantInt(index(), i)), entry, chosen);
  return chosen;
}

Node *ExprBuilder::buildTopK(nn::TopKOp op, Access access) {
  Value input = op.getInput();
  int64_t length = lastExtent(input), count = lastExtent(op.getIds());
  // All entries of a row, or the `first` one alone.
  AffineExpr row = access.row;
  int64_t first = 0, end = count;
  if (!access.extent) {
    end = 0;
    for (AffineExpr own : {unitRow(), affine(0)}) {
      auto rest = dyn_cast<AffineConstantExpr>(
          simplifyAffineExpr(access.row - own * count, 2, 0));
      if (end || !rest || rest.getValue() < 0 || rest.getValue() >= count)
        continue;
      row = own;
      first = rest.getValue();
      end = first + 1;
    }
    if (!end)
      return fail(op, "is read at other rows than its own");
  } else if (access.extent != count) {
    return fail(op, "its rows are not the kernel's");
  }
  if (!isWholeRow(op->getResult(0), {row, length}, length))
    return nullptr;
  Node *x = build(input, {row, length});
  if (!x)
    return nullptr;
  if (!x->type.isF32())
    return fail(op, "compares elements of more than 32 bits");
  Type i64 = IntegerType::get(context, 64);
  Node *key = once(op, 0, [&] {
    return this->op(
        i64, {x, column(length)}, 8,
        [](ScalarBuilder &b, ValueRange v) { return keyOf(b, v[0], v[1]); });
  });
  SmallVector<Node *> ids;
  Node *best = nullptr;
  for (int64_t i = 0; i < end; ++i) {
    best = once(op, i + 1, [&, before = best] {
      Node *rest = before ? select(less(key, before), key,
                                   constantInt(i64, uint64_t(1) << 63))
                          : key;
      return reduceBy(rest, length, Combiner::Max);
    });
    if (i >= first)
      ids.push_back(this->op(
          i32(), {best}, 1, [](ScalarBuilder &b, ValueRange v) -> Value {
            Value low = arith::TruncIOp::create(b, b.getI32Type(), v[0]);
            Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
            return arith::XOrIOp::create(b, low, all);
          }));
  }
  return selectByColumn(ids);
}

template <typename Op>
Node *ExprBuilder::buildId(Op op, Access access) {
  Node *id = convert(build(op.getIds(), access), index());
  if (!op.getOffset())
    return id;
  return sub(id, convert(build(op.getOffset(), {affine(0), 0}), index()));
}

Node *ExprBuilder::buildPick(nn::PickOp op, Access access) {
  // A reshape does not move elements.
  Value from = op.getInput();
  while (argumentOf(from) < 0 && from.getDefiningOp<nn::ReshapeOp>())
    from = from.getDefiningOp()->getOperand(0);
  int argument = argumentOf(from);
  if (argument < 0)
    return fail(op, "its rows are computed in the kernel");
  int64_t extent = lastExtent(op.getInput()), count = lastExtent(op.getIds());
  Type element = nn::tensorType(op.getInput()).getElementType();
  auto entry = [&](AffineExpr row, AffineExpr at) -> Node * {
    Node *id = buildId(op, {at, 0});
    if (!id)
      return nullptr;
    Node *isValid =
        this->op(IntegerType::get(context, 1), {id}, 1,
                 [=](ScalarBuilder &b, ValueRange v) -> Value {
                   Value bound = arith::ConstantIndexOp::create(b, extent);
                   return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                                v[0], bound);
                 });
    Node *place = add(select(isValid, id, constantInt(index(), 0)),
                      rowIndex(row * extent));
    Node gather{Node::Kind::Gather, computeType(element), {place}};
    gather.cost = 1;
    gather.argument = argument;
    gather.level = place->level;
    Node *found = program.add(std::move(gather));
    return select(isValid, found, constant(found->type, 0));
  };
  if (!access.extent)
    return entry(access.row.floorDiv(count), access.row);
  if (access.extent != count || count > kMostChosen)
    return fail(op, "its rows are not the kernel's");
  SmallVector<Node *> entries;
  for (int64_t i = 0; i < count; ++i)
    entries.push_back(entry(access.row, access.row * count + i));
  return selectByColumn(entries);
}

Node *ExprBuilder::buildSpread(nn::SpreadOp op, Access access) {
  int64_t extent = lastExtent(op.getResult()), count = lastExtent(op.getIds());
  if (access.extent && access.extent != extent)
    return fail(op, "its rows are not the kernel's");
  AffineExpr row = access.extent ? access.row : access.row.floorDiv(extent);
  Node *at = access.extent ? column(extent) : rowIndex(access.row % extent);
  auto term = [&](Access own) -> Node * {
    Node *value = build(op.getInput(), own);
    if (!value)
      return nullptr;
    return select(equal(at, buildId(op, own)), value, constant(value->type, 0));
  };
  Type element = nn::tensorType(op.getResult()).getElementType();
  if (count > kMostChosen) {
    if (access.extent || access.row != unitRow())
      return fail(op, "is read at other rows than its own");
    return round(sumRow(term({row, count}), count), element);
  }
  Node *sum = constant(computeType(element), 0);
  for (int64_t i = 0; i < count; ++i)
    sum = add(sum, term({row * count + i, 0}));
  return round(sum, element);
}

Node *ExprBuilder::buildRouting(Operation *op, Access access) {
  if (auto choice = dyn_cast<nn::TopKOp>(op))
    return buildTopK(choice, access);
  if (auto pick = dyn_cast<nn::PickOp>(op))
    return buildPick(pick, access);
  return buildSpread(cast<nn::SpreadOp>(op), access);
}
