//===- RopePatterns.cpp - rotary position embedding from tables -----------===//
//
// Exporters fold the cosines and sines of all positions into constant tables:
//
//   x * cos + concat(-x[d/2:], x[:d/2]) * sin
//
// The tables are compared with those of positions 0, 1, ... and a base. If they
// differ (frequencies scaled for long contexts) the primitives stay.
//
//===----------------------------------------------------------------------===//

#include "analysis/Axes.h"
#include "analysis/Evaluate.h"
#include "passes/Recognition/Patterns.h"
#include <cmath>

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

/// Whether `slice` takes `size` elements of the last dim from `start` on and
/// all other dims whole.
static bool isPart(SliceOp slice, int64_t start, int64_t size) {
  ArrayRef<int64_t> from = tensorType(slice.getInput()).getShape();
  ArrayRef<int64_t> to = slice.getType().getShape();
  return from.drop_back() == to.drop_back() && to.back() == size &&
         slice.getStarts().back() == start && slice.getSteps().back() == 1;
}

/// x if `value` is concat(-x[d/2:], x[:d/2]) along the last dim.
static Value rotatedHalf(Value value) {
  auto concat = value.getDefiningOp<ConcatOp>();
  int64_t rank = tensorType(value).getRank();
  if (!concat || concat.getInputs().size() != 2 ||
      static_cast<int64_t>(concat.getDim()) != rank - 1)
    return nullptr;
  auto negated = concat.getInputs()[0].getDefiningOp<ScaleOp>();
  auto upper =
      negated ? negated.getInput().getDefiningOp<SliceOp>() : SliceOp();
  auto lower = concat.getInputs()[1].getDefiningOp<SliceOp>();
  int64_t width = tensorType(value).getShape().back();
  if (!upper || !lower || width % 2 ||
      negated.getFactor().convertToDouble() != -1 ||
      upper.getInput() != lower.getInput() ||
      lower.getInput().getType() != value.getType() ||
      !isPart(upper, width / 2, width / 2) || !isPart(lower, 0, width / 2))
    return nullptr;
  return lower.getInput();
}

namespace {

/// Tables of cosines and sines over [position, element].
struct Tables {
  Tensor cos, sin;
  /// The position dim of the tensors that the tables multiply.
  int64_t seq;

  /// Reads the tables from `cos` and `sin`. Empty if their elements are not
  /// known floats, or vary along no or more than one dim besides the last.
  static std::optional<Tables> of(Value cos, Value sin) {
    std::optional<Tensor> c = evaluate(cos), s = evaluate(sin);
    if (!c || !s || !c->isFloat() || !s->isFloat())
      return std::nullopt;
    *c = c->compact();
    *s = s->compact();
    int64_t seq = -1;
    for (int64_t d = 0; d + 1 < c->rank(); ++d) {
      if (!c->varies(d) && !s->varies(d))
        continue;
      if (seq >= 0)
        return std::nullopt;
      seq = d;
    }
    if (seq < 0)
      return std::nullopt;
    auto matrix = [&](const Tensor &t) {
      Shape starts(t.rank(), 0), steps(t.rank(), 1), shape(t.rank(), 1);
      shape[seq] = t.shape()[seq];
      shape.back() = t.shape().back();
      return t.slice(starts, steps, shape)
          .dense()
          .reshape({shape[seq], shape.back()});
    };
    return Tables{matrix(*c), matrix(*s), seq};
  }

  int64_t length() const { return cos.shape()[0]; }
  int64_t width() const { return cos.shape()[1]; }

  /// The base of the frequencies of all elements; empty if there is none.
  std::optional<double> theta() const {
    int64_t half = width() / 2;
    if (length() < 2)
      return std::nullopt;
    double theta = 10000;
    if (half > 1) {
      // The angle of position 1 is the frequency itself.
      double frequency = std::atan2(sin.at({1, 1}).f, cos.at({1, 1}).f);
      if (!(frequency > 0))
        return std::nullopt;
      theta = std::pow(frequency, -static_cast<double>(half));
      // Bases are round numbers; the tables have about seven significant
      // digits.
      double digit = std::pow(10.0, std::floor(std::log10(theta)) - 3);
      theta = std::round(theta / digit) * digit;
    }
    for (int64_t p = 0; p < length(); ++p)
      for (int64_t i = 0; i < width(); ++i) {
        double angle = p * std::pow(theta, -double(i % half) / half);
        // The error of rounding the angle and the table value to f32.
        double bound = 1e-6 + std::fabs(angle) * 3e-7;
        if (!(std::fabs(cos.at({p, i}).f - std::cos(angle)) <= bound &&
              std::fabs(sin.at({p, i}).f - std::sin(angle)) <= bound))
          return std::nullopt;
      }
    return theta;
  }
};

struct RopeOfTables : OpRewritePattern<SumOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SumOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 2 || op.getType().getRank() != 4)
      return failure();
    for (int i : {0, 1}) {
      auto straight = op.getInputs()[i].getDefiningOp<MulOp>();
      auto rotated = op.getInputs()[1 - i].getDefiningOp<MulOp>();
      if (!straight || !rotated)
        return failure();
      for (int j : {0, 1})
        for (int k : {0, 1})
          if (rotatedHalf(rotated->getOperand(k)) == straight->getOperand(j) &&
              succeeded(rewrite(op, straight->getOperand(j),
                                straight->getOperand(1 - j),
                                rotated->getOperand(1 - k), rewriter)))
            return success();
    }
    return failure();
  }

