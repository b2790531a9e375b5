//===- ExprRows.cpp - Reductions along rows -------------------------------===//
//
// Norms, softmax and reductions of trailing dims, each written as its formula;
// and sums over rows, which leave columns. A
// subexpression without a column is a reduction, which takes a pass of its own:
//
//     mean = sum(x) / n                 first pass
//     var  = sum((x - mean)^2) / n      second
//     y    = (x - mean) / sqrt(var + eps) * scale + bias       third
//
// Row sums are accumulated in the type that the back end chooses. Scalars that
// several results of an op need, such as the mean, are built once (`shared`).
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

static int64_t rowLength(Value value) {
  return nn::tensorType(value).getShape().back();
}

/// A row's sums are computed once, by the work item that owns the row. Read
/// from elsewhere, such as by a transposed use, each would be computed many
/// times. Every work item may read the first row, but not in addition to its
/// own: an op's sums are those of one row.
bool ExprBuilder::isWholeRow(OpResult result, Access access, int64_t length) {
  Operation *op = result.getOwner();
  bool isEntry =
      isa<nn::ReduceOp, nn::ReduceMaxOp, nn::ReduceMinOp, nn::ReduceProdOp,
          nn::SumOfSquaresOp, nn::CrossEntropyOp, nn::RowMaxOp>(op) ||
      (result.getResultNumber() > 0 &&
       isa<nn::LayerNormOp, nn::RmsNormOp, nn::MaskedSoftmaxOp>(op));
  if (access.row != unitRow() && access.row != affine(0)) {
    fail(op, "is read at other rows than its own");
    return false;
  }
  AffineExpr known = rowsOf.try_emplace(op, access.row).first->second;
  if (program.rows > 1 && known != access.row) {
    fail(op, "is read at several rows");
    return false;
  }
  if (access.extent != (isEntry ? 0 : length)) {
    fail(op, "its rows are not the kernel's");
    return false;
  }
  return true;
}

/// Reduces trailing dims. A reduction of all dims has one row.
Node *ExprBuilder::buildReduce(Operation *op, ArrayRef<int64_t> dims,
                               Combiner join, Access access) {
  Value input = op->getOperand(0);
  auto shape = nn::tensorType(input).getShape();
  int64_t lead = shape.size() - dims.size(), length = 1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim != lead + static_cast<int64_t>(i))
      return fail(op, "sums over dims that are not the last");
    length *= shape[dim];
  }
  if (!isWholeRow(op->getResult(0), access, length))
    return nullptr;
  Node *x = build(input, {access.row, length});
  if (!x)
    return nullptr;
  Type element = nn::tensorType(op->getResult(0)).getElementType();
  return round(convert(reduceBy(x, length, join), computeType(element)),
               element);
}

namespace {
/// The row of an op that normalizes it, with accessors for its operands.
struct NormRow {
  ExprBuilder &e;
  Operation *op;
  AffineExpr row;
  int64_t length;

  /// Operands as f32: one element per column of this row, one per row, one per
  /// column.
  Node *at(Value operand) { return read(operand, {row, length}); }
  Node *perRow(Value operand) { return read(operand, {row, 0}); }
  Node *perColumn(Value operand) {
    return read(operand, {e.affine(0), length});
  }

  Node *mean(Node *x);
  /// 1 / sqrt(square + eps), computed in f64.
  Node *reciprocalRoot(Node *square, const APFloat &eps);
  /// The cotangent of x, for xhat = (x - mean) * rstd and g = dy * scale: rstd
  /// * (g - mean(g) - xhat * mean(g * xhat)); without mean(g) if x was not
  /// centred.
  Node *normGrad(Node *g, Node *xhat, Node *rstd, bool isCentred);

  Node *build(nn::SoftmaxOp op, unsigned result);
  Node *build(nn::SoftmaxGradOp op, unsigned result);
  Node *build(nn::LayerNormOp op, unsigned result);
  Node *build(nn::LayerNormGradOp op, unsigned result);
  Node *build(nn::RmsNormOp op, unsigned result);
  Node *build(nn::RmsNormGradOp op, unsigned result);

private:
  Node *read(Value operand, Access access) {
    return e.convert(e.build(operand, access), e.f32());
  }
  Node *once(int name, llvm::function_ref<Node *()> make) {
    return e.once(op, name, make);
  }
};
} // namespace

