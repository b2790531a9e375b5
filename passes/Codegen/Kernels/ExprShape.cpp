//===- ExprShape.cpp - Ops that move elements -----------------------------===//
//
// These ops change only which element is read. The row of the result is split
// into an index per dim, the op maps the indices, and the row of the operand is
// composed from them. Rows of x : tensor<2x3x4xf32> have four columns:
//
//     nn.transpose %x [1, 0, 2]    row d0 of [3, 2] is [d0 / 2, d0 mod 2],
//                                  of x: [d0 mod 2, d0 / 2],
//                                  its row (d0 mod 2) * 3 + d0 / 2
//     nn.slice %x at [0, 1, 0]     row d0 of [2, 2] is [d0 / 2, d0 mod 2],
//       step [1, 1, 1]             of x: [d0 / 2, d0 mod 2 + 1]
//
// Columns stay together: an op that permutes or cuts them has no expression,
// unless rows are so short that these dims are rows.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "passes/Codegen/Kernels/Expr.h"
#include "passes/Codegen/Kernels/Prepare.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

SmallVector<AffineExpr> codegen::delinearize(AffineExpr index,
                                             ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> indices(sizes.size());
  int64_t stride = 1;
  bool isOuter = true;
  int64_t outer = -1;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (size != 1) {
      outer = i;
      break;
    }
  for (int64_t i = sizes.size() - 1; i >= 0; --i) {
    isOuter = i == outer;
    AffineExpr quotient = stride == 1 ? index : index.floorDiv(stride);
    if (sizes[i] == 1)
      indices[i] = getAffineConstantExpr(0, index.getContext());
    else
      indices[i] = isOuter ? quotient : quotient % sizes[i];
    stride *= sizes[i];
  }
  return indices;
}

AffineExpr codegen::linearize(ArrayRef<AffineExpr> indices,
                              ArrayRef<int64_t> sizes, MLIRContext *context) {
  AffineExpr sum = getAffineConstantExpr(0, context);
  int64_t stride = 1;
  for (int64_t i = indices.size() - 1; i >= 0; --i) {
    sum = sum + indices[i] * stride;
    stride *= sizes[i];
  }
  return sum;
}

int64_t codegen::leadingDims(ArrayRef<int64_t> shape, int64_t extent) {
  int64_t lead = shape.size();
  if (!extent)
    return lead;
  int64_t product = 1;
  while (lead > 0 && product < extent)
    product *= shape[--lead];
  if (product != extent)
    return -1;
  // A row of one element still needs its dim.
  if (extent == 1 && lead > 0 && shape[lead - 1] == 1)
    --lead;
  return lead;
}

/// Adjacent dims that a broadcast keeps, or adds, are merged into one.
Node *ExprBuilder::buildBroadcast(nn::BroadcastOp op, Access access) {
  auto shape = nn::tensorType(op.getResult()).getShape();
  ArrayRef<int64_t> dims = op.getDims();
  int64_t lead = leadingDims(shape, access.extent);
  if (lead < 0)
    return fail(op, "its dims do not fit the rows");
  auto isKept = [&](int64_t dim) { return llvm::is_contained(dims, dim); };
  // Columns must be all kept or all new, except dims of extent 1.
  bool anyKept = false, allKept = true;
  for (int64_t dim = lead; dim < static_cast<int64_t>(shape.size()); ++dim) {
    if (shape[dim] == 1)
      continue;
    anyKept |= isKept(dim);
    allKept &= isKept(dim);
  }
  if (anyKept && !allKept)
    return fail(op, "adds some of the columns' dims");
  SmallVector<int64_t> sizes;
  SmallVector<bool> kept;
  for (int64_t dim = 0; dim < lead; ++dim) {
    if (shape[dim] == 1)
      continue;
    if (!kept.empty() && kept.back() == isKept(dim)) {
      sizes.back() *= shape[dim];
      continue;
    }
    sizes.push_back(shape[dim]);
    kept.push_back(isKept(dim));
  }
  auto indices = delinearize(access.row, sizes);
  SmallVector<AffineExpr> keptIndices;
  SmallVector<int64_t> keptSizes;
  for (auto [i, keep] : llvm::enumerate(kept))
    if (keep) {
      keptIndices.push_back(indices[i]);
      keptSizes.push_back(sizes[i]);
    }
  AffineExpr row = linearize(keptIndices, keptSizes, context);
  int64_t extent = anyKept ? access.extent : 0;
  return build(op.getInput(), {row, extent});
}

