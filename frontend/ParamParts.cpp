//===- ParamParts.cpp - Parameters cut out of others ----------------------===//

#include "frontend/ParamParts.h"
#include "dialects/NN/SourceMarks.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace pcc::frontend;
using namespace pcc::nn;

bool pcc::frontend::isAlong(SliceOp slice, int64_t dim) {
  ArrayRef<int64_t> whole = tensorType(slice.getInput()).getShape();
  for (int64_t d = 0, rank = whole.size(); d < rank; ++d)
    if (slice.getSteps()[d] != 1 ||
        (d != dim && slice.getType().getDimSize(d) != whole[d]))
      return false;
  return true;
}

ParamPart pcc::frontend::partOf(SliceOp slice, int64_t dim) {
  return {slice.getStarts()[dim], slice.getType().getDimSize(dim)};
}

ParamOp pcc::frontend::ownParam(ReadOp read) {
  auto module = read->getParentOfType<ModuleOp>();
  auto param =
      SymbolTable::lookupNearestSymbolFrom<ParamOp>(read, read.getSymbolAttr());
  if (!param || param->hasAttr(kCopiesAttr))
    return nullptr;
  auto uses = SymbolTable::getSymbolUses(param, module);
  if (!uses || !llvm::hasSingleElement(*uses))
    return nullptr;
  SourceAttr source = param.getSourceAttr();
  if (source &&
      source.getValid().asArrayRef() != param.getTensorType().getShape())
    return nullptr;
  return param;
}

ParamOp pcc::frontend::soleParam(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  return read && read->hasOneUse() ? ownParam(read) : nullptr;
}

Value pcc::frontend::readPart(PatternRewriter &rewriter, Value whole,
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
    if (SourceAttr source = param.getSourceAttr()) {
      ArrayRef<int64_t> strides = source.getStrides().asArrayRef();
      own.setSourceAttr(SourceAttr::get(
          rewriter.getContext(), source.getName(), source.getFile(),
          source.getOffset(), source.getType(), source.getFileSize(),
          source.getDigest(), source.getBase() + part.begin * strides[dim],
          source.getStrides(), rewriter.getDenseI64ArrayAttr(shape)));
    }
  }
  return ReadOp::create(rewriter, read.getLoc(), type, name);
}
