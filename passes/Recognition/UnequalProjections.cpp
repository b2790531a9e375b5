//===- UnequalProjections.cpp - Projections with unequal parts ------------===//

#include "mlir/IR/IRMapping.h"
#include "passes/Recognition/ParamParts.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {

/// A slice of one dim of a projection or parameter.
struct Part : ParamPart {
  SliceOp slice;
};

/// x * weight + biases. Weight and biases are parameters with no other reads.
struct Projection {
  ContractOp contract;
  SumOp sum; ///< null without biases
  unsigned weight;
  int64_t weightDim; ///< the weight's dim that is the result's last
};

} // namespace

static bool isBefore(const ParamPart &a, const ParamPart &b) {
  return std::pair(a.begin, a.size) < std::pair(b.begin, b.size);
}

/// Whether the parts cover a dim of `extent` without overlap and differ in
/// size.
static bool areUnequal(SmallVector<ParamPart> parts, int64_t extent) {
  llvm::sort(parts, isBefore);
  int64_t end = 0;
  bool alike = true;
  for (const ParamPart &part : parts) {
    if (part.begin != end)
      return false;
    end += part.size;
    alike &= part.size == parts[0].size;
  }
  return !alike && end == extent;
}

/// The slices of `whole` in order, if they are its only uses and unequal parts.
static SmallVector<Part> findParts(Value whole) {
  int64_t last = tensorType(whole).getRank() - 1;
  SmallVector<Part> parts;
  for (Operation *user : whole.getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice || !isAlong(slice, last))
      return {};
    parts.push_back({partOf(slice, last), slice});
  }
  llvm::sort(parts, isBefore);
  SmallVector<ParamPart> places(parts.begin(), parts.end());
  return areUnequal(places, tensorType(whole).getDimSize(last))
             ? parts
             : SmallVector<Part>();
}

static std::optional<Projection> findProjection(Value whole) {
  Projection found{};
  SmallVector<Value> terms = {whole};
  if ((found.sum = whole.getDefiningOp<SumOp>()))
    terms.assign(found.sum.getOperands().begin(),
                 found.sum.getOperands().end());
  int64_t last = tensorType(whole).getRank() - 1;
  for (Value term : terms) {
    if (found.sum && !term.hasOneUse())
      return std::nullopt;
    if (auto bias = term.getDefiningOp<BroadcastOp>()) {
      if (bias.getDims().empty() || bias.getDims().back() != last ||
          !soleParam(bias.getInput()))
        return std::nullopt;
      continue;
    }
    if (found.contract)
      return std::nullopt;
    found.contract = term.getDefiningOp<ContractOp>();
    if (!found.contract)
      return std::nullopt;
  }
  if (!found.contract)
    return std::nullopt;
  char label = found.contract.getResultLabels().back();
  StringRef labels[] = {found.contract.getLhsLabels(),
                        found.contract.getRhsLabels()};
  found.weight = labels[0].contains(label) ? 0 : 1;
  if (labels[1 - found.weight].contains(label) ||
      !soleParam(found.contract->getOperand(found.weight)))
    return std::nullopt;
  found.weightDim = labels[found.weight].find(label);
  return found;
}

namespace {

/// Replaces a projection whose columns are sliced unequally, such as many
/// queries with few keys and values, by one projection per slice:
///
///   %y = contract(%x, %w) : [b, s, q + k + v]   %q = contract(%x, %w[0:q])
///   %q = slice %y, %k = slice %y, ...           %k = contract(%x, %w[q:q+k])
///
/// No sharding of the joint columns gives every rank its share of each part.
struct UnequalParts : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    Value whole = op.getInput();
    if (tensorType(whole).getRank() < 2)
      return failure();
    SmallVector<Part> parts = findParts(whole);
    std::optional<Projection> found;
    if (parts.empty() || !(found = findProjection(whole)))
      return failure();
    rewriter.setInsertionPointAfterValue(whole);
    for (const Part &part : parts)
      rewriter.replaceOp(part.slice, project(rewriter, *found, part));
    return success();
  }

