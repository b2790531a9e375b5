//===- ExpertPatterns.cpp - Recognizes mixtures of experts ----------------===//

#include "passes/Recognition/ExpertParts.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {

/// A mixture of experts by primitives: y [t, h], the sum over the choices of a
/// gate times an expert's result.
struct Mixture {
  int64_t tokens, choices;
  Value gates;
  ExpertProduct down;
  ExpertActivation activation;
  /// The columns of the products that are u[0] and u[1].
  SmallVector<Columns> parts;
  /// The product of each part: equal for a fused projection.
  SmallVector<ExpertProduct> up;
  Value x;

  int64_t pairs() const { return tokens * choices; }
  bool isFused() const { return up.size() == 2 && parts[0].all != width(); }
  int64_t width() const { return down.inputs; }
  Value ids() const { return down.weights.ids; }

  /// Finds the mixture of the terms [t, k, h] of the sum over choices.
  bool find(Value terms) {
    auto weighted = withoutViews(terms).getDefiningOp<MulOp>();
    if (!weighted)
      return false;
    for (int side : {0, 1}) {
      gates = findGates(weighted->getOperand(1 - side));
      if (gates && findExperts(weighted->getOperand(side)))
        return true;
    }
    return false;
  }

private:
  /// The gates [t, k] of a factor that repeats each of them along the columns.
  Value findGates(Value factor) {
    auto repeat = withoutViews(factor).getDefiningOp<BroadcastOp>();
    if (!repeat || countOf(tensorType(repeat.getInput()).getShape()) != pairs())
      return {};
    bool isColumn = false;
    for (auto [dim, extent] : llvm::enumerate(repeat.getType().getShape())) {
      bool isRepeated =
          !llvm::is_contained(repeat.getDims(), static_cast<int64_t>(dim));
      if (extent > 1 && !isRepeated && isColumn)
        return {};
      isColumn |= extent > 1 && isRepeated;
    }
    return withoutViews(repeat.getInput());
  }

  bool findExperts(Value rows) {
    std::optional<ExpertProduct> product = findProduct(rows, pairs());
    if (!product)
      return false;
    down = *product;
    std::optional<ExpertActivation> found = findActivation(down.input);
    return found && findUp(*found) &&
           countOf(tensorType(ids()).getShape()) == pairs() &&
           tensorType(ids()).getShape().back() == choices;
  }

  bool findUp(const ExpertActivation &found) {
    activation = found;
    parts.clear(), up.clear();
    for (Value u : {found.gate, found.up}) {
      if (!u)
        continue;
      Columns part = findColumns(u, pairs());
      std::optional<ExpertProduct> product = findProduct(part.whole, pairs());
      if (!product || product->weights.ids != ids() ||
          product->weights.experts != down.weights.experts ||
          part.count != width() || product->outputs != part.all)
        return false;
      parts.push_back(part);
      up.push_back(*product);
    }
    x = findRepeated(up[0].input, tokens, choices);
    if (!x || countOf(tensorType(x).getShape()) != tokens * down.outputs)
      return false;
    if (up.size() == 1)
      return parts[0].count == parts[0].all;
    bool isOne = parts[0].whole == parts[1].whole;
    if (!isOne)
      return parts[0].count == parts[0].all && parts[1].count == parts[1].all &&
             findRepeated(up[1].input, tokens, choices) == x &&
             up[0].bias.has_value() == up[1].bias.has_value();
    // Two halves, or every other column.
    int64_t f = width(), other = parts[0].step == 1 ? f : 1;
    return parts[0].all == 2 * f && parts[0].step == parts[1].step &&
           (parts[0].step == 1 || parts[0].step == 2) &&
           std::min(parts[0].first, parts[1].first) == 0 &&
           std::max(parts[0].first, parts[1].first) == other;
  }
};

/// Builds nn.experts from a mixture.
struct MixtureBuilder {
  const Mixture &mixture;
  PatternRewriter &rewriter;
  Location loc;
  int64_t experts = mixture.down.weights.experts;
  /// The dims of tokens: those of x if it has rows of columns.
  SmallVector<int64_t> dims = tokenDims();

