//===- HeadPatterns.cpp - One attention from a module per head ------------===//
//
// Tutorial models often write attention with one module per head. Each has its
// own projections from the hidden size to the head's and attends alone; the
// results are concatenated before the output projection.
//
//   %q0 = contract "bsk,dk->bsd" %x, %wq0      %q = contract "bsk,hdk->bhsd"
//   %a0 = softmax(%q0 * %k0) * %v0                      %x, concat(%wq0, %wq1)
//   %q1 = contract "bsk,dk->bsd" %x, %wq1      %a = softmax(%q * %k) * %v
//   %a1 = softmax(%q1 * %k1) * %v1             %y = reshape(transpose %a)
//   %y = concat %a0, %a1
//
// The heads compute the same from different weights, so they become one
// computation with an additional dim h. The weights stay separate parameters.
// Their concatenation is equal on every rank, and each rank takes its heads.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/Recognition/ParamParts.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {

/// Replaces one value per head: has the heads as dim `dim` or, if `dim` is
/// negative, is a value that all heads share.
struct Stacked {
  Value value;
  int64_t dim = -1;

  bool isCommon() const { return dim < 0; }
};

/// Merges equal computations of several heads into one.
class HeadStacker {
public:
  HeadStacker(PatternRewriter &rewriter, int64_t count)
      : rewriter(rewriter), count(count) {}
  /// Stacks one value of every head; they must be computed alike.
  Stacked stack(ArrayRef<Value> heads);
  /// Returns the stacked value with the heads as dim `dim`.
  Value move(Stacked stacked, int64_t dim);

private:
  Stacked build(Operation *first, ArrayRef<Stacked> operands);
  Stacked stackReads(ArrayRef<Value> heads);
  Value broadcast(Value common, RankedTensorType type);
  RankedTensorType withHeads(Value one, int64_t dim);

  PatternRewriter &rewriter;
  int64_t count;
  llvm::DenseMap<Value, Stacked> known;
};

} // namespace

/// Operand `i` of the op that computes each head's value.
static SmallVector<Value> operandsOf(ArrayRef<Value> heads, unsigned i) {
  return llvm::map_to_vector(
      heads, [i](Value head) { return head.getDefiningOp()->getOperand(i); });
}

/// Whether two heads' ops differ at most in the parameter they read or in the
/// id of their random numbers.
static bool isSameKind(Operation *a, Operation *b) {
  if (a->getName() != b->getName() ||
      a->getOperandTypes() != b->getOperandTypes() ||
      a->getResultTypes() != b->getResultTypes())
    return false;
  if (isa<ReadOp>(a))
    return true;
  NamedAttrList attributes[] = {a->getAttrDictionary(), b->getAttrDictionary()};
  if (isa<DropoutOp>(a))
    for (NamedAttrList &list : attributes)
      list.erase("id");
  return attributes[0].getDictionary(a->getContext()) ==
         attributes[1].getDictionary(a->getContext());
}

/// Whether an op can be computed with the heads as an additional dim.
static bool isStackable(Operation *op) {
  if (op->getNumResults() != 1 || tensorType(op->getResult(0)).getRank() < 1)
    return false;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcast.getInput().getDefiningOp<ReadOp>() &&
           !broadcast.getDims().empty() && broadcast.getDims().front() > 0;
  if (isa<SoftmaxOp>(op))
    return tensorType(op->getResult(0)).getRank() > 1;
  auto dropout = dyn_cast<DropoutOp>(op);
  return (dropout && !dropout.getOrigin()) || isElementwise(op) ||
         isa<ReadOp, ContractOp, TransposeOp>(op);
}

/// Whether one value of every head is computed alike, except for parameters.
static bool areAlike(ArrayRef<Value> heads,
                     llvm::DenseMap<Value, SmallVector<Value>> &known) {
  if (llvm::all_equal(heads))
    return true;
  auto [entry, isNew] = known.try_emplace(heads[0], SmallVector<Value>(heads));
  if (!isNew)
    return llvm::equal(entry->second, heads);
  Operation *first = heads[0].getDefiningOp();
  if (!first || !isStackable(first))
    return false;
  for (Value head : heads)
    if (!head.getDefiningOp() || !isSameKind(first, head.getDefiningOp()))
      return false;
  return llvm::all_of(llvm::seq(first->getNumOperands()), [&](unsigned i) {
    return areAlike(operandsOf(heads, i), known);
  });
}

