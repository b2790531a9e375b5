//===- Prepare.cpp - Rewrites before kernels are formed -------------------===//

#include "passes/Codegen/Kernels/Prepare.h"
#include "dialects/Dist/Layout.h"
#include "passes/Codegen/Kernels/RowProgram.h"
#include "passes/Codegen/Kernels/Sort/SortRows.h"

using namespace mlir;
using namespace pcc;

/// Up to here a sum of everything is one unit's work.
static constexpr int64_t kSumElements = 16384;
/// The second part of a sum gets at most about this many terms.
static constexpr int64_t kPartialSums = 65536;
/// The least rows of a part of a sum over rows: what parts leave behind is
/// little beside what they read.
static constexpr int64_t kPartRows = 32;
/// Threads of a kernel of groups of rows, that a large device is busy.
static constexpr int64_t kGroupThreads = 65536;

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

/// The longest rows of a sum of `count` elements that have no rows. What a
/// device does with the sum each of its blocks may add up again: it has fewer
/// and longer rows, as far as they are blocks enough.
static int64_t longestRow(int64_t count, bool isForDevice) {
  return isForDevice ? std::clamp<int64_t>(count / 512, 4096, 16384) : 4096;
}

static Value sumAll(OpBuilder &b, Location loc, Value x, bool isForDevice) {
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
    for (int64_t length = longestRow(count, isForDevice); length >= 32;
         --length)
      if (count % length == 0) {
        x = nn::ReshapeOp::create(b, loc,
                                  withShape({count / length, length}, x), x);
        return sumAll(b, loc, reduceDims(b, loc, x, {1}), isForDevice);
      }
  }
  return reduceDims(b, loc, x, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
}

static void splitSumOfSquares(nn::SumOfSquaresOp op, bool isForDevice) {
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
  replace(op, sumAll(b, loc, squares, isForDevice));
}