Node *NormRow::mean(Node *x) { return e.sumRow(x, length, 1.0 / length); }

Node *NormRow::reciprocalRoot(Node *square, const APFloat &eps) {
  Node *sum = e.add(e.convert(square, e.f64()), eps.convertToDouble());
  return e.convert(e.div(e.constant(e.f64(), 1), e.sqrt(sum)), e.f32());
}

Node *NormRow::normGrad(Node *g, Node *xhat, Node *rstd, bool isCentred) {
  Node *along = once(1, [&] { return mean(e.mul(g, xhat)); });
  Node *rest = e.sub(g, e.mul(xhat, along));
  if (isCentred)
    rest = e.sub(rest, once(2, [&] { return mean(g); }));
  return e.mul(rest, rstd);
}

Node *NormRow::build(nn::SoftmaxOp op, unsigned) {
  Node *x = at(op.getInput());
  Node *max = once(0, [&] { return e.reduceMax(x, length); });
  Node *weight = e.exp(e.sub(x, max));
  Node *sum = once(1, [&] { return e.sumRow(weight, length); });
  return e.mul(weight, e.div(e.constant(e.f32(), 1), sum));
}

Node *NormRow::build(nn::SoftmaxGradOp op, unsigned) {
  Node *dy = at(op.getDy()), *y = at(op.getY());
  Node *dot = once(0, [&] { return e.sumRow(e.mul(y, dy), length); });
  return e.mul(y, e.sub(dy, dot));
}

Node *NormRow::build(nn::LayerNormOp op, unsigned result) {
  Node *x = at(op.getInput());
  Node *average = once(0, [&] { return mean(x); });
  Node *centred = e.sub(x, average);
  Node *rstd = once(1, [&] {
    return reciprocalRoot(mean(e.mul(centred, centred)), op.getEps());
  });
  if (result == 1)
    return average;
  if (result == 2)
    return rstd;
  Node *y = e.mul(e.mul(centred, rstd), perColumn(op.getScale()));
  return op.getBias() ? e.add(y, perColumn(op.getBias())) : y;
}

Node *NormRow::build(nn::LayerNormGradOp op, unsigned) {
  Node *rstd = perRow(op.getRstd());
  Node *xhat = e.mul(e.sub(at(op.getInput()), perRow(op.getMean())), rstd);
  Node *g = e.mul(at(op.getDy()), perColumn(op.getScale()));
  return normGrad(g, xhat, rstd, /*isCentred=*/true);
}

Node *NormRow::build(nn::RmsNormOp op, unsigned result) {
  Node *x = at(op.getInput());
  Node *rstd =
      once(0, [&] { return reciprocalRoot(mean(e.mul(x, x)), op.getEps()); });
  if (result == 1)
    return rstd;
  return e.mul(e.mul(x, rstd), perColumn(op.getScale()));
}

Node *NormRow::build(nn::RmsNormGradOp op, unsigned) {
  Node *rstd = perRow(op.getRstd());
  Node *xhat = e.mul(at(op.getInput()), rstd);
  Node *g = e.mul(at(op.getDy()), perColumn(op.getScale()));
  return normGrad(g, xhat, rstd, /*isCentred=*/false);
}

/// The sum of squares of a whole tensor, as one row.
Node *ExprBuilder::buildSquares(nn::SumOfSquaresOp op, Access access) {
  int64_t length = numElements(op.getInput());
  if (!isWholeRow(op->getResult(0), access, length))
    return nullptr;
  Node *x = convert(build(op.getInput(), {affine(0), length}), f32());
  return reduceBy(x, length, Combiner::SumOfSquares);
}

Node *ExprBuilder::buildNorm(OpResult value, Access access) {
  Operation *owner = value.getOwner();
  int64_t length = rowLength(owner->getOperand(0));
  if (!isWholeRow(value, access, length))
    return nullptr;
  NormRow row{*this, owner, access.row, length};
  Node *node =
      llvm::TypeSwitch<Operation *, Node *>(owner)
          .Case<nn::SoftmaxOp, nn::SoftmaxGradOp, nn::LayerNormOp,
                nn::LayerNormGradOp, nn::RmsNormOp, nn::RmsNormGradOp>(
              [&](auto op) { return row.build(op, value.getResultNumber()); })
          .Default([&](Operation *op) {
            return fail(op, "has no form in a kernel");
          });
  Type element = nn::tensorType(value).getElementType();
  return round(convert(node, computeType(element)), element);
}

