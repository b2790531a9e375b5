//===- PartedProjections.cpp - Projections cut into unequal parts ---------===//

#include "dialects/NN/SourceMarks.h"
#include "frontend/Patterns.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

namespace {

/// A part of the last dim of a projection.
struct Part {
  SliceOp slice;
  int64_t begin, size;
};

/// x * weight + bias, the weight and the biases parameters that nothing else
/// reads.
struct Projection {
  ContractOp contract;
  SumOp sum; ///< null without biases
  unsigned weight;
  int64_t weightDim; ///< the weight's dim that is the result's last
};

} // namespace

static bool isAlong(SliceOp slice, int64_t dim) {
  ArrayRef<int64_t> whole = tensorType(slice.getInput()).getShape();
  for (int64_t d = 0, rank = whole.size(); d < rank; ++d)
    if (slice.getSteps()[d] != 1 ||
        (d != dim && slice.getType().getDimSize(d) != whole[d]))
      return false;
  return true;
}

/// The parts in order, if they are all that is done with `whole`, do not
/// overlap, leave nothing out and differ in their sizes.
static SmallVector<Part> findParts(Value whole) {
  int64_t last = tensorType(whole).getRank() - 1;
  SmallVector<Part> parts;
  for (Operation *user : whole.getUsers()) {
    auto slice = dyn_cast<SliceOp>(user);
    if (!slice || !isAlong(slice, last))
      return {};
    parts.push_back(
        {slice, slice.getStarts()[last], slice.getType().getDimSize(last)});
  }
  llvm::sort(parts, [](const Part &a, const Part &b) {
    return std::pair(a.begin, a.size) < std::pair(b.begin, b.size);
  });
  int64_t end = 0;
  bool alike = true;
  for (const Part &part : parts) {
    if (part.begin != end)
      return {};
    end += part.size;
    alike &= part.size == parts[0].size;
  }
  if (alike || end != tensorType(whole).getDimSize(last))
    return {};
  return parts;
}

/// The parameter that `value` reads, if nothing else does and all of it comes
/// from one place of the file.
static ParamOp soleParam(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || !read->hasOneUse())
    return nullptr;
  auto module = read->getParentOfType<ModuleOp>();
  auto param =
      SymbolTable::lookupNearestSymbolFrom<ParamOp>(read, read.getSymbolAttr());
  auto uses = SymbolTable::getSymbolUses(param, module);
  if (!uses || !llvm::hasSingleElement(*uses) || param->hasAttr(kCopiesAttr))
    return nullptr;
  SourceAttr source = param.getSourceAttr();
  if (source &&
      source.getValid().asArrayRef() != param.getTensorType().getShape())
    return nullptr;
  return param;
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

static RankedTensorType resized(RankedTensorType type, int64_t dim,
                                int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

/// Reads a parameter of its own: the elements [begin, begin + size) of `dim` of
/// the one that `whole` reads.
static Value readPart(PatternRewriter &rewriter, Value whole, int64_t dim,
                      const Part &part) {
  auto read = whole.getDefiningOp<ReadOp>();
  ParamOp param = soleParam(whole);
  RankedTensorType type = resized(param.getTensorType(), dim, part.size);
  std::string name = (param.getSymName() + "[" + Twine(part.begin) + ":" +
                      Twine(part.begin + part.size) + "]")
                         .str();
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(param);
    auto own = cast<ParamOp>(rewriter.clone(*param));
    own.setSymName(name);
    own.setType(type);
    if (SourceAttr source = param.getSourceAttr()) {
      ArrayRef<int64_t> strides = source.getStrides().asArrayRef();
      own.setSourceAttr(SourceAttr::get(
          rewriter.getContext(), source.getName(), source.getFile(),
          source.getOffset(), source.getType(), source.getFileSize(),
          source.getDigest(), source.getBase() + part.begin * strides[dim],
          source.getStrides(), rewriter.getDenseI64ArrayAttr(type.getShape())));
    }
  }
  return ReadOp::create(rewriter, read.getLoc(), type, name);
}

namespace {

/// Unequal slices along the columns of a projection, such as many queries
/// beside few keys and values, become projections with weights of their own:
///
///   %y = contract(%x, %w) : [b, s, q + k + v]   %q = contract(%x, %w[0:q])
///   %q = slice %y, %k = slice %y, ...           %k = contract(%x, %w[q:q+k])
///
/// No sharding of all columns gives every rank its share of each part.
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

} // namespace

void pcc::frontend::populatePartedProjectionPatterns(
    RewritePatternSet &patterns) {
  patterns.add<UnequalParts>(patterns.getContext());
}
