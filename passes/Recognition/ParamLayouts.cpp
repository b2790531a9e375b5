//===- ParamLayouts.cpp - Declared shapes of parameters -------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "passes/Recognition/DimParts.h"
#include "passes/Recognition/Patterns.h"

using namespace mlir;
using namespace pcc::recognition;
using namespace pcc::nn;

/// Reads of parameters and states, by symbol.
using Reads = llvm::StringMap<SmallVector<ReadOp>>;

static Reads readsOf(ModuleOp module) {
  Reads reads;
  module.walk([&](ReadOp op) { reads[op.getSymbol()].push_back(op); });
  return reads;
}

/// Declares a parameter with `type`. All users of its reads make this type of
/// them, and are replaced by the reads.
static void declare(ParamOp param, RankedTensorType type,
                    ArrayRef<ReadOp> reads) {
  param.setType(type);
  for (ReadOp read : reads) {
    read.getResult().setType(type);
    for (Operation *user : llvm::make_early_inc_range(read->getUsers())) {
      user->getResult(0).replaceAllUsesWith(read.getResult());
      user->erase();
    }
  }
}

/// The source of a parameter after its dims are split into `parts`.
static SourceAttr splitSource(SourceAttr source,
                              ArrayRef<SmallVector<int64_t, 2>> parts) {
  SmallVector<int64_t> strides, valid;
  for (auto [part, stride] :
       llvm::zip(parts, source.getStrides().asArrayRef())) {
    size_t begin = strides.size();
    int64_t inner = stride;
    for (int64_t extent : llvm::reverse(part)) {
      strides.insert(strides.begin() + begin, inner);
      inner *= extent;
    }
    llvm::append_range(valid, part);
  }
  MLIRContext *context = source.getContext();
  return SourceAttr::get(
      context, source.getName(), source.getFile(), source.getOffset(),
      source.getType(), source.getFileSize(), source.getDigest(),
      source.getBase(), DenseI64ArrayAttr::get(context, strides),
      DenseI64ArrayAttr::get(context, valid));
}

void pcc::recognition::reshapeParams(ModuleOp module) {
  Reads reads = readsOf(module);
  for (auto param : module.getOps<ParamOp>()) {
    RankedTensorType type;
    bool alike = true;
    for (ReadOp read : reads[param.getSymName()])
      for (Operation *user : read->getUsers()) {
        auto reshape = dyn_cast<ReshapeOp>(user);
        alike &= reshape && (!type || reshape.getType() == type);
        if (alike)
          type = reshape.getType();
      }
    if (!alike || !type)
      continue;
    // Padding is added later, so every element is still valid here.
    SourceAttr source = param.getSource();
    auto parts = splitDims(param.getTensorType().getShape(), type.getShape());
    if (!parts || (source && source.getValid().asArrayRef() !=
                                 param.getTensorType().getShape()))
      continue;
    param.setRecordAttr(param.getRecord().mapSources(
        [&](SourceAttr source) { return splitSource(source, *parts); }));
    declare(param, type, reads[param.getSymName()]);
  }
}

/// The source of a parameter after its dims are permuted.
static SourceAttr permuteSource(SourceAttr source,
                                ArrayRef<int64_t> permutation) {
  auto permuted = [&](DenseI64ArrayAttr numbers) {
    return DenseI64ArrayAttr::get(
        source.getContext(), llvm::map_to_vector(permutation, [&](int64_t dim) {
          return numbers.asArrayRef()[dim];
        }));
  };
  return SourceAttr::get(source.getContext(), source.getName(),
                         source.getFile(), source.getOffset(), source.getType(),
                         source.getFileSize(), source.getDigest(),
                         source.getBase(), permuted(source.getStrides()),
                         permuted(source.getValid()));
}

void pcc::recognition::transposeExpertParams(ModuleOp module) {
  Reads reads = readsOf(module);
  for (auto param : module.getOps<ParamOp>()) {
    TransposeOp first;
    bool alike = true;
    for (ReadOp read : reads[param.getSymName()])
      for (Operation *user : read->getUsers()) {
        auto transpose = dyn_cast<TransposeOp>(user);
        alike &=
            transpose &&
            (!first || transpose.getPermutation() == first.getPermutation()) &&
            llvm::all_of(user->getUsers(), llvm::IsaPred<ExpertsOp>);
        if (alike)
          first = transpose;
      }
    if (!alike || !first)
      continue;
    RankedTensorType type = first.getType();
    SmallVector<int64_t> permutation(first.getPermutation());
    param.setRecordAttr(param.getRecord().mapSources(
        [&](SourceAttr source) { return permuteSource(source, permutation); }));
    declare(param, type, reads[param.getSymName()]);
  }
}
