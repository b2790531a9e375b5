//===- TensorRecords.cpp - The runtime's parameter records ----------------===//

#include "analysis/TensorRecords.h"
#include "analysis/ElementTypes.h"
#include "dialects/NN/AttrNames.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;

TensorRecords::TensorRecords(ModuleOp module)
    : savedTypes(module->getAttr(nn::kSavedTypesAttr)),
      savedNames(module->getAttrOfType<DictionaryAttr>(nn::kSavedNamesAttr)) {}

int32_t TensorRecords::savedTypeOf(nn::SourceAttr source, int32_t dtype) const {
  Attribute type = savedTypes;
  if (auto byName = dyn_cast_or_null<DictionaryAttr>(type))
    type = byName.get(source.getName());
  if (!type || !isa<FloatType>(source.getType().getElementType()))
    return dtype;
  int32_t saved = dtypeOf(cast<TypeAttr>(type).getValue());
  return saved < 0 ? dtype : saved;
}

const char *TensorRecords::keep(StringRef text) {
  return texts.emplace_back(text.str()).c_str();
}

const int64_t *TensorRecords::keep(ArrayRef<int64_t> numbers) {
  return lists.emplace_back(numbers.begin(), numbers.end()).data();
}

static int32_t initOf(nn::Init init) {
  switch (init) {
  case nn::Init::Zero:
    return PCC_INIT_ZERO;
  case nn::Init::One:
    return PCC_INIT_ONE;
  case nn::Init::Normal:
    return PCC_INIT_NORMAL;
  case nn::Init::File:
    return PCC_INIT_FILE;
  }
  llvm_unreachable("all initial values are handled");
}

pcc_source TensorRecords::encode(nn::SourceAttr attr, int32_t dtype) {
  pcc_source source = {};
  source.name = source.saved_name = keep(attr.getName());
  if (savedNames)
    if (auto name = savedNames.getAs<StringAttr>(attr.getName()))
      source.saved_name = keep(name.getValue());
  source.file = attr.getFile().empty() ? nullptr : keep(attr.getFile());
  source.file_size = attr.getFileSize();
  source.file_digest = attr.getDigest();
  source.offset = attr.getOffset();
  source.dtype = dtype;
  source.saved_dtype = savedTypeOf(attr, dtype);
  source.rank = attr.getType().getRank();
  source.shape = keep(attr.getType().getShape());
  source.base = attr.getBase();
  source.stride = keep(attr.getStrides().asArrayRef());
  source.valid = keep(attr.getValid().asArrayRef());
  return source;
}

FailureOr<pcc_tensor>
TensorRecords::encode(StringRef name, ShapedType type, nn::RecordAttr record,
                      llvm::function_ref<LogicalResult(Type)> refuse) {
  pcc_tensor tensor = {};
  tensor.name = keep(name);
  tensor.dtype = dtypeOf(type.getElementType());
  if (tensor.dtype < 0)
    return refuse(type.getElementType());
  tensor.init = PCC_INIT_ZERO;
  if (!record)
    return tensor;
  if (record.getInit())
    tensor.init = initOf(*record.getInit());
  tensor.decay = record.getDecay();
  // Encodes the source or one of its copies.
  auto add = [&](nn::SourceAttr attr, pcc_source &source) -> LogicalResult {
    int32_t dtype = dtypeOf(attr.getType().getElementType());
    if (dtype < 0)
      return refuse(attr.getType().getElementType());
    source = encode(attr, dtype);
    return success();
  };
  if (nn::SourceAttr attr = record.getSource()) {
    const pcc_source *&shared = known[attr];
    if (!shared) {
      pcc_source source;
      if (failed(add(attr, source)))
        return failure();
      source.transposed = record.getTransposed();
      source.plus_one = record.getPlusOne();
      shared = &sources.emplace_back(source);
    }
    tensor.source = shared;
  }
  auto &others = copies.emplace_back(record.getCopies().size());
  for (auto [attr, copy] : llvm::zip_equal(record.getCopies(), others))
    if (failed(add(attr, copy)))
      return failure();
  tensor.n_copies = others.size();
  tensor.copies = others.data();
  auto &readers = uses.emplace_back();
  ArrayRef<int64_t> numbers = record.getUses();
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    readers.push_back({numbers[i], numbers[i + 1]});
  tensor.n_uses = readers.size();
  tensor.uses = readers.data();
  return tensor;
}

std::pair<int32_t, int32_t> pcc::analysis::encodeOrder(nn::HeadTailAttr order) {
  if (!order)
    return {0, 0};
  int32_t dims = 0;
  for (int64_t dim : order.getDims().asArrayRef())
    dims |= int32_t(1) << dim;
  return {static_cast<int32_t>(order.getRanks()), dims};
}