Node *ExprBuilder::buildRows(OpResult value, Access access) {
  Operation *owner = value.getOwner();
  return llvm::TypeSwitch<Operation *, Node *>(owner)
      .Case([&](nn::ReduceOp op) {
        return buildReduce(op, op.getDims(), Combiner::Sum, access);
      })
      .Case([&](nn::ReduceMaxOp op) {
        return buildReduce(op, op.getDims(), Combiner::Max, access);
      })
      .Case([&](nn::ReduceMinOp op) {
        return buildReduce(op, op.getDims(), Combiner::Min, access);
      })
      .Case([&](nn::ReduceProdOp op) {
        return buildReduce(op, op.getDims(), Combiner::Prod, access);
      })
      .Case([&](nn::SumOfSquaresOp op) { return buildSquares(op, access); })
      .Default([&](Operation *) { return buildNorm(value, access); });
}

Node *ExprBuilder::buildColumnSum(Value value, int64_t columns) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return nullptr;
  Operation *owner = result.getOwner();
  Node *term = nullptr;
  if (auto reduce = dyn_cast<nn::ReduceOp>(owner)) {
    auto shape = nn::tensorType(reduce.getInput()).getShape();
    int64_t lead = leadingDims(shape, columns);
    if (lead < 0)
      return fail(owner, "its dims do not fit the columns");
    // Rows are (kept and reduced dims); d0 counts the kept dims, d1 the reduced
    // ones.
    SmallVector<int64_t> kept, gone;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim) {
      bool isGone = llvm::is_contained(reduce.getDims(), dim);
      if (isGone && dim >= lead)
        return fail(owner, "sums over columns");
      if (dim < lead)
        (isGone ? gone : kept).push_back(dim);
    }
    auto sizesOf = [&](ArrayRef<int64_t> dims) {
      return llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
    };
    auto keptIndices = delinearize(d0(), sizesOf(kept));
    auto goneIndices = delinearize(d1(), sizesOf(gone));
    SmallVector<AffineExpr> indices(lead);
    for (auto [dim, index] : llvm::zip(kept, keptIndices))
      indices[dim] = index;
    for (auto [dim, index] : llvm::zip(gone, goneIndices))
      indices[dim] = index;
    AffineExpr row = linearize(indices, shape.take_front(lead), context);
    // If all leading dims are reduced, the row is d1, without divisions.
    if (kept.empty())
      row = d1();
    // Written as the common row, so that it is recognized as such.
    if (simplifyAffineExpr(row - unitRow(), 2, 0) == 0)
      row = unitRow();
    term = build(reduce.getInput(), {row, columns});
  } else {
    // Rows of a norm's operands are counted by d1.
    if (numElements(value) != columns)
      return fail(owner, "its dims do not fit the columns");
    Access whole{d1(), columns}, perRow{d1(), 0};
    auto wide = [&](Node *node) { return convert(node, f32()); };
    auto at = [&](Value operand) { return wide(build(operand, whole)); };
    auto row = [&](Value operand) { return wide(build(operand, perRow)); };
    if (auto op = dyn_cast<nn::LayerNormGradScaleOp>(owner)) {
      Node *xhat =
          mul(sub(at(op.getInput()), row(op.getMean())), row(op.getRstd()));
      term = mul(at(op.getDy()), xhat);
    } else if (auto op = dyn_cast<nn::RmsNormGradScaleOp>(owner)) {
      term = mul(at(op.getDy()), mul(at(op.getInput()), row(op.getRstd())));
    } else {
      return fail(owner, "is not a sum over rows");
    }
  }
  if (!term)
    return nullptr;
  if (term->level && program.shape == KernelShape::Columns)
    return fail(owner, "sums a value that needs whole rows");
  if (hasColumnSum(term))
    return fail(owner, "sums column sums over rows");
  Node node{Node::Kind::ColReduce, term->type, {term}};
  node.extent = columns;
  node.cost = 1;
  Type element = nn::tensorType(value).getElementType();
  return round(convert(program.add(std::move(node)), computeType(element)),
               element);
}