Node *ExprBuilder::buildTranspose(nn::TransposeOp op, Access access) {
  auto shape = nn::tensorType(op.getResult()).getShape();
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t rank = shape.size(), lead = leadingDims(shape, access.extent);
  if (lead < 0)
    return fail(op, "its dims do not fit the rows");
  for (int64_t dim = lead; dim < rank; ++dim)
    if (permutation[dim] != dim)
      return fail(op, "permutes the columns' dims");
  // Consecutive dims that stay adjacent are merged into one.
  SmallVector<int64_t> runSizes, runStarts;
  for (int64_t dim = 0; dim < lead; ++dim) {
    if (dim && permutation[dim] == permutation[dim - 1] + 1) {
      runSizes.back() *= shape[dim];
      continue;
    }
    runSizes.push_back(shape[dim]);
    runStarts.push_back(permutation[dim]);
  }
  auto indices = delinearize(access.row, runSizes);
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, runSizes.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return runStarts[a] < runStarts[b];
  });
  SmallVector<AffineExpr> sorted;
  SmallVector<int64_t> sizes;
  for (unsigned run : order) {
    sorted.push_back(indices[run]);
    sizes.push_back(runSizes[run]);
  }
  return build(op.getInput(),
               {linearize(sorted, sizes, context), access.extent});
}

/// slice: input index = start + i * step. pad: i = (index - start) / step if
/// that is an integer within the input, else zero.
Node *ExprBuilder::buildBox(Operation *op, Value input,
                            ArrayRef<int64_t> starts, ArrayRef<int64_t> steps,
                            bool isPad, Access access) {
  auto shape = nn::tensorType(op->getResult(0)).getShape();
  auto inputShape = nn::tensorType(input).getShape();
  int64_t rank = shape.size(), lead = leadingDims(shape, access.extent);
  if (lead < 0)
    return fail(op, "its dims do not fit the rows");
  for (int64_t dim = lead; dim < rank; ++dim)
    if (shape[dim] != inputShape[dim])
      return fail(op, "cuts the columns");
  auto indices = delinearize(access.row, shape.take_front(lead));
  Node *inside = nullptr;
  for (int64_t dim = 0; dim < lead; ++dim) {
    if (!isPad) {
      indices[dim] = indices[dim] * steps[dim] + starts[dim];
      continue;
    }
    if (shape[dim] == inputShape[dim])
      continue;
    AffineExpr from = indices[dim] - starts[dim];
    AffineExpr quotient = from.floorDiv(steps[dim]);
    int64_t size = inputShape[dim];
    Node *position = rowIndex(quotient);
    Node *rest = rowIndex(from % steps[dim]);
    Node *fits = this->op(
        IntegerType::get(context, 1), {position, rest}, 3,
        [=](ScalarBuilder &b, ValueRange v) -> Value {
          Value bound = arith::ConstantIndexOp::create(b, size);
          Value zero = arith::ConstantIndexOp::create(b, 0);
          Value low =
              arith::CmpIOp::create(b, arith::CmpIPredicate::ult, v[0], bound);
          Value whole =
              arith::CmpIOp::create(b, arith::CmpIPredicate::eq, v[1], zero);
          return arith::AndIOp::create(b, low, whole);
        });
    inside = inside ? this->op(inside->type, {inside, fits}, 1,
                               [](ScalarBuilder &b, ValueRange v) -> Value {
                                 return arith::AndIOp::create(b, v[0], v[1]);
                               })
                    : fits;
    // Outside the input the element's value does not matter, but it must exist:
    // the index is wrapped into the dim.
    indices[dim] = quotient % size;
  }
  Node *node =
      build(input, {linearize(indices, inputShape.take_front(lead), context),
                    access.extent});
  if (!node || !inside)
    return node;
  return select(inside, node, constant(node->type, 0));
}

