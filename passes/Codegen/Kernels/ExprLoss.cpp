//===- ExprLoss.cpp - Losses ----------------------------------------------===//
//
// Cross entropy is one op on a rank that has all classes. With classes sharded
// over ranks (vocab parallel) it is computed in steps: each rank's maximum,
// then its sums, then the loss from the reduced sums. The columns of a row of
// logits are classes, except the last columns of a padded vocabulary.
//
// A row takes two passes: the maximum logit m, then s, the sum of exp(logit -
// m). The loss is log s + m - logit[target].
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Targets and column numbers are i32, for which vectors are fastest.
static Node *buildTarget(ExprBuilder &e, Value targets, Access where) {
  return e.convert(e.build(targets, where), e.i32());
}

/// Zero for rows with a negative target, which are ignored.
static Node *zeroWhereIgnored(ExprBuilder &e, Node *target, Node *node) {
  if (!node)
    return nullptr;
  Node *isValid = e.op(
      IntegerType::get(node->type.getContext(), 1), {target}, 1,
      [](ScalarBuilder &b, ValueRange v) -> Value {
        Value zero =
            arith::ConstantOp::create(b, b.getZeroAttr(v[0].getType()));
        return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, v[0], zero);
      });
  return e.select(isValid, node, e.constant(node->type, 0));
}

namespace {
/// A row of logits.
struct Logits {
  ExprBuilder &e;
  Operation *op;
  int64_t length;
  Access perRow;
  Node *x = nullptr; ///< in f32; null: there is no expression
  /// The class of a column, i32, numbered from `offset`; and whether the column
  /// is a class, null if all are.
  Node *number = nullptr, *isClass = nullptr;

  Logits(ExprBuilder &e, Operation *op, Value logits, Value offset,
         AffineExpr row);

  /// `node`, or `otherwise` in padding columns.
  Node *padded(Node *node, double otherwise) {
    return isClass && node
               ? e.select(isClass, node, e.constant(node->type, otherwise))
               : node;
  }
  /// The logit in the target's column, zero in all others.
  Node *atTarget(Node *target) {
    return e.select(e.equal(number, target), x, e.constant(e.f32(), 0));
  }

  Node *buildMax() { return e.reduceMax(padded(x, kLowest), length); }
  /// The loss (result 0) or the log of the sum of exponentials (1).
  Node *build(nn::CrossEntropyOp op, unsigned result);
  Node *build(nn::CrossEntropyGradOp op);
};
} // namespace

Logits::Logits(ExprBuilder &e, Operation *op, Value logits, Value offset,
               AffineExpr row)
    : e(e), op(op), length(nn::tensorType(logits).getShape().back()),
      perRow{row, 0} {
  x = e.convert(e.build(logits, {row, length}), e.f32());
  if (!x)
    return;
  number = e.convert(e.column(length), e.i32());
  if (offset)
    number =
        e.add(number, e.convert(e.build(offset, {e.affine(0), 0}), e.i32()));
  int64_t classes = op->getAttrOfType<IntegerAttr>("classes").getInt();
  if (offset || classes < length)
    isClass = e.less(number, e.constantInt(e.i32(), classes));
}

Node *Logits::build(nn::CrossEntropyOp op, unsigned result) {
  Node *t = buildTarget(e, op.getTargets(), perRow);
  Node *max = e.once(op, 0, [&] { return buildMax(); });
  Node *sum = e.once(
      op, 1, [&] { return e.sumRow(padded(e.exp(e.sub(x, max)), 0), length); });
  Node *lse = e.once(op, 2, [&] { return e.add(max, e.log(sum)); });
  if (result == 1)
    return lse;
  Node *hit = e.once(op, 3, [&] { return e.sumRow(atTarget(t), length); });
  return zeroWhereIgnored(e, t, e.sub(lse, hit));
}

Node *Logits::build(nn::CrossEntropyGradOp op) {
  Node *t = buildTarget(e, op.getTargets(), perRow);
  Node *dloss = zeroWhereIgnored(e, t, e.build(op.getDloss(), perRow));
  Node *p = e.exp(e.sub(x, e.build(op.getLse(), perRow)));
  Node *hit = e.select(e.equal(number, t), e.constant(e.f32(), 1),
                       e.constant(e.f32(), 0));
  Node *d = padded(e.mul(dloss, e.sub(p, hit)), 0);
  Type element = nn::tensorType(op.getResult()).getElementType();
  return e.round(e.convert(d, e.computeType(element)), element);
}

/// The stats are [2, rows...]: the sums of exponentials, then the targets'
/// logits.
Node *ExprBuilder::buildLossOfStats(nn::CrossEntropyLossOp op, unsigned result,
                                    Access access) {
  int64_t count = numElements(op.getMax());
  Access second = access;
  second.row = access.row + (access.extent ? count / access.extent : count);
  Node *sum = build(op.getStats(), access);
  Node *lse = add(build(op.getMax(), access), log(sum));
  if (result == 1)
    return lse;
  Node *target = buildTarget(*this, op.getTargets(), access);
  return zeroWhereIgnored(*this, target,
                          sub(lse, build(op.getStats(), second)));
}

/// The two halves of the stats are separate rows d0 of the result. Both of them
/// in one work item would take two passes.
Node *ExprBuilder::buildLossStats(nn::CrossEntropyStatsOp op, Access access) {
  int64_t count = numElements(op.getMax());
  if (access.extent || access.row != d0())
    return fail(op, "its rows are not the kernel's");
  Node *half = rowIndex(access.row.floorDiv(count));
  Logits row(*this, op, op.getLogits(), op.getOffset(), access.row % count);
  if (!row.x)
    return nullptr;
  Node *target = buildTarget(*this, op.getTargets(), row.perRow);
  Node *max = build(op.getMax(), row.perRow);
  Node *weight = row.padded(exp(sub(row.x, max)), 0);
  Node *isSecond = equal(half, constantInt(index(), 1));
  Node *term = select(isSecond, row.padded(row.atTarget(target), 0), weight);
  return sumRow(term, row.length);
}

/// A loss op whose results have a row or an entry for each row of logits.
Node *ExprBuilder::buildOfLogits(OpResult value, Value logits, Value offset,
                                 Access access) {
  Operation *owner = value.getOwner();
  int64_t length = nn::tensorType(logits).getShape().back();
  if (!isWholeRow(value, access, length))
    return nullptr;
  Logits row(*this, owner, logits, offset, access.row);
  if (!row.x)
    return nullptr;
  if (auto op = dyn_cast<nn::CrossEntropyOp>(owner))
    return row.build(op, value.getResultNumber());
  if (auto op = dyn_cast<nn::CrossEntropyGradOp>(owner))
    return row.build(op);
  return row.buildMax();
}

Node *ExprBuilder::buildLoss(OpResult value, Access access) {
  return llvm::TypeSwitch<Operation *, Node *>(value.getOwner())
      .Case([&](nn::ValidOp op) {
        Node *target = buildTarget(*this, op.getTargets(), access);
        return zeroWhereIgnored(*this, target, constant(f32(), 1));
      })
      .Case([&](nn::CrossEntropyLossOp op) {
        return buildLossOfStats(op, value.getResultNumber(), access);
      })
      .Case([&](nn::CrossEntropyStatsOp op) {
        return buildLossStats(op, access);
      })
      .Case<nn::CrossEntropyGradOp, nn::RowMaxOp>([&](auto op) {
        return buildOfLogits(value, op.getLogits(), op.getOffset(), access);
      })
      .Case([&](nn::CrossEntropyOp op) {
        return buildOfLogits(value, op.getLogits(), /*offset=*/{}, access);
      });
}
