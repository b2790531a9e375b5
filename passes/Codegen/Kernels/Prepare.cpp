//===- Prepare.cpp - Rewrites before kernels are formed -------------------===//

#include "passes/Codegen/Kernels/Prepare.h"
#include "dialects/Dist/Layout.h"

using namespace mlir;
using namespace pcc;

/// Up to here a sum of everything is one unit's work.
static constexpr int64_t kSumElements = 16384;
/// The second part of a sum gets at most about this many terms.
static constexpr int64_t kPartialSums = 65536;

static RankedTensorType withShape(ArrayRef<int64_t> shape, Value like) {
  return RankedTensorType::get(shape, nn::tensorType(like).getElementType());
}

static Value reduceDims(OpBuilder &b, Location loc, Value x,
                        ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(nn::tensorType(x).getShape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      shape.push_back(size);
  return nn::ReduceOp::create(b, loc, withShape(shape, x), x, dims);
}

/// Rows whose sums are the first part of a sum of all elements: trailing dims
/// until few enough rows are left.
static int64_t leadOfRows(ArrayRef<int64_t> shape) {
  int64_t rows = 1, lead = 0, rank = shape.size();
  while (lead < rank - 1 && rows * shape[lead] <= kPartialSums)
    rows *= shape[lead++];
  return lead;
}

/// The value that takes an op's place lies as the op's.
static void replace(Operation *op, Value value) {
  if (dist::ShardingAttr sharding = dist::getSharding(op->getResult(0)))
    dist::setShardings(value.getDefiningOp(), sharding);
  op->replaceAllUsesWith(ValueRange(value));
  op->erase();
}

static Value sumAll(OpBuilder &b, Location loc, Value x) {
  auto shape = nn::tensorType(x).getShape();
  int64_t count = nn::tensorType(x).getNumElements();
  int64_t rank = shape.size();
  if (count <= kSumElements)
    return reduceDims(b, loc, x, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  if (int64_t lead = leadOfRows(shape);
      ShapedType::getNumElements(shape.take_front(lead)) > 1) {
    x = reduceDims(b, loc, x, llvm::to_vector(llvm::seq(lead, rank)));
    rank = lead;
  } else {
    // One dim alone, or too many rows: cut it where it divides.
    for (int64_t length = 4096; length >= 32; --length)
      if (count % length == 0) {
        x = nn::ReshapeOp::create(b, loc,
                                  withShape({count / length, length}, x), x);
        return sumAll(b, loc, reduceDims(b, loc, x, {1}));
      }
  }
  return reduceDims(b, loc, x, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
}

static void splitSumOfSquares(nn::SumOfSquaresOp op) {
  if (nn::tensorType(op.getInput()).getNumElements() <= kSumElements)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getInput();
  if (!nn::tensorType(x).getElementType().isF32())
    x = nn::CastOp::create(
        b, loc,
        RankedTensorType::get(nn::tensorType(x).getShape(), b.getF32Type()), x);
  Value squares = nn::MulOp::create(b, loc, x.getType(), x, x);
  replace(op, sumAll(b, loc, squares));
}

/// Trailing dims are summed first, then leading ones.
static void splitReduce(nn::ReduceOp op) {
  int64_t rank = nn::tensorType(op.getInput()).getRank();
  SmallVector<int64_t> dims(op.getDims());
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (static_cast<int64_t>(dims.size()) == rank) {
    if (nn::tensorType(op.getInput()).getNumElements() <= kSumElements)
      return;
    replace(op, sumAll(b, loc, op.getInput()));
    return;
  }
  int64_t trailing = 0;
  while (llvm::is_contained(dims, rank - 1 - trailing))
    ++trailing;
  if (trailing == 0 || trailing == static_cast<int64_t>(dims.size()))
    return;
  Value rows = reduceDims(b, loc, op.getInput(),
                          llvm::to_vector(llvm::seq(rank - trailing, rank)));
  dims.resize(dims.size() - trailing);
  replace(op, reduceDims(b, loc, rows, dims));
}

/// What is no sum is joined along rows only: its dims become the last ones.
template <typename Op>
static void moveReducedLast(Op op) {
  RankedTensorType type = nn::tensorType(op.getInput());
  SmallVector<int64_t> permutation, shape, last;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(op.getDims(), dim))
      permutation.push_back(dim);
  int64_t kept = permutation.size();
  llvm::append_range(permutation, op.getDims());
  if (llvm::is_sorted(permutation))
    return;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  OpBuilder b(op);
  Value moved =
      nn::TransposeOp::create(b, op.getLoc(), withShape(shape, op.getInput()),
                              op.getInput(), permutation);
  op.getInputMutable().assign(moved);
  op.setDims(llvm::to_vector(llvm::seq(kept, type.getRank())));
}

template <typename Op>
static void forEach(Block &block, void (*rewrite)(Op)) {
  for (Op op : llvm::to_vector(block.getOps<Op>()))
    rewrite(op);
}

void codegen::prepareBlock(Block &block) {
  forEach<nn::SumOfSquaresOp>(block, splitSumOfSquares);
  forEach<nn::ReduceOp>(block, splitReduce);
  forEach<nn::ReduceMaxOp>(block, moveReducedLast);
  forEach<nn::ReduceMinOp>(block, moveReducedLast);
  forEach<nn::ReduceProdOp>(block, moveReducedLast);
}