/// Selects among the inputs by the index along the dim.
Node *ExprBuilder::buildConcat(nn::ConcatOp op, Access access) {
  auto shape = nn::tensorType(op.getResult()).getShape();
  int64_t lead = leadingDims(shape, access.extent);
  int64_t dim = op.getDim();
  if (lead < 0 || dim >= lead)
    return fail(op, "concatenates columns");
  auto indices = delinearize(access.row, shape.take_front(lead));
  AffineExpr along = indices[dim];
  int64_t start = 0;
  Node *result = nullptr;
  for (Value input : op.getInputs()) {
    auto inputShape = nn::tensorType(input).getShape();
    int64_t size = inputShape[dim];
    indices[dim] = (along - start) % size;
    Node *part =
        build(input, {linearize(indices, inputShape.take_front(lead), context),
                      access.extent});
    if (!part)
      return nullptr;
    if (!result) {
      result = part;
    } else {
      Node *before = less(rowIndex(along), constantInt(index(), start));
      result = select(before, result, part);
    }
    start += size;
  }
  return result;
}

Node *ExprBuilder::buildSelect(nn::SelectOp op, Access access) {
  auto inputShape = nn::tensorType(op.getInput()).getShape();
  auto shape = nn::tensorType(op.getResult()).getShape();
  int64_t dim = op.getDim();
  int64_t lead = leadingDims(shape, access.extent);
  if (lead < 0 || dim > lead)
    return fail(op, "selects among the columns' dims");
  int64_t after = 1, before = 1;
  for (int64_t i = 0; i < lead; ++i)
    (i < dim ? before : after) *= shape[i];
  auto indices = delinearize(access.row, {before, after});
  AffineExpr row = linearize({indices[0], affine(op.getIndex()), indices[1]},
                             {before, inputShape[dim], after}, context);
  return build(op.getInput(), {row, access.extent});
}

Node *ExprBuilder::buildInsert(nn::InsertOp op, Access access) {
  auto shape = nn::tensorType(op.getResult()).getShape();
  int64_t dim = op.getDim();
  int64_t lead = leadingDims(shape, access.extent);
  if (lead < 0 || dim >= lead)
    return fail(op, "inserts among the columns' dims");
  int64_t after = 1, before = 1;
  for (int64_t i = 0; i < lead; ++i)
    if (i != dim)
      (i < dim ? before : after) *= shape[i];
  auto indices = delinearize(access.row, {before, shape[dim], after});
  AffineExpr row =
      linearize({indices[0], indices[2]}, {before, after}, context);
  Node *input = build(op.getInput(), {row, access.extent});
  if (!input)
    return nullptr;
  Node *here = equal(rowIndex(indices[1]), constantInt(index(), op.getIndex()));
  return select(here, input, constant(input->type, 0));
}

Node *ExprBuilder::buildConstant(nn::ConstantOp op, Access access) {
  auto type = nn::tensorType(op.getResult());
  Type compute = computeType(type.getElementType());
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return fail(op, "its elements are not available");
  if (dense.isSplat()) {
    if (isa<FloatType>(compute))
      return constant(compute,
                      dense.getSplatValue<APFloat>().convertToDouble());
    return constantInt(compute, dense.getSplatValue<APInt>().getZExtValue());
  }
  auto inMemory = [&] {
    program.constants.push_back(dense);
    return leaf(RowProgram::kFirstConstant + program.constants.size() - 1,
                op.getResult(), access);
  };
  if (isa<FloatType>(compute))
    return inMemory();
  // An arithmetic sequence, such as positions: first + step * index.
  auto values = llvm::to_vector(
      llvm::map_range(dense.getValues<APInt>(),
                      [](const APInt &v) { return v.getSExtValue(); }));
  int64_t first = values[0], step = values[1] - values[0];
  for (auto [i, value] : llvm::enumerate(values))
    if (value != first + static_cast<int64_t>(i) * step)
      return inMemory();
  Node *position =
      convert(rowIndex(access.extent ? access.row * access.extent : access.row),
              compute);
  if (access.extent)
    position = add(position, convert(column(access.extent), compute));
  return add(mul(position, constantInt(compute, step)),
             constantInt(compute, first));
}

