//===- Prepare.cpp - Rewrites before kernels are formed -------------------===//

#include "passes/Codegen/Kernels/Prepare.h"
#include "dialects/Dist/Layout.h"
#include "passes/Codegen/Kernels/RowProgram.h"
#include "passes/Codegen/Kernels/Sort/RouteRows.h"
#include "passes/Codegen/Kernels/Sort/SortRows.h"

using namespace mlir;
using namespace pcc;

/// The most elements of a full sum that is computed in one step.
static constexpr int64_t kSumElements = 16384;
/// The most terms, approximately, that the second step of a split sum gets.
static constexpr int64_t kPartialSums = 65536;
/// The fewest rows per partial sum, so that writing the partial sums is cheap
/// compared with reading the rows.
static constexpr int64_t kPartRows = 32;
/// Threads that a kernel of groups of rows should have to fill a large device.
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

/// The number of leading dims that index the rows of a full sum's first step:
/// the most whose extents multiply to at most kPartialSums, without the last
/// dim.
static int64_t leadOfRows(ArrayRef<int64_t> shape) {
  int64_t rows = 1, lead = 0, rank = shape.size();
  while (lead < rank - 1 && rows * shape[lead] <= kPartialSums)
    rows *= shape[lead++];
  return lead;
}

/// Replaces an op by a value, which gets the op's sharding.
static void replace(Operation *op, Value value) {
  if (dist::ShardingAttr sharding = dist::getSharding(op->getResult(0)))
    dist::setShardings(value.getDefiningOp(), sharding);
  op->replaceAllUsesWith(ValueRange(value));
  op->erase();
}

/// The longest rows into which a full sum of `count` elements is cut. On a
/// device each block of a user may add up the partial sums again, so rows are
/// longer and fewer, while there are enough rows for all blocks.
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
    // A single dim, or too many rows: cut into rows of a length that divides
    // it.
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

/// Sums trailing dims first, then leading ones.
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

/// Transposes the input so that reduced dims are last: reductions other than
/// sums are computed along rows only.
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

/// The number of partial sums into which a column sum is split. The first step
/// may be fused into a kernel that also reads the rows. Each work item of that
/// kernel takes the rows of one part one after another, so it needs enough
/// parts.
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

/// The sum over all dims but those of `result`, in two steps.
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

/// The number of partial sums of a column sum of `x`; 1: no split.
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

/// Splits the gradient of a norm's scale, the column sum of dy times the
/// normalized rows.
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

/// Merges full sums that are added up, as for the gradient norm: inputs of
/// equal shape are added elementwise and reduced once. Each block of an update
/// may recompute the sums, and synchronizes for each of them.
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
  forEach<nn::RouteOp>(block, routeRows);
  forEach<nn::TopKOp>(block, orderByRanks);
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
