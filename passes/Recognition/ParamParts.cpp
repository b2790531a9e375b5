//===- ParamParts.cpp - Parameters sliced from others ---------------------===//

#include "passes/Recognition/ParamParts.h"
#include "analysis/Dependence.h"
#include "dialects/NN/AttrNames.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

bool pcc::recognition::isAlong(SliceOp slice, int64_t dim) {
  ArrayRef<int64_t> whole = tensorType(slice.getInput()).getShape();
  for (int64_t d = 0, rank = whole.size(); d < rank; ++d)
    if (slice.getSteps()[d] != 1 ||
        (d != dim && slice.getType().getDimSize(d) != whole[d]))
      return false;
  return true;
}

ParamPart pcc::recognition::partOf(SliceOp slice, int64_t dim) {
  return {slice.getStarts()[dim], slice.getType().getDimSize(dim)};
}

ParamOp pcc::recognition::ownParam(ReadOp read) {
  auto module = read->getParentOfType<ModuleOp>();
  ParamOp param = paramOf(read);
  if (!param)
    return nullptr;
  auto uses = SymbolTable::getSymbolUses(param, module);
  if (!uses || !llvm::hasSingleElement(*uses))
    return nullptr;
  SourceAttr source = param.getSource();
  if (source &&
      source.getValid().asArrayRef() != param.getTensorType().getShape())
    return nullptr;
  return param;
}

ParamOp pcc::recognition::soleParam(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  return read && read->hasOneUse() ? ownParam(read) : nullptr;
}

/// The source of the slice of `shape` that starts at index `begin` of `dim`.
static SourceAttr cutSource(SourceAttr source, int64_t dim, int64_t begin,
                            ArrayRef<int64_t> shape) {
  return SourceAttr::get(
      source.getContext(), source.getName(), source.getFile(),
      source.getOffset(), source.getType(), source.getFileSize(),
      source.getDigest(),
      source.getBase() + begin * source.getStrides().asArrayRef()[dim],
      source.getStrides(), DenseI64ArrayAttr::get(source.getContext(), shape));
}

Value pcc::recognition::readPart(PatternRewriter &rewriter, Value whole,
                                 int64_t dim, ParamPart part) {
  auto read = whole.getDefiningOp<ReadOp>();
  ParamOp param = ownParam(read);
  SmallVector<int64_t> shape(param.getTensorType().getShape());
  shape[dim] = part.size;
  RankedTensorType type = param.getTensorType().clone(shape);
  std::string name = (param.getSymName() + "[" + Twine(part.begin) + ":" +
                      Twine(part.begin + part.size) + "]")
                         .str();
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(param);
    auto own = cast<ParamOp>(rewriter.clone(*param));
    own.setSymName(name);
    own.setType(type);
    own.setRecordAttr(param.getRecord().mapSources([&](SourceAttr source) {
      return cutSource(source, dim, part.begin, shape);
    }));
  }
  return ReadOp::create(rewriter, read.getLoc(), type, name);
}