  SmallVector<int64_t> tokenDims() const {
    ArrayRef<int64_t> shape = tensorType(mixture.x).getShape();
    if (shape.size() > 1 && shape.back() == mixture.down.outputs)
      return SmallVector<int64_t>(shape.drop_back());
    return {mixture.tokens};
  }
  Value perToken(Value value, int64_t columns) {
    SmallVector<int64_t> shape(dims);
    shape.push_back(columns);
    return reshapeTo(rewriter, loc, value, shape);
  }
  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    SmallVector<int64_t> shape;
    for (int64_t dim : permutation)
      shape.push_back(tensorType(value).getDimSize(dim));
    return TransposeOp::create(rewriter, loc, tensorType(value).clone(shape),
                               value, permutation);
  }
  /// The table of a product as [e, p, f, h]; p parts are interleaved if step is
  /// 2.
  Value weightsOf(const ExpertProduct &product, int64_t step) {
    Value table = product.weights.table;
    int64_t h = product.inputs, f = mixture.width(), p = product.outputs / f;
    bool isInterleaved = step == 2;
    if (!product.isTransposed) {
      if (!isInterleaved)
        return reshapeTo(rewriter, loc, table, {experts, p, f, h});
      Value split = reshapeTo(rewriter, loc, table, {experts, f, p, h});
      return transpose(split, {0, 2, 1, 3});
    }
    if (!isInterleaved)
      return transpose(reshapeTo(rewriter, loc, table, {experts, h, p, f}),
                       {0, 2, 3, 1});
    return transpose(reshapeTo(rewriter, loc, table, {experts, h, f, p}),
                     {0, 3, 2, 1});
  }
  /// The bias of a product as [e, p, f].
  Value biasOf(const ExpertProduct &product, int64_t step) {
    int64_t f = mixture.width(), p = product.outputs / f;
    if (step == 1)
      return reshapeTo(rewriter, loc, product.bias->table, {experts, p, f});
    return transpose(
        reshapeTo(rewriter, loc, product.bias->table, {experts, f, p}),
        {0, 2, 1});
  }
  /// Part i of dim 1, which stays with extent 1.
  Value partOf(Value value, int64_t i) {
    SmallVector<int64_t> shape(tensorType(value).getShape()),
        starts(shape.size(), 0), steps(shape.size(), 1);
    shape[1] = 1, starts[1] = i;
    return SliceOp::create(rewriter, loc, tensorType(value).clone(shape), value,
                           starts, steps);
  }
  /// w1 and b1. If a fused projection has the gate last, its parts are two
  /// operands.
  void addUp(SmallVector<Value> &w1, SmallVector<Value> &b1) {
    const ExpertProduct &first = mixture.up[0];
    if (!mixture.isFused()) {
      for (const ExpertProduct &product : mixture.up) {
        w1.push_back(weightsOf(product, 1));
        if (product.bias)
          b1.push_back(biasOf(product, 1));
      }
      return;
    }
    int64_t step = mixture.parts[0].step;
    w1.push_back(weightsOf(first, step));
    if (first.bias)
      b1.push_back(biasOf(first, step));
    if (mixture.parts[0].first == 0)
      return;
    for (SmallVector<Value> *all : {&w1, &b1})
      if (!all->empty())
        *all = {partOf(all->front(), 1), partOf(all->front(), 0)};
  }
  Value down() {
    const ExpertProduct &product = mixture.down;
    int64_t h = product.outputs, f = product.inputs;
    if (!product.isTransposed)
      return reshapeTo(rewriter, loc, product.weights.table, {experts, h, f});
    return transpose(
        reshapeTo(rewriter, loc, product.weights.table, {experts, f, h}),
        {0, 2, 1});
  }
  /// The biases of the down projection: gates [t, e] times them, [t.., h].
  Value downBias(Value ids, Value gates, RankedTensorType type) {
    SmallVector<int64_t> shape(dims);
    shape.push_back(experts);
    Value table = reshapeTo(rewriter, loc, mixture.down.bias->table,
                            {experts, mixture.down.outputs});
    Value weights = SpreadOp::create(
        rewriter, loc, tensorType(gates).clone(shape), gates, ids, Value());
    Type element = type.getElementType();
    if (tensorType(weights).getElementType() != element)
      weights = CastOp::create(rewriter, loc, type.clone(shape), weights);
    std::string tokens = StringRef("abcdfgijk").take_front(dims.size()).str();
    return ContractOp::create(
        rewriter, loc, type,
        rewriter.getStringAttr(tokens + "e,eh->" + tokens + "h"), weights,
        table);
  }

  /// [t.., h].
  Value build() {
    const ExpertActivation &act = mixture.activation;
    Value x = perToken(mixture.x, mixture.down.outputs),
          ids = perToken(mixture.ids(), mixture.choices),
          gates = perToken(mixture.gates, mixture.choices);
    RankedTensorType type = tensorType(x);
    if (!tensorType(gates).getElementType().isF32())
      gates = CastOp::create(
          rewriter, loc, tensorType(gates).clone(rewriter.getF32Type()), gates);
    SmallVector<Value> w1, b1;
    addUp(w1, b1);
    FloatAttr limit;
    if (act.limit)
      limit = rewriter.getF64FloatAttr(*act.limit);
    auto experts = ExpertsOp::create(
        rewriter, loc, type, /*overflow=*/Type(), x, ids, gates, w1, b1, down(),
        /*offset=*/Value(),
        ActivationAttr::get(rewriter.getContext(), act.kind),
        rewriter.getF64FloatAttr(act.alpha), limit,
        rewriter.getF64FloatAttr(act.shift), /*capacity=*/FloatAttr(),
        /*rows=*/IntegerAttr());
    Value y = experts.getResult();
    if (!mixture.down.bias)
      return y;
    return SumOp::create(rewriter, loc, type,
                         ValueRange{y, downBias(ids, gates, type)});
  }
};

/// Matches the sum over the choices of a token.
struct ExpertsPattern : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getDims().size() != 1)
      return failure();
    int64_t dim = op.getDims()[0];
    ArrayRef<int64_t> shape = tensorType(op.getInput()).getShape();
    Mixture mixture;
    mixture.tokens = countOf(shape.take_front(dim));
    mixture.choices = shape[dim];
    if (!mixture.find(op.getInput()) ||
        mixture.down.outputs != countOf(shape.drop_front(dim + 1)))
      return failure();
    Value y = MixtureBuilder{mixture, rewriter, op.getLoc()}.build();
    rewriter.replaceOp(
        op, reshapeTo(rewriter, op.getLoc(), y, op.getType().getShape()));
    return success();
  }
};

} // namespace

void pcc::recognition::populateExpertPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpertsPattern>(patterns.getContext());
}
