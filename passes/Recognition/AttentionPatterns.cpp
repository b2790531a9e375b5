//===- AttentionPatterns.cpp - attention from contractions ----------------===//
//
// All exporters write attention as follows. Scores are a contraction of queries
// and keys over the head dim. They are masked, normalized by softmax over the
// keys, optionally dropped out, and contracted with the values over the keys.
// Transposes are already folded into the labels.
//
//===----------------------------------------------------------------------===//

#include "analysis/Axes.h"
#include "passes/Recognition/AttentionScores.h"
#include "passes/Recognition/Cores.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {

/// The labels of an attention: [b, s, h, d] x [b, t, h, d], then [b, t, h, e].
struct Labels {
  char b, h, s, t, d, e;
};

/// Transposes `value` from dims labeled `from` to the order of `to`.
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

/// The tensor before each index of `dim` was repeated n times, as for heads
/// that share a key: index i becomes indices i * n .. i * n + n - 1 of `value`.
/// Null if `value` is not such a repetition.
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

/// Returns the positions argument if the model has tokens of this length, else
/// the constant 0, 1, ...
Value positions(PatternRewriter &rewriter, Location loc, func::FuncOp function,
                int64_t length) {
  BlockArgument tokens = findInput(function, InputRole::Tokens);
  if (tokens && tensorType(tokens).getRank() == 2 &&
      tensorType(tokens).getShape()[1] == length)
    return entryArgument(function, InputRole::Positions);
  auto type = RankedTensorType::get(length, rewriter.getI64Type());
  return ConstantOp::create(
      rewriter, loc, type,
      DenseElementsAttr::get(
          type, ArrayRef(llvm::to_vector(llvm::seq<int64_t>(0, length)))));
}

/// The operand of a softmax.
struct Rows {
  /// The product of queries and keys with masks and biases.
  Value scores;
  /// Additional scores whose probabilities are dropped (attention sinks); may
  /// be null.
  Value sinks;

  /// How nn.attention has the sinks: as operand if there is one per head, the
  /// same for all samples and queries. `head` is the scores' dim of heads.
  AttentionScores::Sinks kindOfSinks(int64_t head) const;
  /// Whether `probabilities` is a softmax along the keys.
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
  // Subtracting a value that is equal for all keys, such as the maximum, does
  // not change a softmax.
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

AttentionScores::Sinks Rows::kindOfSinks(int64_t head) const {
  if (!sinks)
    return AttentionScores::Sinks::None;
  for (auto [dim, extent] : llvm::enumerate(coreShape(sinks)))
    if (extent != 1 && static_cast<int64_t>(dim) != head)
      return AttentionScores::Sinks::Keys;
  return tensorType(sinks).getShape().back() == 1
             ? AttentionScores::Sinks::PerHead
             : AttentionScores::Sinks::Keys;
}

/// Appends `count` zeros to `value` along a dim.
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

/// An attention written as two contractions with a softmax between them.
class Attention {
public:
  /// Whether `op` contracts probabilities, its operand `i`, with values.
  bool match(ContractOp op, int i, MaskReader &masks);
  /// Builds an equivalent nn.attention; the result has the dims of `op`'s
  /// result.
  Value build(PatternRewriter &rewriter);

private:
  bool matchLabels(ContractOp op, int i);
  bool matchScoreLabels();
  bool matchValueLabels();
  void findSharedHeads();
  Value buildSinks(PatternRewriter &rewriter, int64_t head);
  Value buildOp(PatternRewriter &rewriter, Value qPositions, Value kPositions,
                Value bias, Value sinks);

