//===- AttentionPatterns.cpp - attention from contractions ----------------===//
//
// What exporters have in common: scores are a contraction of queries and keys
// over the head dim, masked, normalized by softmax over the keys, perhaps
// dropped out, and contracted with the values over the keys. Where transposes
// stood is all in the labels by now.
//
//===----------------------------------------------------------------------===//

#include "analysis/Axes.h"
#include "passes/Recognition/Patterns.h"
#include "passes/Recognition/Scores.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {

/// The letters of an attention: [b, s, h, d] x [b, t, h, d], then [b, t, h, e].
struct Labels {
  char b, h, s, t, d, e;
};

/// `value`, whose dims carry `from`, with dims in the order of `to`.
Value order(PatternRewriter &rewriter, Location loc, Value value,
            StringRef from, StringRef to) {
  if (from == to)
    return value;
  SmallVector<int64_t> permutation, shape;
  for (char label : to) {
    permutation.push_back(from.find(label));
    shape.push_back(tensorType(value).getShape()[permutation.back()]);
  }
  auto type = RankedTensorType::get(shape, tensorType(value).getElementType());
  return TransposeOp::create(rewriter, loc, type, value, permutation);
}

/// The tensor whose index i of `dim` becomes the indices i * n .. i * n + n - 1
/// of `value`: heads that share a key. Null if `value` repeats nothing so.
Value beforeRepeat(Value value, int64_t dim) {
  auto merge = value.getDefiningOp<ReshapeOp>();
  auto repeat =
      merge ? merge.getInput().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!repeat)
    return nullptr;
  ArrayRef<int64_t> merged = merge.getType().getShape();
  SmallVector<int64_t> shape(tensorType(repeat.getInput()).getShape());
  if (shape.size() != merged.size() || merged[dim] % shape[dim])
    return nullptr;
  SmallVector<int64_t> dims, split(shape);
  split.insert(split.begin() + dim + 1, merged[dim] / shape[dim]);
  for (int64_t d = 0, rank = split.size(); d < rank; ++d)
    if (d != dim + 1)
      dims.push_back(d);
  shape[dim] = merged[dim];
  bool fits = shape == merged && repeat.getDims() == ArrayRef(dims) &&
              tensorType(repeat.getResult()).getShape() == ArrayRef(split);
  return fits ? repeat.getInput() : Value();
}

/// The argument of positions if the model has tokens of this length, else
/// 0, 1, ...
Value positions(PatternRewriter &rewriter, Location loc, func::FuncOp function,
                int64_t length) {
  BlockArgument tokens = findArgument(function, "tokens");
  if (tokens && tensorType(tokens).getRank() == 2 &&
      tensorType(tokens).getShape()[1] == length)
    return entryArgument(function, "positions");
  auto type = RankedTensorType::get(length, rewriter.getI64Type());
  return ConstantOp::create(
      rewriter, loc, type,
      DenseElementsAttr::get(
          type, ArrayRef(llvm::to_vector(llvm::seq<int64_t>(0, length)))));
}

/// What a softmax makes probabilities of.
struct Rows {
  /// The product of queries and keys, and what is added.
  Value scores;
  /// Scores beside those, whose probabilities are dropped; perhaps none.
  Value sinks;

  /// Whether a softmax along keys gives `probabilities`.
  bool match(Value probabilities);
};

bool Rows::match(Value probabilities) {
  auto slice = probabilities.getDefiningOp<SliceOp>();
  auto softmax =
      (slice ? slice.getInput() : probabilities).getDefiningOp<SoftmaxOp>();
  if (!softmax)
    return false;
  scores = softmax.getInput();
  int64_t last = tensorType(scores).getRank() - 1;
  // What is the same for all keys, such as their highest score, changes
  // nothing.
  if (auto shift = scores.getDefiningOp<SubOp>())
    if (auto repeat = shift.getRhs().getDefiningOp<BroadcastOp>())
      if (!llvm::is_contained(repeat.getDims(), last))
        scores = shift.getLhs();
  if (!slice)
    return true;
  auto concat = scores.getDefiningOp<ConcatOp>();
  if (!concat || concat.getInputs().size() != 2 ||
      static_cast<int64_t>(concat.getDim()) != last ||
      !llvm::all_equal(slice.getSteps()) || slice.getSteps().back() != 1)
    return false;
  bool isFirst = slice.getStarts().back() != 0;
  scores = concat.getInputs()[isFirst];
  sinks = concat.getInputs()[!isFirst];
  int64_t skipped = isFirst ? tensorType(sinks).getShape()[last] : 0;
  return scores.getType() == slice.getType() &&
         slice.getStarts().back() == skipped;
}

/// `value` with `count` zeros behind it along a dim.
Value extend(PatternRewriter &rewriter, Location loc, Value value, int64_t dim,
             int64_t count) {
  RankedTensorType type = tensorType(value);
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = count;
  auto behind = RankedTensorType::get(shape, type.getElementType());
  Value zeros = ConstantOp::create(
      rewriter, loc, behind,
      DenseElementsAttr::get(behind,
                             rewriter.getZeroAttr(type.getElementType())));
  shape[dim] += type.getShape()[dim];
  return ConcatOp::create(rewriter, loc,
                          RankedTensorType::get(shape, type.getElementType()),
                          ValueRange{value, zeros}, dim);
}

struct AttentionOfContracts : OpRewritePattern<ContractOp> {
  explicit AttentionOfContracts(MLIRContext *context)
      : OpRewritePattern(context) {}

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (int i : {0, 1})
      if (succeeded(match(op, i, rewriter)))
        return success();
    return failure();
  }

