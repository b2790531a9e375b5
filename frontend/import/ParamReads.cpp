//===- ParamReads.cpp - Weights as parameters -----------------------------===//

#include "frontend/import/ParamReads.h"
#include "analysis/Dependence.h"
#include "analysis/Params.h"
#include "analysis/Tensor.h"
#include "dialects/NN/AttrNames.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The source of a parameter in a file: at `range`, with `strides` over the
/// elements of dims of extents `shape`.
static SourceAttr sourceOf(Builder &builder, StringRef name,
                           const FileRange &range, RankedTensorType stored,
                           ArrayRef<int64_t> strides, ArrayRef<int64_t> shape) {
  return SourceAttr::get(builder.getContext(), name, range.file, range.offset,
                         stored, range.fileSize, range.digest, /*base=*/0,
                         builder.getDenseI64ArrayAttr(strides),
                         builder.getDenseI64ArrayAttr(shape));
}

/// Records on the parameter of `read` a further copy in the file.
static void addCopy(Builder &builder, ReadOp read, const Weight &copy,
                    const FileRange &range) {
  ParamOp param = paramOf(read);
  // The strides are those of the parameter's dims.
  SmallVector<int64_t> shape(param.getTensorType().getShape());
  Shape strides = rowMajor(shape);
  if (copy.transposed)
    strides = {1, shape[0]};
  auto stored = RankedTensorType::get(copy.type.getShape(), copy.storage);
  SourceAttr source =
      sourceOf(builder, copy.tensor->name(), range, stored, strides, shape);
  SmallVector<SourceAttr> copies(param.getRecord().getCopies());
  copies.push_back(source);
  param.setRecordAttr(param.getRecord().withCopies(copies));
}

/// Records the further repetitions of an expanded parameter in the file.
static void addRepeats(Builder &builder, ReadOp read, const Weight &weight) {
  if (weight.expanded.empty())
    return;
  int64_t times = ShapedType::getNumElements(weight.expanded) /
                  weight.type.getNumElements();
  FileRange range = weight.range;
  for (int64_t i = 1; i < times; ++i) {
    range.offset += range.length;
    addCopy(builder, read, weight, range);
  }
}

/// Reads a weight in the parameter's own shape.
static Value readOwn(OpBuilder &builder, func::FuncOp forward, Weight &weight) {
  if (weight.read)
    return weight.read;
  Location loc =
      NameLoc::get(builder.getStringAttr(weight.name), forward.getLoc());
  if (weight.original) {
    Value original = readOwn(builder, forward, *weight.original);
    auto read = original.getDefiningOp<ReadOp>();
    addCopy(builder, read, weight, weight.range);
    addRepeats(builder, read, weight);
    if (!weight.transposed)
      return weight.read = original;
    return weight.read =
               TransposeOp::create(builder, loc, weight.type, original, {1, 0});
  }
  ArrayRef<int64_t> shape = weight.type.getShape();
  auto stored = RankedTensorType::get(shape, weight.storage);
  SourceAttr source = sourceOf(builder, weight.name, weight.range, stored,
                               rowMajor(shape), shape);
  // A single number was chosen by the model's author, and a frozen value must
  // be kept: both keep the file's value.
  bool keepsValue = weight.range.bytes &&
                    (weight.type.getNumElements() == 1 ||
                     weight.provenance.kind == Provenance::Kind::Frozen);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(forward);
    auto record = RecordAttr::get(builder.getContext(),
                                  keepsValue ? Init::File : Init::Normal,
                                  /*decay=*/weight.provenance.rank >= 2, source)
                      .withTransposed(weight.provenance.isTransposed)
                      .withPlusOne(weight.provenance.isPlusOne);
    auto param = ParamOp::create(builder, loc, weight.name, weight.type, record,
                                 /*frozen=*/false);
    if (weight.name != weight.tensor->name())
      param->setAttr(kSourceNameAttr,
                     builder.getStringAttr(weight.tensor->name()));
  }
  // The first use dominates all others.
  auto read = ReadOp::create(builder, loc, weight.type, weight.name);
  addRepeats(builder, read, weight);
  return weight.read = read;
}

Value pcc::frontend::readParam(OpBuilder &builder, func::FuncOp forward,
                               Weight &weight) {
  Value read = readOwn(builder, forward, weight);
  if (weight.expanded.empty() || weight.wide)
    return weight.expanded.empty() ? read : weight.wide;
  SmallVector<int64_t> kept, dims;
  for (auto [d, extent] : llvm::enumerate(weight.type.getShape()))
    if (extent == weight.expanded[d]) {
      kept.push_back(extent);
      dims.push_back(d);
    }
  Type element = weight.type.getElementType();
  Value narrow = ReshapeOp::create(builder, read.getLoc(),
                                   RankedTensorType::get(kept, element), read);
  return weight.wide = BroadcastOp::create(
             builder, read.getLoc(),
             RankedTensorType::get(weight.expanded, element), narrow, dims);
}

bool pcc::frontend::markPaddingRow(Value result, Value table, int64_t row) {
  for (Operation *op = result.getDefiningOp(); op;
       op = op->getOperand(0).getDefiningOp()) {
    if (auto lookup = dyn_cast<EmbeddingOp>(op)) {
      Builder builder(op->getContext());
      op->setAttr(kPaddingRowAttr, builder.getI64IntegerAttr(row));
      return lookup.getTable() == table;
    }
    if (op->getNumOperands() != 1)
      return false;
  }
  return false;
}

void pcc::frontend::markMerged(ModuleOp module, const Weights &weights) {
  SymbolTable symbols(module);
  for (const Weight &weight : weights.all())
    if (auto param = symbols.lookup<ParamOp>(weight.name);
        param && (weight.wasMerged || weight.isAbsent))
      param.setRecordAttr(param.getRecord().withUses(weight.uses));
}