private:
  static Value project(PatternRewriter &rewriter, Projection whole, Part part) {
    RankedTensorType type = part.slice.getType();
    IRMapping mapping;
    ContractOp contract = whole.contract;
    Value weight = contract->getOperand(whole.weight);
    mapping.map(weight, readPart(rewriter, weight, whole.weightDim, part));
    auto cloneAs = [&](Operation *op) {
      Operation *copy = rewriter.clone(*op, mapping);
      copy->getResult(0).setType(type);
      mapping.map(op->getResult(0), copy->getResult(0));
      return copy->getResult(0);
    };
    Value result = cloneAs(contract);
    if (!whole.sum)
      return result;
    for (Value term : whole.sum.getOperands()) {
      auto bias = term.getDefiningOp<BroadcastOp>();
      if (!bias)
        continue;
      Value vector = bias.getInput();
      mapping.map(vector, readPart(rewriter, vector,
                                   tensorType(vector).getRank() - 1, part));
      cloneAs(bias);
    }
    return cloneAs(whole.sum);
  }
};

/// Rewrites slices of unequal numbers of heads, such as many of queries and one
/// each of keys and values, of a projection that is reshaped to heads. The
/// columns are sliced instead, as above, and each slice is reshaped:
///
///   %h = reshape %y : [b, s, q + 2, d]          %q = reshape(slice %y)
///   %q = slice %h : [b, s, q, d]                %k = reshape(slice %y)
///   %k = select %h dim 2 index q : [b, s, d]
struct UnequalHeads : OpRewritePattern<ReshapeOp> {
  // The benefit precedes the patterns that move the reshape to the weight.
  explicit UnequalHeads(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = op.getType().getShape();
    Value whole = op.getInput();
    ArrayRef<int64_t> columns = tensorType(whole).getShape();
    int64_t heads = static_cast<int64_t>(columns.size()) - 1;
    if (heads < 1 || shape.size() != columns.size() + 1 ||
        shape.take_front(heads) != columns.drop_back() || !whole.hasOneUse() ||
        !isa_and_present<ContractOp, SumOp>(whole.getDefiningOp()))
      return failure();
    SmallVector<ParamPart> parts;
    for (Operation *user : op->getUsers()) {
      auto slice = dyn_cast<SliceOp>(user);
      auto select = dyn_cast<SelectOp>(user);
      if (slice && isAlong(slice, heads))
        parts.push_back(partOf(slice, heads));
      else if (select && select.getDim() == static_cast<uint64_t>(heads))
        parts.push_back({static_cast<int64_t>(select.getIndex()), 1});
      else
        return failure();
    }
    if (!areUnequal(parts, shape[heads]))
      return failure();
    for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
      auto slice = dyn_cast<SliceOp>(user);
      ParamPart part =
          slice ? partOf(slice, heads)
                : ParamPart{
                      static_cast<int64_t>(cast<SelectOp>(user).getIndex()), 1};
      SmallVector<int64_t> starts(columns.size()), steps(columns.size(), 1);
      SmallVector<int64_t> size(columns);
      starts.back() = part.begin * shape.back();
      size.back() = part.size * shape.back();
      rewriter.setInsertionPoint(user);
      Value own =
          SliceOp::create(rewriter, user->getLoc(), op.getType().clone(size),
                          whole, starts, steps);
      rewriter.replaceOp(user,
                         reshapeTo(rewriter, user->getLoc(), own,
                                   tensorType(user->getResult(0)).getShape()));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Replaces a contraction over a concatenated dim by a sum of contractions with
/// separate weights. An example is the one projection after attention and a
/// feed-forward layer in parallel:
///
///   %y = contract(concat(%a, %b), %w)     %p = contract(%a, %w[0:a])
///                                         %y = %p + contract(%b, %w[a:a+b])
///
/// Otherwise the concatenated value would have to be whole on every rank.
struct ContractOfConcat : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned weight : {1, 0})
      if (succeeded(split(op, weight, rewriter)))
        return success();
    return failure();
  }