private:
  LogicalResult rewrite(SumOp op, Value x, Value cos, Value sin,
                        PatternRewriter &rewriter) const {
    auto tables = Tables::of(cos, sin);
    if (!tables)
      return failure();
    auto function = op->getParentOfType<func::FuncOp>();
    BlockArgument tokens = findInput(function, InputRole::Tokens);
    bool fits = tokens && tensorType(tokens).getRank() == 2 &&
                tensorType(tokens).getShape()[1] == tables->length();
    std::optional<double> theta = fits ? tables->theta() : std::nullopt;
    if (!theta) {
      bool frozen = freeze(op, cos, rewriter);
      return success(freeze(op, sin, rewriter) || frozen);
    }
    Operation *replaced = op;
    if (ConcatOp whole = partial(op, x)) {
      x = x.getDefiningOp<SliceOp>().getInput();
      replaced = whole;
    }
    // [b, s, h, d], and back.
    SmallVector<int64_t> there = {0, tables->seq, 0, 3};
    int64_t *next = there.begin();
    for (int64_t d = 0; d < 3; ++d)
      if (d != tables->seq) {
        *next = d;
        next = there.begin() + 2;
      }
    SmallVector<int64_t> back(4);
    for (auto [to, from] : llvm::enumerate(there))
      back[from] = to;
    rewriter.setInsertionPoint(replaced);
    Location loc = op.getLoc();
    Value positions = entryArgument(function, InputRole::Positions);
    Value rotated = transpose(rewriter, loc, x, there);
    rotated = RopeOp::create(rewriter, loc, rotated.getType(), rotated,
                             positions, rewriter.getF64FloatAttr(*theta),
                             rewriter.getI64IntegerAttr(tables->width()),
                             /*inverse=*/UnitAttr());
    rewriter.replaceOp(replaced, transpose(rewriter, loc, rotated, back));
    return success();
  }

  /// Replaces a table that is a weight of the file by a constant: angles of
  /// any frequencies are not trained. Returns false if it is a constant
  /// already.
  static bool freeze(SumOp op, Value table, PatternRewriter &rewriter) {
    Value root = table;
    while (Operation *made = root.getDefiningOp()) {
      if (made->getNumOperands() != 1)
        break;
      root = made->getOperand(0);
    }
    if (!root.getDefiningOp<ReadOp>())
      return false;
    Tensor core = evaluate(table)->compact().core().dense();
    SmallVector<int64_t> shape, dims;
    for (auto [d, extent] : llvm::enumerate(core.shape()))
      if (extent != 1 || tensorType(table).getShape()[d] == 1) {
        shape.push_back(extent);
        dims.push_back(d);
      }
    rewriter.setInsertionPointAfterValue(table);
    auto type = RankedTensorType::get(shape, core.element());
    Value constant = ConstantOp::create(rewriter, op.getLoc(), type,
                                        core.reshape(shape).attr());
    if (type != table.getType())
      constant = BroadcastOp::create(rewriter, op.getLoc(), tensorType(table),
                                     constant, dims);
    rewriter.replaceAllUsesWith(table, constant);
    return true;
  }

  static Value transpose(PatternRewriter &rewriter, Location loc, Value value,
                         ArrayRef<int64_t> permutation) {
    if (llvm::is_sorted(permutation))
      return value;
    SmallVector<int64_t> shape;
    for (int64_t d : permutation)
      shape.push_back(tensorType(value).getShape()[d]);
    auto type =
        RankedTensorType::get(shape, tensorType(value).getElementType());
    return TransposeOp::create(rewriter, loc, type, value, permutation);
  }

  /// Matches concat(rope(y[:r]), y[r:]), where x is y[:r]: the first elements
  /// of each head are rotated. Returns the concat or null.
  static ConcatOp partial(SumOp op, Value x) {
    auto first = x.getDefiningOp<SliceOp>();
    auto concat =
        op->hasOneUse() ? dyn_cast<ConcatOp>(*op->user_begin()) : ConcatOp();
    int64_t r = tensorType(x).getShape().back();
    if (!first || !concat || concat.getInputs().size() != 2 ||
        concat.getDim() != 3 || concat.getInputs()[0] != op.getResult() ||
        !isPart(first, 0, r))
      return nullptr;
    auto rest = concat.getInputs()[1].getDefiningOp<SliceOp>();
    int64_t all = tensorType(first.getInput()).getShape().back();
    return rest && rest.getInput() == first.getInput() &&
                   isPart(rest, r, all - r)
               ? concat
               : nullptr;
  }
};

} // namespace

void pcc::recognition::populateRopePatterns(RewritePatternSet &patterns) {
  patterns.add<RopeOfTables>(patterns.getContext());
}