  ContractOp op;
  DropoutOp dropout; ///< of the probabilities; may be null
  Rows rows;
  AttentionScores scores;
  AttentionScores::Sinks kindOfSinks = AttentionScores::Sinks::None;
  Value q, k, v;
  /// The labels of operands and result of the first contraction, then of the
  /// second.
  StringRef qLabels, kLabels, scoreLabels;
  StringRef pLabels, vLabels, outLabels;
  /// The labels of each contraction.
  Labels first{}, second{};
  /// The query dim of the scores.
  int64_t query = -1;
};

bool Attention::match(ContractOp op, int i, MaskReader &masks) {
  this->op = op;
  Value probabilities = op->getOperand(i);
  v = op->getOperand(1 - i);
  dropout = probabilities.getDefiningOp<DropoutOp>();
  if (!rows.match(dropout ? dropout.getInput() : probabilities) ||
      !scores.match(rows.scores, masks) || !matchLabels(op, i))
    return false;
  // nn.attention draws random numbers per sample and query; dropout must, too.
  if (dropout && (dropout.getSeqDim() != static_cast<uint64_t>(query) ||
                  dropout.getBatchDim() != scoreLabels.find(first.b)))
    return false;
  kindOfSinks = rows.kindOfSinks(scoreLabels.find(first.h));
  return scores.readMasks(masks, query, kindOfSinks);
}

bool Attention::matchLabels(ContractOp op, int i) {
  pLabels = i == 0 ? op.getLhsLabels() : op.getRhsLabels();
  vLabels = i == 0 ? op.getRhsLabels() : op.getLhsLabels();
  outLabels = op.getResultLabels();
  ContractOp product = scores.product;
  qLabels = product.getLhsLabels();
  kLabels = product.getRhsLabels();
  scoreLabels = product.getResultLabels();
  for (StringRef labels : {pLabels, vLabels, qLabels, kLabels})
    if (labels.size() != 4)
      return false;
  return matchScoreLabels() && matchValueLabels();
}

bool Attention::matchScoreLabels() {
  // The softmax runs along the keys; the operand that has their label is k.
  first.t = scoreLabels.back();
  bool isSwapped = qLabels.contains(first.t);
  if (isSwapped == kLabels.contains(first.t))
    return false;
  q = scores.product.getLhs();
  k = scores.product.getRhs();
  if (isSwapped) {
    std::swap(q, k);
    std::swap(qLabels, kLabels);
  }
  for (auto [dim, label] : llvm::enumerate(scoreLabels.drop_back())) {
    if (!kLabels.contains(label)) {
      if (query >= 0)
        return false;
      query = dim;
      first.s = label;
    } else if (!first.b) {
      first.b = label;
    } else {
      first.h = label;
    }
  }
  for (char label : qLabels)
    if (!scoreLabels.contains(label))
      first.d = label;
  // Each operand has four labels, each of which occurs twice: one is only of
  // the queries, two are common and one is summed.
  return true;
}

bool Attention::matchValueLabels() {
  // The labels of the same dims in the second contraction.
  second.b = pLabels[scoreLabels.find(first.b)];
  second.h = pLabels[scoreLabels.find(first.h)];
  second.s = pLabels[query];
  second.t = pLabels.back();
  for (char label : vLabels)
    if (!pLabels.contains(label))
      second.e = label;
  // Values have keys instead of queries, and the result has queries again; its
  // other labels occur nowhere else.
  return second.e && vLabels.contains(second.t) && vLabels.contains(second.b) &&
         vLabels.contains(second.h) && !outLabels.contains(second.t) &&
         outLabels.contains(second.b) && outLabels.contains(second.h);
}

/// Uses keys and values from before they were repeated for each query head, if
/// both were.
void Attention::findSharedHeads() {
  int64_t kHeads = kLabels.find(first.h), vHeads = vLabels.find(second.h);
  Value fewK = beforeRepeat(k, kHeads), fewV = beforeRepeat(v, vHeads);
  if (!fewK || !fewV ||
      tensorType(fewK).getShape()[kHeads] !=
          tensorType(fewV).getShape()[vHeads])
    return;
  k = fewK;
  v = fewV;
}

Value Attention::build(PatternRewriter &rewriter) {
  findSharedHeads();
  Location loc = op.getLoc();
  auto text = [](std::initializer_list<char> labels) {
    return std::string(labels);
  };
  q = order(rewriter, loc, q, qLabels,
            text({first.b, first.s, first.h, first.d}));
  k = order(rewriter, loc, k, kLabels,
            text({first.b, first.t, first.h, first.d}));
  v = order(rewriter, loc, v, vLabels,
            text({second.b, second.t, second.h, second.e}));
  auto function = op->getParentOfType<func::FuncOp>();
  ArrayRef<int64_t> shape = tensorType(rows.scores).getShape();
  int64_t s = shape[query], t = shape[3];
  Value qPositions = positions(rewriter, loc, function, s);
  Value kPositions =
      s == t ? qPositions : positions(rewriter, loc, function, t);

  SmallVector<int64_t> scoreDims;
  for (char label : {first.b, first.h, first.s, first.t})
    scoreDims.push_back(scoreLabels.find(label));
  Value bias = scores.buildBias(rewriter, loc, scoreDims);
  Value sinks;
  if (kindOfSinks == AttentionScores::Sinks::PerHead) {
    sinks = buildSinks(rewriter, scoreDims[1]);
  } else if (rows.sinks) {
    // Sinks are keys and values of zeros: the bias of such a key is its score,
    // which contributes to the softmax's sum only. Their position is 0, which
    // every query sees.
    int64_t count = tensorType(rows.sinks).getShape().back();
    k = extend(rewriter, loc, k, 1, count);
    v = extend(rewriter, loc, v, 1, count);
    kPositions = extend(rewriter, loc, kPositions, 0, count);
    bias = scores.addSinks(rewriter, loc, bias, rows.sinks, scoreDims, t);
  }
  std::swap(scoreDims[1], scoreDims[2]);
  q = scores.zeroMaskedQueries(rewriter, loc, q, scoreDims);
  Value result = buildOp(rewriter, qPositions, kPositions, bias, sinks);
  return order(rewriter, loc, result,
               text({second.b, second.s, second.h, second.e}), outLabels);
}

/// Builds the sinks [h] from scores that repeat along all other dims.
Value Attention::buildSinks(PatternRewriter &rewriter, int64_t head) {
  Location loc = op.getLoc();
  Value core = buildCore(rewriter, loc, rows.sinks);
  core = reshapeTo(rewriter, loc, core, {tensorType(core).getDimSize(head)});
  return repeat(rewriter, loc, core, {tensorType(rows.sinks).getDimSize(head)});
}

Value Attention::buildOp(PatternRewriter &rewriter, Value qPositions,
                         Value kPositions, Value bias, Value sinks) {
  ArrayRef<int64_t> dims = tensorType(q).getShape();
  auto type = RankedTensorType::get(
      {dims[0], dims[1], dims[2], tensorType(v).getShape()[3]},
      tensorType(op.getResult()).getElementType());
  auto lse = RankedTensorType::get(dims.drop_back(), rewriter.getF32Type());
  auto attention = AttentionOp::create(
      rewriter, op.getLoc(), type, lse, bias ? lse : Type(), q, k, v,
      qPositions, kPositions, bias, sinks,
      dropout ? dropout.getSamples() : Value(),
      dropout ? dropout.getSeed() : Value(),
      dropout ? dropout.getStep() : Value(), /*head_origin=*/Value(),
      /*starts=*/Value(), APFloat(scores.scale), scores.isCausal(),
      scores.window(), scores.chunk(), APFloat(scores.softcap),
      dropout ? dropout.getP() : APFloat(0.0), dropout ? dropout.getId() : 0);
  return attention.getResult();
}

struct AttentionOfContracts : OpRewritePattern<ContractOp> {
  explicit AttentionOfContracts(MLIRContext *context)
      : OpRewritePattern(context) {}

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (int i : {0, 1})
      if (Attention attention; attention.match(op, i, *masks)) {
        rewriter.replaceOp(op, attention.build(rewriter));
        return success();
      }
    return failure();
  }

private:
  /// Shared by all layers: their masks are equal.
  std::unique_ptr<MaskReader> masks = std::make_unique<MaskReader>();
};

} // namespace

void pcc::recognition::populateAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add<AttentionOfContracts>(patterns.getContext());
}
