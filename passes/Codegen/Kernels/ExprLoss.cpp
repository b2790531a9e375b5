//===- ExprLoss.cpp - Losses and their parts ------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Kernels/Expr.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

Node *ExprBuilder::buildLoss(OpResult value, Access access) {
  Operation *owner = value.getOwner();
  Type element = nn::tensorType(value).getElementType();
  Access perRow{access.row, 0};
  // Targets and column numbers fit 32 bits, in which vectors are fastest.
  auto target = [&](Value targets, Access where) {
    return convert(build(targets, where), i32());
  };
  auto isValid = [&](Node *t) {
    return this->op(IntegerType::get(context, 1), {t}, 1,
                    [](ScalarBuilder &b, ValueRange v) -> Value {
                      Value zero = arith::ConstantOp::create(
                          b, b.getZeroAttr(v[0].getType()));
                      return arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                                   v[0], zero);
                    });
  };
  auto zeroWhereIgnored = [&](Node *t, Node *node) -> Node * {
    return node ? select(isValid(t), node, constant(node->type, 0)) : nullptr;
  };
  if (auto op = dyn_cast<nn::ValidOp>(owner)) {
    Node *t = target(op.getTargets(), access);
    return zeroWhereIgnored(t, constant(f32(), 1));
  }
  if (auto op = dyn_cast<nn::CrossEntropyLossOp>(owner)) {
    // stats is [2, rows...]: the sums, then the targets' logits.
    int64_t count = numElements(op.getMax());
    Access second = access;
    second.row = access.row + (access.extent ? count / access.extent : count);
    Node *sum = build(op.getStats(), access);
    Node *lse = add(build(op.getMax(), access), log(sum));
    if (value.getResultNumber() == 1)
      return lse;
    return zeroWhereIgnored(target(op.getTargets(), access),
                            sub(lse, build(op.getStats(), second)));
  }

  Value logits = isa<nn::CrossEntropyGradOp>(owner) ? owner->getOperand(1)
                                                    : owner->getOperand(0);
  int64_t length = nn::tensorType(logits).getShape().back();
  int64_t classes = owner->getAttrOfType<IntegerAttr>("classes").getInt();
  AffineExpr row = access.row;
  auto stats = dyn_cast<nn::CrossEntropyStatsOp>(owner);
  if (!stats && !isWholeRow(value, access, length))
    return nullptr;
  // [2, rows]: row r of the first half and row r of the second in one unit
  // would be two sweeps; the halves are separate rows d0 of the result.
  Node *half = nullptr;
  if (stats) {
    int64_t count = numElements(stats.getMax());
    if (access.extent || row != d0())
      return fail(owner, "its rows are not the kernel's");
    half = rowIndex(row.floorDiv(count));
    row = row % count;
  }
  Access whole{row, length};
  Node *x = convert(build(logits, whole), f32());
  if (!x)
    return nullptr;
  // Columns in this rank's numbering; padding starts at `end` of it.
  Node *number = convert(column(length), i32());
  Node *offset = nullptr;
  Value offsetValue;
  if (auto op = dyn_cast<nn::CrossEntropyGradOp>(owner))
    offsetValue = op.getOffset();
  else if (auto op = dyn_cast<nn::RowMaxOp>(owner))
    offsetValue = op.getOffset();
  else if (stats)
    offsetValue = stats.getOffset();
  if (offsetValue) {
    offset = convert(build(offsetValue, {affine(0), 0}), i32());
    number = add(number, offset);
  }
  bool hasPadding = offset || classes < length;
  Node *isClass =
      hasPadding ? less(number, constantInt(i32(), classes)) : nullptr;
  auto padded = [&](Node *node, double otherwise) {
    return isClass && node
               ? select(isClass, node, constant(node->type, otherwise))
               : node;
  };
  auto pickTarget = [&](Node *t) {
    Node *term = select(equal(number, t), x, constant(f32(), 0));
    return convert(reduceSum(convert(term, f64()), length), f32());
  };
  auto once = [&](int name, llvm::function_ref<Node *()> make) {
    Node *&node = shared[{owner, name}];
    return node ? node : node = make();
  };

  if (auto op = dyn_cast<nn::CrossEntropyGradOp>(owner)) {
    Node *t = target(op.getTargets(), perRow);
    Node *dloss = zeroWhereIgnored(t, build(op.getDloss(), perRow));
    Node *p = this->exp(sub(x, build(op.getLse(), perRow)));
    Node *hit =
        select(equal(number, t), constant(f32(), 1), constant(f32(), 0));
    Node *d = padded(mul(dloss, sub(p, hit)), 0);
    return round(convert(d, computeType(element)), element);
  }
  if (isa<nn::RowMaxOp>(owner))
    return reduceMax(padded(x, kLowest), length);
  if (stats) {
    Node *t = target(stats.getTargets(), {row, 0});
    Node *max = build(stats.getMax(), {row, 0});
    Node *e = padded(this->exp(sub(x, max)), 0);
    Node *isSecond = equal(half, constantInt(index(), 1));
    Node *hit = select(equal(number, t), x, constant(f32(), 0));
    Node *term = select(isSecond, padded(hit, 0), e);
    return convert(reduceSum(convert(term, f64()), length), f32());
  }
  auto op = cast<nn::CrossEntropyOp>(owner);
  Node *t = target(op.getTargets(), perRow);
  Node *max = once(0, [&] { return reduceMax(padded(x, kLowest), length); });
  Node *sum = once(1, [&] {
    Node *e = padded(this->exp(sub(x, max)), 0);
    return convert(reduceSum(convert(e, f64()), length), f32());
  });
  Node *lse = once(2, [&] { return add(max, log(sum)); });
  if (value.getResultNumber() == 1)
    return lse;
  Node *hit = once(3, [&] { return pickTarget(t); });
  return zeroWhereIgnored(t, sub(lse, hit));
}