private:
  /// Layers have equal masks.
  std::unique_ptr<MaskReader> masks = std::make_unique<MaskReader>();

  /// With the probabilities as operand `i`.
  LogicalResult match(ContractOp op, int i, PatternRewriter &rewriter) const {
    Value probabilities = op->getOperand(i), v = op->getOperand(1 - i);
    auto dropout = probabilities.getDefiningOp<DropoutOp>();
    Rows rows;
    Scores scores;
    if (!rows.match(dropout ? dropout.getInput() : probabilities) ||
        !scores.match(rows.scores, *masks))
      return failure();
    StringRef p = i == 0 ? op.getLhsLabels() : op.getRhsLabels();
    StringRef vLabels = i == 0 ? op.getRhsLabels() : op.getLhsLabels();
    StringRef out = op.getResultLabels();
    ContractOp product = scores.product;
    StringRef l = product.getLhsLabels(), r = product.getRhsLabels(),
              inner = product.getResultLabels();
    if (p.size() != 4 || vLabels.size() != 4 || l.size() != 4 || r.size() != 4)
      return failure();

    // The keys are the softmax's dim; the operand that has them is k.
    bool swapped = l.contains(inner.back());
    if (swapped == r.contains(inner.back()))
      return failure();
    Value q = swapped ? product.getRhs() : product.getLhs();
    Value k = swapped ? product.getLhs() : product.getRhs();
    if (swapped)
      std::swap(l, r);
    Labels in{}, o{};
    int64_t query = -1;
    in.t = inner.back();
    for (auto [dim, label] : llvm::enumerate(inner.drop_back())) {
      if (!r.contains(label)) {
        if (query >= 0)
          return failure();
        query = dim;
        in.s = label;
      } else if (!in.b) {
        in.b = label;
      } else {
        in.h = label;
      }
    }
    for (char label : l)
      if (!inner.contains(label))
        in.d = label;
    if (query < 0 || !in.h || !in.d)
      return failure();

    // The same dims by the labels of the second contraction.
    o.b = p[inner.find(in.b)];
    o.h = p[inner.find(in.h)];
    o.s = p[query];
    o.t = p.back();
    for (char label : vLabels)
      if (!p.contains(label))
        o.e = label;
    bool fits = o.e && !out.contains(o.t) && vLabels.contains(o.t) &&
                vLabels.contains(o.b) && vLabels.contains(o.h) &&
                out.contains(o.s) && !vLabels.contains(o.s);
    if (!fits)
      return failure();

    ArrayRef<int64_t> shape = tensorType(rows.scores).getShape();
    if (dropout && (dropout.getSeqDim() != static_cast<uint64_t>(query) ||
                    dropout.getBatchDim() != inner.find(in.b)))
      return failure();

    if (!scores.readMasks(*masks, query, bool(rows.sinks)))
      return failure();
    Value fewK = beforeRepeat(k, r.find(in.h));
    Value fewV = beforeRepeat(v, vLabels.find(o.h));
    if (fewK && fewV &&
        tensorType(fewK).getShape()[r.find(in.h)] ==
            tensorType(fewV).getShape()[vLabels.find(o.h)]) {
      k = fewK;
      v = fewV;
    }
    Location loc = op.getLoc();
    auto text = [](std::initializer_list<char> labels) {
      return std::string(labels);
    };
    q = order(rewriter, loc, q, l, text({in.b, in.s, in.h, in.d}));
    k = order(rewriter, loc, k, r, text({in.b, in.t, in.h, in.d}));
    v = order(rewriter, loc, v, vLabels, text({o.b, o.t, o.h, o.e}));
    auto function = op->getParentOfType<func::FuncOp>();
    int64_t s = shape[query], t = shape[3];
    Value qPositions = positions(rewriter, loc, function, s);
    Value kPositions =
        s == t ? qPositions : positions(rewriter, loc, function, t);

    SmallVector<int64_t> scoreDims;
    for (char label : {in.b, in.h, in.s, in.t})
      scoreDims.push_back(inner.find(label));
    Value bias = scores.buildBias(rewriter, loc, scoreDims);
    if (rows.sinks) {
      // Keys and values of zeros: what is added to a key is its score, and it
      // has its part in the sum alone. Every query sees position 0.
      int64_t count = tensorType(rows.sinks).getShape().back();
      k = extend(rewriter, loc, k, 1, count);
      v = extend(rewriter, loc, v, 1, count);
      kPositions = extend(rewriter, loc, kPositions, 0, count);
      bias = scores.addSinks(rewriter, loc, bias, rows.sinks, scoreDims, t);
    }
    std::swap(scoreDims[1], scoreDims[2]);
    q = scores.gate(rewriter, loc, q, scoreDims);

    auto dims = [](Value value) { return tensorType(value).getShape(); };
    auto type =
        RankedTensorType::get({dims(q)[0], s, dims(q)[2], dims(v)[3]},
                              tensorType(op.getResult()).getElementType());
    auto lse = RankedTensorType::get({dims(q)[0], s, dims(q)[2]},
                                     rewriter.getF32Type());
    auto attention = AttentionOp::create(
        rewriter, loc, type, lse, q, k, v, qPositions, kPositions, bias,
        dropout ? dropout.getSamples() : Value(),
        dropout ? dropout.getSeed() : Value(),
        dropout ? dropout.getStep() : Value(), /*head_origin=*/Value(),
        APFloat(scores.scale), scores.isCausal(),
        dropout ? dropout.getP() : APFloat(0.0), dropout ? dropout.getId() : 0);
    rewriter.replaceOp(op, order(rewriter, loc, attention.getResult(),
                                 text({o.b, o.s, o.h, o.e}), out));
    return success();
  }
};

} // namespace

void pcc::recognition::populateAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add<AttentionOfContracts>(patterns.getContext());
}
