//===- ExprRows.cpp - Ops that reduce along a row -------------------------===//

#include "passes/Codegen/Kernels/Expr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

static int64_t rowLength(Value value) {
  return nn::tensorType(value).getShape().back();
}

/// A row's sums are made once, by the unit that owns the row; read from
/// elsewhere (a transposed use, say) each would be computed many times. The
/// first row may be every unit's, but not beside the unit's own: the sums of an
/// op are those of one row.
bool ExprBuilder::isWholeRow(OpResult result, Access access, int64_t length) {
  Operation *op = result.getOwner();
  bool isEntry =
      isa<nn::ReduceOp, nn::ReduceMaxOp, nn::ReduceMinOp, nn::ReduceProdOp,
          nn::SumOfSquaresOp, nn::CrossEntropyOp, nn::RowMaxOp>(op) ||
      (result.getResultNumber() > 0 &&
       isa<nn::LayerNormOp, nn::RmsNormOp, nn::MaskedSoftmaxOp>(op));
  if (access.row != d0() && access.row != affine(0)) {
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

/// Joins over trailing dims. Where all dims go, the input is one row.
Node *ExprBuilder::buildReduce(Operation *op, ArrayRef<int64_t> dims, Join join,
                               Access access) {
  Value input = op->getOperand(0);
  auto shape = nn::tensorType(input).getShape();
  int64_t lead = shape.size() - dims.size(), sweep = 1;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim != lead + static_cast<int64_t>(i))
      return fail(op, "sums over dims that are not the last");
    sweep *= shape[dim];
  }
  if (!isWholeRow(op->getResult(0), access, sweep))
    return nullptr;
  Node *x = build(input, {access.row, sweep});
  if (!x)
    return nullptr;
  Type element = nn::tensorType(op->getResult(0)).getElementType();
  bool isExact =
      join == Join::Max || join == Join::Min || !isa<FloatType>(element);
  Node *joined = isExact ? reduceBy(x, sweep, join)
                         : reduceBy(convert(x, f64()), sweep, join);
  return round(convert(joined, computeType(element)), element);
}

