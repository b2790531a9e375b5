//===- Fold.cpp - Folders of nn ops ---------------------------------------===//
//
// Folds identities and chains of ops that move elements. The frontend folds
// arithmetic on constants when it interprets the source file's operators.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/AttrNames.h"
#include "dialects/NN/NN.h"

using namespace mlir;
using namespace pcc::nn;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult SumOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? getInputs().front() : Value();
}

OpFoldResult ScaleOp::fold(FoldAdaptor) {
  return getFactor().isExactlyValue(1.0) ? getInput() : Value();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  bool isSame = getInput().getType() == getType();
  return isSame && !(*this)->hasAttr(kDetachedAttr) ? getInput() : Value();
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getP().isZero() ? getInput() : Value();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<ReshapeOp>()) {
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  return getInput().getType() == getType() ? getInput() : Value();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (auto inner = getInput().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> dims;
    for (int64_t dim : getPermutation())
      dims.push_back(inner.getPermutation()[dim]);
    setPermutation(dims);
    getInputMutable().assign(inner.getInput());
    return getResult();
  }
  for (auto [i, dim] : llvm::enumerate(getPermutation()))
    if (static_cast<int64_t>(i) != dim)
      return {};
  return getInput();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  return getDims().empty() ? getInput() : Value();
}

// A box of the full extent starts at 0 and is stepped by 1 wherever there is
// more than one element.
OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}
OpFoldResult PadOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : Value();
}