private:
  static LogicalResult split(ContractOp op, unsigned weight,
                             PatternRewriter &rewriter) {
    auto concat = op->getOperand(1 - weight).getDefiningOp<ConcatOp>();
    if (!concat || !soleParam(op->getOperand(weight)))
      return failure();
    StringRef labels[] = {op.getLhsLabels(), op.getRhsLabels()};
    char summed = labels[1 - weight][concat.getDim()];
    size_t dim = labels[weight].find(summed);
    if (dim == StringRef::npos || op.getResultLabels().contains(summed))
      return failure();
    SmallVector<Value> products;
    int64_t begin = 0;
    for (Value input : concat.getInputs()) {
      int64_t size = tensorType(input).getDimSize(concat.getDim());
      Value part =
          readPart(rewriter, op->getOperand(weight), dim, {begin, size});
      begin += size;
      Value lhs = weight == 0 ? part : input, rhs = weight == 0 ? input : part;
      products.push_back(ContractOp::create(rewriter, op.getLoc(), op.getType(),
                                            op.getSpecAttr(), lhs, rhs));
    }
    rewriter.replaceOpWithNewOp<SumOp>(op, op.getType(), products);
    return success();
  }
};

/// Replaces slices that cover a parameter by separate parameters. An example is
/// the query part and the key-value part of a projection that cross-attention
/// applies to two inputs:
///
///   %w = read @in_proj                    %q = read @in_proj[0:d]
///   %q = slice %w, %kv = slice %w         %kv = read @in_proj[d:3d]
struct SlicedParam : OpRewritePattern<ReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReadOp op,
                                PatternRewriter &rewriter) const override {
    int64_t rank = op.getType().getRank(), dim = 0;
    SmallVector<Part> parts;
    for (; dim < rank && parts.empty(); ++dim)
      parts = findSlices(op, dim);
    if (parts.empty() || !ownParam(op))
      return failure();
    rewriter.setInsertionPointAfter(op);
    Value read;
    for (auto [i, part] : llvm::enumerate(parts)) {
      if (i == 0 || part.begin != parts[i - 1].begin)
        read = readPart(rewriter, op.getResult(), dim - 1, part);
      rewriter.replaceOp(part.slice, read);
    }
    return success();
  }

private:
  /// The uses in order, if all are slices along `dim` that cover it and overlap
  /// only where they are equal; else empty.
  static SmallVector<Part> findSlices(ReadOp op, int64_t dim) {
    SmallVector<Part> parts;
    for (Operation *user : op->getUsers()) {
      auto slice = dyn_cast<SliceOp>(user);
      if (!slice || !isAlong(slice, dim))
        return {};
      parts.push_back({partOf(slice, dim), slice});
    }
    // The order of users is unspecified: sort equal slices by program order.
    llvm::sort(parts, [](const Part &a, const Part &b) {
      if (a.begin != b.begin || a.size != b.size)
        return std::pair(a.begin, a.size) < std::pair(b.begin, b.size);
      return a.slice != b.slice && a.slice->isBeforeInBlock(b.slice);
    });
    int64_t begin = 0, end = 0;
    for (const Part &part : parts) {
      if (part.begin == end) {
        begin = end;
        end += part.size;
      } else if (part.begin != begin || part.begin + part.size != end) {
        return {};
      }
    }
    bool isAll = end == op.getType().getDimSize(dim);
    return isAll && begin > 0 ? parts : SmallVector<Part>();
  }
};

} // namespace

void pcc::recognition::populateUnequalProjectionPatterns(
    RewritePatternSet &patterns) {
  patterns.add<UnequalParts, ContractOfConcat, SlicedParam>(
      patterns.getContext());
}

void pcc::recognition::populateUnequalHeadPatterns(
    RewritePatternSet &patterns) {
  patterns.add<UnequalHeads>(patterns.getContext());
}