Node *ExprBuilder::buildEmbedding(nn::EmbeddingOp op, Access access) {
  // A reshape does not move elements.
  Value from = op.getTable();
  while (argumentOf(from) < 0 && from.getDefiningOp<nn::ReshapeOp>())
    from = from.getDefiningOp()->getOperand(0);
  int table = argumentOf(from);
  auto tableShape = nn::tensorType(op.getTable()).getShape();
  if (table < 0)
    return fail(op, "its table is computed in the kernel");
  // `held`: elements of a table row; `within`: the kernel's rows in it.
  int64_t held = ShapedType::getNumElements(tableShape.drop_front());
  int64_t length = 1;
  for (int64_t extent : llvm::reverse(tableShape.drop_front()))
    if (length < access.extent)
      length *= extent;
  if (access.extent && access.extent != length)
    return fail(op, "its rows are not the kernel's");
  int64_t within = held / length;
  AffineExpr token = within == 1 ? access.row : access.row.floorDiv(within);
  Node *id = convert(build(op.getIds(), {token, 0}), index());
  if (op.getOffset())
    id = sub(id, convert(build(op.getOffset(), {affine(0), 0}), index()));
  if (!id)
    return nullptr;
  // Ids of an order are always valid rows. Other ids may be out of range and
  // yield zeros.
  Node *row = id, *valid = nullptr;
  if (int64_t tableRows = tableShape[0]; !isOrder(op)) {
    valid =
        this->op(IntegerType::get(context, 1), {id}, 1,
                 [=](ScalarBuilder &b, ValueRange v) -> Value {
                   Value bound = arith::ConstantIndexOp::create(b, tableRows);
                   return arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                                v[0], bound);
                 });
    row = select(valid, id, constantInt(index(), 0));
  }
  if (within > 1 || !access.extent)
    row = add(mul(row, constantInt(index(), within)),
              rowIndex(access.row % within));
  Type element = nn::tensorType(op.getTable()).getElementType();
  Node gather{Node::Kind::Gather, computeType(element), {row}};
  gather.extent = access.extent;
  gather.cost = 1;
  gather.argument = table;
  gather.level = row->level;
  Node *entry = program.add(std::move(gather));
  return valid ? select(valid, entry, constant(entry->type, 0)) : entry;
}

Node *ExprBuilder::buildShape(Operation *op, Access access) {
  if (auto broadcast = dyn_cast<nn::BroadcastOp>(op))
    return buildBroadcast(broadcast, access);
  if (auto reshape = dyn_cast<nn::ReshapeOp>(op))
    return build(reshape.getInput(), access);
  if (auto transpose = dyn_cast<nn::TransposeOp>(op))
    return buildTranspose(transpose, access);
  if (auto select = dyn_cast<nn::SelectOp>(op))
    return buildSelect(select, access);
  if (auto insert = dyn_cast<nn::InsertOp>(op))
    return buildInsert(insert, access);
  if (auto slice = dyn_cast<nn::SliceOp>(op))
    return buildBox(op, slice.getInput(), slice.getStarts(), slice.getSteps(),
                    /*isPad=*/false, access);
  if (auto pad = dyn_cast<nn::PadOp>(op))
    return buildBox(op, pad.getInput(), pad.getStarts(), pad.getSteps(),
                    /*isPad=*/true, access);
  if (auto concat = dyn_cast<nn::ConcatOp>(op))
    return buildConcat(concat, access);
  if (auto constant = dyn_cast<nn::ConstantOp>(op))
    return buildConstant(constant, access);
  return buildEmbedding(cast<nn::EmbeddingOp>(op), access);
}