RankedTensorType HeadStacker::withHeads(Value one, int64_t dim) {
  SmallVector<int64_t> shape(tensorType(one).getShape());
  shape.insert(shape.begin() + dim, count);
  return tensorType(one).clone(shape);
}

Value HeadStacker::move(Stacked stacked, int64_t dim) {
  if (stacked.dim == dim)
    return stacked.value;
  RankedTensorType type = tensorType(stacked.value);
  SmallVector<int64_t> permutation, shape;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != stacked.dim)
      permutation.push_back(d);
  permutation.insert(permutation.begin() + dim, stacked.dim);
  for (int64_t d : permutation)
    shape.push_back(type.getDimSize(d));
  return TransposeOp::create(rewriter, stacked.value.getLoc(),
                             type.clone(shape), stacked.value, permutation);
}

/// Repeats a value that all heads share along the head dim.
Value HeadStacker::broadcast(Value common, RankedTensorType type) {
  SmallVector<int64_t> dims = {0};
  for (int64_t d = 2; d < type.getRank(); ++d)
    dims.push_back(d);
  return BroadcastOp::create(rewriter, common.getLoc(),
                             type.clone(tensorType(common).getElementType()),
                             common, dims);
}

Stacked HeadStacker::stackReads(ArrayRef<Value> heads) {
  SmallVector<int64_t> shape(tensorType(heads[0]).getShape());
  shape.insert(shape.begin(), 1);
  SmallVector<Value> rows;
  for (Value head : heads)
    rows.push_back(reshapeTo(rewriter, head.getLoc(), head, shape));
  return {ConcatOp::create(rewriter, heads[0].getLoc(), withHeads(heads[0], 0),
                           rows, 0),
          0};
}

Stacked HeadStacker::stack(ArrayRef<Value> heads) {
  if (llvm::all_equal(heads))
    return {heads[0]};
  if (auto it = known.find(heads[0]); it != known.end())
    return it->second;
  Operation *first = heads[0].getDefiningOp();
  SmallVector<Stacked> operands;
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    operands.push_back(stack(operandsOf(heads, i)));
  Stacked made =
      isa<ReadOp>(first) ? stackReads(heads) : build(first, operands);
  return known[heads[0]] = made;
}

/// Builds the op of the first head with the heads as dim 1, after the batch,
/// where attention has them. A transpose keeps their dim.
Stacked HeadStacker::build(Operation *first, ArrayRef<Stacked> operands) {
  Location loc = first->getLoc();
  Value result = first->getResult(0);
  if (llvm::all_of(operands, [](const Stacked &s) { return s.isCommon(); }))
    return {result};
  RankedTensorType type = withHeads(result, 1);
  if (auto contract = dyn_cast<ContractOp>(first)) {
    char label = 'a';
    while (contract.getSpec().contains(label))
      ++label;
    std::string labels[] = {contract.getLhsLabels().str(),
                            contract.getRhsLabels().str(),
                            contract.getResultLabels().str()};
    for (int i : {0, 1})
      if (!operands[i].isCommon())
        labels[i].insert(operands[i].dim, 1, label);
    labels[2].insert(1, 1, label);
    return {
        ContractOp::create(rewriter, loc, type,
                           rewriter.getStringAttr(labels[0] + "," + labels[1] +
                                                  "->" + labels[2]),
                           operands[0].value, operands[1].value),
        1};
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(first)) {
    SmallVector<int64_t> dims = {1};
    for (int64_t d : broadcast.getDims())
      dims.push_back(d + 1);
    return {BroadcastOp::create(rewriter, loc, type, operands[0].value, dims),
            1};
  }
  if (auto transpose = dyn_cast<TransposeOp>(first)) {
    int64_t at = operands[0].dim;
    SmallVector<int64_t> permutation;
    for (int64_t d : transpose.getPermutation())
      permutation.push_back(d < at ? d : d + 1);
    permutation.insert(permutation.begin() + at, at);
    return {TransposeOp::create(rewriter, loc, withHeads(result, at),
                                operands[0].value, permutation),
            at};
  }
  IRMapping mapping;
  for (auto [i, stacked] : llvm::enumerate(operands)) {
    bool isWhole = !isa<DropoutOp>(first) || i == 0;
    mapping.map(first->getOperand(i), !isWhole ? stacked.value
                                      : stacked.isCommon()
                                          ? broadcast(stacked.value, type)
                                          : move(stacked, 1));
  }
  Operation *made = rewriter.clone(*first, mapping);
  made->getResult(0).setType(type.clone(tensorType(result).getElementType()));
  if (auto dropout = dyn_cast<DropoutOp>(made)) {
    auto behind = [](uint64_t dim) { return dim < 1 ? dim : dim + 1; };
    dropout.setBatchDim(behind(dropout.getBatchDim()));
    dropout.setSeqDim(behind(dropout.getSeqDim()));
  }
  return {made->getResult(0), 1};
}

