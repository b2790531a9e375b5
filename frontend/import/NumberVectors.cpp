//===- NumberVectors.cpp - Vectors of losses ------------------------------===//

#include "frontend/import/NumberVectors.h"
#include "analysis/Dependence.h"
#include "dialects/NN/Roles.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The most elements of such a vector: each becomes a term of the loss.
static constexpr int64_t kMostElements = 64;

bool pcc::frontend::dependsOnSamples(Value value) {
  return dependsOn(value, [](Value source) {
    auto argument = dyn_cast<BlockArgument>(source);
    return argument && roleOf(argument) != InputRole::Shared;
  });
}

bool NumberVectors::isNumber(Value value) const {
  return tensorType(value).getNumElements() == 1 && !perSample.contains(value);
}

/// Whether each element of the op's result is computed from one element of each
/// operand, or is one of them that elementAt() can find.
static bool goesByElement(Operation *op) {
  return isElementwise(op) ||
         isa<ReshapeOp, TransposeOp, BroadcastOp, ConcatOp>(op);
}

NumberVectors::Kind NumberVectors::kindOf(Value value) const {
  if (!dependsOnSamples(value))
    return Kind::Steady;
  if (isNumber(value))
    return Kind::Numbers;
  Operation *op = value.getDefiningOp();
  if (!op || tensorType(value).getNumElements() > kMostElements ||
      perSample.contains(value) || !goesByElement(op))
    return Kind::Other;
  return llvm::any_of(
             op->getOperands(),
             [&](Value operand) { return kindOf(operand) == Kind::Other; })
             ? Kind::Other
             : Kind::Numbers;
}

bool NumberVectors::isVector(Value value) const {
  return tensorType(value).getNumElements() > 1 &&
         kindOf(value) == Kind::Numbers;
}

/// The index along each dim of element number `index`, in row-major order.
static SmallVector<int64_t> indicesOf(ArrayRef<int64_t> shape, int64_t index) {
  SmallVector<int64_t> indices(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    indices[dim] = index % shape[dim];
    index /= shape[dim];
  }
  return indices;
}

static int64_t numberOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> indices) {
  int64_t number = 0;
  for (auto [size, index] : llvm::zip_equal(shape, indices))
    number = number * size + index;
  return number;
}

/// Slices element number `index` out of a value.
static Value cutOut(OpBuilder &builder, Value value, int64_t index) {
  RankedTensorType type = tensorType(value);
  Location loc = value.getLoc();
  Type element = type.getElementType();
  if (type.getNumElements() > 1) {
    SmallVector<int64_t> ones(type.getRank(), 1);
    value = SliceOp::create(builder, loc, RankedTensorType::get(ones, element),
                            value, indicesOf(type.getShape(), index), ones);
  }
  if (type.getRank() == 0)
    return value;
  return ReshapeOp::create(builder, loc, RankedTensorType::get({}, element),
                           value);
}

Value NumberVectors::elementAt(OpBuilder &builder, Value vector,
                               int64_t index) {
  ArrayRef<int64_t> shape = tensorType(vector).getShape();
  Operation *op = vector.getDefiningOp();
  if (isNumber(vector) || kindOf(vector) == Kind::Steady)
    return cutOut(builder, vector, index);
  passed.insert(op);
  if (isa<ReshapeOp>(op))
    return elementAt(builder, op->getOperand(0), index);
  SmallVector<int64_t> indices = indicesOf(shape, index);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int64_t> before(indices);
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      before[dim] = indices[i];
    Value input = transpose.getInput();
    return elementAt(builder, input,
                     numberOf(tensorType(input).getShape(), before));
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    SmallVector<int64_t> before;
    for (int64_t dim : broadcast.getDims())
      before.push_back(indices[dim]);
    Value input = broadcast.getInput();
    return elementAt(builder, input,
                     numberOf(tensorType(input).getShape(), before));
  }
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    int64_t &along = indices[concat.getDim()];
    for (Value input : concat.getInputs()) {
      ArrayRef<int64_t> own = tensorType(input).getShape();
      if (along < own[concat.getDim()])
        return elementAt(builder, input, numberOf(own, indices));
      along -= own[concat.getDim()];
    }
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(elementAt(builder, operand, index));
  Operation *copy = builder.clone(*op);
  copy->setOperands(operands);
  Type element = tensorType(vector).getElementType();
  copy->getResult(0).setType(RankedTensorType::get({}, element));
  return copy->getResult(0);
}