/// Trailing dims are summed first, then leading ones.
static void splitReduce(nn::ReduceOp op, bool isForDevice) {
  int64_t rank = nn::tensorType(op.getInput()).getRank();
  SmallVector<int64_t> dims(op.getDims());
  OpBuilder b(op);
  Location loc = op.getLoc();
  if (static_cast<int64_t>(dims.size()) == rank) {
    if (nn::tensorType(op.getInput()).getNumElements() <= kSumElements)
      return;
    replace(op, sumAll(b, loc, op.getInput(), isForDevice));
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

/// Into how many parts a sum of so many rows of so many columns is divided.
/// A kernel that does more with the rows may make the first step: then each of
/// its units takes those of a part in turn, and there are enough of them.
static int64_t partsOf(int64_t rows, int64_t columns, int64_t partialSums) {
  int64_t wanted = llvm::divideCeil(partialSums, columns);
  if (columns >= codegen::kLeastGroupColumns &&
      rows >= codegen::kLeastGroups * kPartRows)
    wanted = std::max({wanted, codegen::kLeastGroups,
                       kGroupThreads / codegen::threadsOfGroup(columns)});
  int64_t parts = 1;
  for (int64_t p = 2; parts < wanted && p * kPartRows <= rows; ++p)
    if (rows % p == 0)
      parts = p;
  return parts;
}

static Value wide(OpBuilder &b, Location loc, Value x) {
  RankedTensorType type = nn::tensorType(x);
  if (type.getElementTypeBitWidth() > 16)
    return x;
  return nn::CastOp::create(b, loc, type.clone(b.getF32Type()), x);
}

/// The sum over all dims but the last ones that `result` has, in two steps.
static Value sumInParts(OpBuilder &b, Location loc, Value x,
                        RankedTensorType result, int64_t parts) {
  x = wide(b, loc, x);
  SmallVector<int64_t> shape = {parts, nn::tensorType(x).getNumElements() /
                                           result.getNumElements() / parts};
  llvm::append_range(shape, result.getShape());
  x = nn::ReshapeOp::create(b, loc, withShape(shape, x), x);
  x = reduceDims(b, loc, reduceDims(b, loc, x, {1}), {0});
  if (x.getType() != result)
    x = nn::CastOp::create(b, loc, result, x);
  return x;
}

/// The parts of a sum that leaves the last dims of `x`; 1: it stays as it is.
static int64_t partsFor(Value x, Value result, int64_t partialSums) {
  int64_t columns = nn::tensorType(result).getNumElements();
  int64_t rows = nn::tensorType(x).getNumElements() / columns;
  return partsOf(rows, columns, partialSums);
}

static void splitColumnSum(nn::ReduceOp op, int64_t partialSums) {
  int64_t count = op.getDims().size();
  bool isLeading = llvm::equal(op.getDims(), llvm::seq<int64_t>(0, count)) &&
                   count < nn::tensorType(op.getInput()).getRank();
  int64_t parts = partsFor(op.getInput(), op.getResult(), partialSums);
  if (!isLeading || parts == 1)
    return;
  OpBuilder b(op);
  replace(op, sumInParts(b, op.getLoc(), op.getInput(),
                         nn::tensorType(op.getResult()), parts));
}

/// The gradient of a norm's scale as the sum that it is: of dy times the rows
/// as they were normalized.
template <typename Op>
static void splitScaleGradient(Op op, int64_t partialSums) {
  int64_t parts = partsFor(op.getInput(), op->getResult(0), partialSums);
  if (parts == 1)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = wide(b, loc, op.getInput()), dy = wide(b, loc, op.getDy());
  auto perRow = [&](Value value) -> Value {
    auto dims =
        llvm::to_vector(llvm::seq<int64_t>(0, nn::tensorType(value).getRank()));
    return nn::BroadcastOp::create(b, loc, x.getType(), wide(b, loc, value),
                                   dims);
  };
  if constexpr (std::is_same_v<Op, nn::LayerNormGradScaleOp>)
    x = nn::SubOp::create(b, loc, x.getType(), x, perRow(op.getMean()));
  x = nn::MulOp::create(b, loc, x.getType(), x, perRow(op.getRstd()));
  x = nn::MulOp::create(b, loc, x.getType(), dy, x);
  replace(op, sumInParts(b, loc, x, nn::tensorType(op->getResult(0)), parts));
}

/// Sums of all elements that are added up, as those of a model's gradients: of
/// vectors of one shape the elements are added first, so that these have one
/// sum. Each block of an update may make it again, and waits in each.
static void joinSums(nn::SumOp op) {
  llvm::MapVector<Type, SmallVector<nn::ReduceOp>> sums;
  for (Value operand : op.getOperands())
    if (auto sum = operand.getDefiningOp<nn::ReduceOp>())
      if (sum->hasOneUse() && nn::tensorType(operand).getRank() == 0 &&
          nn::tensorType(operand).getElementType().isF32())
        sums[sum.getInput().getType()].push_back(sum);
  OpBuilder b(op);
  for (auto &[type, same] : sums) {
    if (same.size() < 2)
      continue;
    auto inputs = llvm::map_to_vector(
        same, [](nn::ReduceOp sum) -> Value { return sum.getInput(); });
    nn::ReduceOp first = same.front();
    first.getInputMutable().assign(
        nn::SumOp::create(b, op.getLoc(), type, inputs));
    first->moveBefore(op);
    for (nn::ReduceOp sum : llvm::drop_begin(same)) {
      op->eraseOperand(sum->use_begin()->getOperandNumber());
      sum.erase();
    }
  }
  if (op->getNumOperands() == 1)
    replace(op, op->getOperand(0));
}

template <typename Op, typename... Arguments>
static void forEach(Block &block, void (*rewrite)(Op, Arguments...),
                    Arguments... arguments) {
  for (Op op : llvm::to_vector(block.getOps<Op>()))
    rewrite(op, arguments...);
}

void codegen::prepareBlock(Block &block, int64_t partialSums) {
  bool isForDevice = partialSums;
  forEach<nn::SumOfSquaresOp>(block, splitSumOfSquares, isForDevice);
  forEach<nn::ReduceOp>(block, splitReduce, isForDevice);
  if (partialSums) {
    forEach<nn::SumOp>(block, joinSums);
    forEach<nn::ReduceOp>(block, splitColumnSum, partialSums);
    forEach<nn::LayerNormGradScaleOp>(block, splitScaleGradient, partialSums);
    forEach<nn::RmsNormGradScaleOp>(block, splitScaleGradient, partialSums);
    forEach<nn::EmbeddingGradOp>(block, sortRows);
  }
  forEach<nn::ReduceMaxOp>(block, moveReducedLast);
  forEach<nn::ReduceMinOp>(block, moveReducedLast);
  forEach<nn::ReduceProdOp>(block, moveReducedLast);
}