namespace {

/// Whether a value contracts a softmax, optionally dropped out, with values.
bool attends(Value value) {
  auto contract = value.getDefiningOp<ContractOp>();
  return contract && llvm::any_of(contract->getOperands(), [](Value operand) {
           if (auto dropout = operand.getDefiningOp<DropoutOp>())
             operand = dropout.getInput();
           return operand.getDefiningOp<SoftmaxOp>() != nullptr;
         });
}

struct ConcatOfHeads : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> heads(op.getInputs());
    int64_t dim = op.getDim(), rank = op.getType().getRank();
    if (heads.size() < 2 || rank < 2 || dim != rank - 1 ||
        !llvm::all_of(heads, attends))
      return failure();
    llvm::DenseMap<Value, SmallVector<Value>> known;
    if (!areAlike(heads, known) || llvm::none_of(known, [](const auto &entry) {
          return entry.first.template getDefiningOp<ReadOp>() != nullptr;
        }))
      return failure();
    HeadStacker stacker(rewriter, heads.size());
    Stacked all = stacker.stack(heads);
    Value value = stacker.move(all, dim);
    rewriter.replaceOp(
        op, reshapeTo(rewriter, op.getLoc(), value, op.getType().getShape()));
    return success();
  }
};

/// Merges separate norms for each head of queries or keys into one norm of all
/// heads, multiplied by the concatenated scales:
///
///   %n0 = layer_norm(slice %q 0) scale %g0    %n = layer_norm %q scale 1
///   %n1 = layer_norm(slice %q 1) scale %g1    %g = concat %g0, %g1 : [h, d]
///   %y = concat %n0, %n1                      %y = %n * broadcast %g
struct ConcatOfNorms : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    int64_t dim = op.getDim(), last = op.getType().getRank() - 1;
    Value whole;
    SmallVector<Value> scales;
    FloatAttr eps;
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      auto norm = input.getDefiningOp<LayerNormOp>();
      auto slice = norm ? norm.getInput().getDefiningOp<SliceOp>() : SliceOp();
      if (!slice || norm.getBias() || (i > 0 && norm.getEpsAttr() != eps) ||
          !norm.getScale().getDefiningOp<ReadOp>() || !isAlong(slice, dim) ||
          (i > 0 && slice.getInput() != whole))
        return failure();
      ParamPart part = partOf(slice, dim);
      if (part.begin != static_cast<int64_t>(i) || part.size != 1)
        return failure();
      whole = slice.getInput();
      eps = norm.getEpsAttr();
      scales.push_back(norm.getScale());
    }
    if (dim >= last || tensorType(whole) != op.getType() || scales.size() < 2)
      return failure();
    Location loc = op.getLoc();
    RankedTensorType one = tensorType(scales[0]);
    Value ones = ConstantOp::create(
        rewriter, loc, one,
        DenseElementsAttr::get(one,
                               rewriter.getFloatAttr(one.getElementType(), 1)));
    RankedTensorType statistic = op.getType().clone(
        op.getType().getShape().drop_back(), rewriter.getF32Type());
    Value norm = LayerNormOp::create(rewriter, loc, op.getType(), statistic,
                                     statistic, whole, ones, Value(), eps)
                     .getResult();
    SmallVector<Value> rows;
    for (Value scale : scales)
      rows.push_back(
          reshapeTo(rewriter, loc, scale, {1, one.getShape().back()}));
    auto type =
        one.clone({static_cast<int64_t>(rows.size()), one.getShape().back()});
    Value all = ConcatOp::create(rewriter, loc, type, rows, 0);
    Value spread = BroadcastOp::create(rewriter, loc, op.getType(), all,
                                       ArrayRef<int64_t>{dim, last});
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), norm, spread);
    return success();
  }
};

} // namespace

void pcc::recognition::populateHeadPatterns(RewritePatternSet &patterns) {
  patterns.add<ConcatOfHeads, ConcatOfNorms>(patterns.getContext());
}