Node *ExprBuilder::buildRows(OpResult value, Access access) {
  Operation *owner = value.getOwner();
  if (auto reduce = dyn_cast<nn::ReduceOp>(owner))
    return buildReduce(owner, reduce.getDims(), Join::Sum, access);
  if (auto reduce = dyn_cast<nn::ReduceMaxOp>(owner))
    return buildReduce(owner, reduce.getDims(), Join::Max, access);
  if (auto reduce = dyn_cast<nn::ReduceMinOp>(owner))
    return buildReduce(owner, reduce.getDims(), Join::Min, access);
  if (auto reduce = dyn_cast<nn::ReduceProdOp>(owner))
    return buildReduce(owner, reduce.getDims(), Join::Prod, access);
  if (auto squares = dyn_cast<nn::SumOfSquaresOp>(owner)) {
    int64_t sweep = numElements(squares.getInput());
    if (!isWholeRow(value, access, sweep))
      return nullptr;
    Node *x = convert(build(squares.getInput(), {affine(0), sweep}), f64());
    return convert(reduceSum(mul(x, x), sweep), f32());
  }
  int64_t length = rowLength(owner->getOperand(0));
  if (!isWholeRow(value, access, length))
    return nullptr;
  Access whole{access.row, length}, perRow{access.row, 0};
  Access perColumn{affine(0), length};
  Type element = nn::tensorType(value).getElementType();
  auto wide = [&](Node *node) { return convert(node, f32()); };
  auto at = [&](Value operand) { return wide(build(operand, whole)); };
  auto scale = [&](Value operand) { return wide(build(operand, perColumn)); };
  auto row = [&](Value operand) { return wide(build(operand, perRow)); };
  // A row scalar of the op, made once for all of its results.
  auto once = [&](int name, llvm::function_ref<Node *()> make) {
    Node *&node = shared[{owner, name}];
    return node ? node : node = make();
  };
  auto mean = [&](Node *x) {
    return convert(mul(reduceSum(convert(x, f64()), length), 1.0 / length),
                   f32());
  };
  auto reciprocalRoot = [&](Node *square, double eps) {
    return convert(
        div(constant(f64(), 1), this->sqrt(add(convert(square, f64()), eps))),
        f32());
  };
  // The cotangent of x behind xhat = (x - mean) * rstd: g = dy * scale;
  // rstd * (g - mean(g) - xhat * mean(g * xhat)).
  auto normGrad = [&](Node *g, Node *xhat, Node *rstd, bool centred) {
    Node *along = once(1, [&] { return mean(mul(g, xhat)); });
    Node *rest = sub(g, mul(xhat, along));
    if (centred)
      rest = sub(rest, once(2, [&] { return mean(g); }));
    return mul(rest, rstd);
  };

  Node *node =
      llvm::TypeSwitch<Operation *, Node *>(owner)
          .Case([&](nn::SoftmaxOp op) -> Node * {
            Node *x = at(op.getInput());
            Node *max = once(0, [&] { return reduceMax(x, length); });
            Node *e = this->exp(sub(x, max));
            Node *sum = once(1, [&] {
              return convert(reduceSum(convert(e, f64()), length), f32());
            });
            return mul(e, div(constant(f32(), 1), sum));
          })
          .Case([&](nn::SoftmaxGradOp op) -> Node * {
            Node *dy = at(op.getDy()), *y = at(op.getY());
            Node *dot = once(0, [&] {
              return convert(reduceSum(convert(mul(y, dy), f64()), length),
                             f32());
            });
            return mul(y, sub(dy, dot));
          })
          .Case([&](nn::LayerNormOp op) -> Node * {
            Node *x = at(op.getInput());
            Node *average = once(0, [&] { return mean(x); });
            Node *centred = sub(x, average);
            Node *rstd = once(1, [&] {
              return reciprocalRoot(mean(mul(centred, centred)),
                                    op.getEps().convertToDouble());
            });
            if (value.getResultNumber() == 1)
              return average;
            if (value.getResultNumber() == 2)
              return rstd;
            Node *y = mul(mul(centred, rstd), scale(op.getScale()));
            return op.getBias() ? add(y, scale(op.getBias())) : y;
          })
          .Case([&](nn::RmsNormOp op) -> Node * {
            Node *x = at(op.getInput());
            Node *rstd = once(0, [&] {
              return reciprocalRoot(mean(mul(x, x)),
                                    op.getEps().convertToDouble());
            });
            if (value.getResultNumber() == 1)
              return rstd;
            return mul(mul(x, rstd), scale(op.getScale()));
          })
          .Case([&](nn::LayerNormGradOp op) -> Node * {
            Node *rstd = row(op.getRstd());
            Node *xhat = mul(sub(at(op.getInput()), row(op.getMean())), rstd);
            Node *g = mul(at(op.getDy()), scale(op.getScale()));
            return normGrad(g, xhat, rstd, /*centred=*/true);
          })
          .Case([&](nn::RmsNormGradOp op) -> Node * {
            Node *rstd = row(op.getRstd());
            Node *xhat = mul(at(op.getInput()), rstd);
            Node *g = mul(at(op.getDy()), scale(op.getScale()));
            return normGrad(g, xhat, rstd, /*centred=*/false);
          })
          .Default([&](Operation *op) {
            return fail(op, "has no form in a kernel");
          });
  return round(convert(node, computeType(element)), element);
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
    // Rows are (kept and reduced dims); d0 counts the kept, d1 the reduced.
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
    // One run of reduced dims before the columns needs no division.
    if (kept.empty())
      row = d1();
    term = build(reduce.getInput(), {row, columns});
  } else {
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
      return fail(owner, "is no sum over rows");
    }
  }
  if (!term)
    return nullptr;
  if (term->level)
    return fail(owner, "sums what needs whole rows");
  term = convert(term, f64());
  Node node{Node::Kind::ColReduce, f64(), {term}};
  node.extent = columns;
  node.cost = 1;
  Type element = nn::tensorType(value).getElementType();
  return round(convert(program.add(std::move(node)), computeType(element)),
               element);
}
