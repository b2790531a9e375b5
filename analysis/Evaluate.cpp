//===- Evaluate.cpp - Evaluation of constant nn expressions ---------------===//

#include "analysis/Evaluate.h"
#include "analysis/Dependence.h"
#include "analysis/ElementTypes.h"
#include "dialects/NN/AttrNames.h"
#include "runtime/model/EncodedTensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::nn;

std::unique_ptr<llvm::MemoryBuffer>
pcc::analysis::mapSource(SourceAttr source) {
  Type element = source.getType().getElementType();
  int64_t width = std::max(8u, element.getIntOrFloatBitWidth()) / 8;
  int64_t size = source.getType().getNumElements() * width;
  if (source.getOffset() == kAbsent)
    return llvm::WritableMemoryBuffer::getNewMemBuffer(size);
  if (encoded::isEncoded(source.getOffset())) {
    auto model = llvm::MemoryBuffer::getFile(source.getFile());
    int64_t place = encoded::placeOf(source.getOffset());
    std::vector<char> bytes;
    if (!model || place > static_cast<int64_t>((*model)->getBufferSize()) ||
        !encoded::decode((*model)->getBufferStart() + place,
                         (*model)->getBufferEnd(), dtypeOf(element),
                         source.getType().getNumElements(), bytes))
      return nullptr;
    return llvm::MemoryBuffer::getMemBufferCopy(
        StringRef(bytes.data(), bytes.size()));
  }
  auto file = llvm::MemoryBuffer::getFileSlice(source.getFile(), size,
                                               source.getOffset());
  bool isWhole = file && static_cast<int64_t>((*file)->getBufferSize()) >= size;
  return isWhole ? std::move(*file) : nullptr;
}

/// Reads the elements of a parameter from its source.
static std::optional<Tensor> readParam(ReadOp read) {
  ParamOp param = paramOf(read);
  if (!param || !param.getSource())
    return std::nullopt;
  SourceAttr source = param.getSource();
  std::unique_ptr<llvm::MemoryBuffer> bytes = mapSource(source);
  if (!bytes)
    return std::nullopt;
  Tensor whole =
      Tensor::decode(source.getType().getElementType(),
                     source.getType().getShape(), bytes->getBufferStart());
  Tensor flat = whole.reshape({whole.size()});
  Tensor result(param.getTensorType().getElementType(),
                param.getTensorType().getShape());
  size_t n = 0;
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
    int64_t at = source.getBase();
    bool padding = false;
    for (auto [i, stride, valid] :
         llvm::zip(index, source.getStrides().asArrayRef(),
                   source.getValid().asArrayRef())) {
      at += i * stride;
      padding |= i >= valid;
    }
    Scalar zero = flat.isFloat() ? ofFloat(0) : ofInt(0);
    result.elements()[n++] = padding ? zero : flat.at(at);
  });
  return result;
}

/// The longest chain of ops that move or cast elements that is followed.
static constexpr int kMaxMoves = 200;

static std::optional<Tensor> evaluateMoves(Value value, int moves) {
  Operation *op = value.getDefiningOp();
  if (!op || moves > kMaxMoves)
    return std::nullopt;
  auto evaluate = [&](Value input) { return evaluateMoves(input, moves + 1); };
  auto shape = tensorType(value).getShape();
  using Result = std::optional<Tensor>;
  return TypeSwitch<Operation *, Result>(op)
      .Case([](ReadOp read) { return readParam(read); })
      .Case([](ConstantOp constant) -> Result {
        auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!dense)
          return std::nullopt;
        return Tensor::ofAttr(dense);
      })
      .Case([&](ReshapeOp reshape) -> Result {
        Result input = evaluate(reshape.getInput());
        if (input)
          input = input->reshape(shape);
        return input;
      })
      .Case([&](TransposeOp transpose) -> Result {
        Result input = evaluate(transpose.getInput());
        if (input)
          input = input->transpose(transpose.getPermutation());
        return input;
      })
      .Case([&](SliceOp slice) -> Result {
        Result input = evaluate(slice.getInput());
        if (input)
          input = input->slice(slice.getStarts(), slice.getSteps(), shape);
        return input;
      })
      .Case([&](BroadcastOp broadcast) -> Result {
        Result input = evaluate(broadcast.getInput());
        if (!input)
          return input;
        Shape spread(shape.size(), 1);
        for (int64_t dim : broadcast.getDims())
          spread[dim] = shape[dim];
        return input->reshape(spread).expand(shape);
      })
      .Case([&](CastOp castOp) -> Result {
        Result input = evaluate(castOp.getInput());
        if (input)
          input = input->castTo(tensorType(value).getElementType());
        return input;
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

std::optional<Tensor> pcc::analysis::evaluate(Value value) {
  return evaluateMoves(value, 0);
}

std::optional<double> pcc::analysis::uniformNumber(Value value) {
  std::optional<Tensor> tensor = evaluate(value);
  if (!tensor || !tensor->isFloat() || !tensor->isUniform())
    return std::nullopt;
  return tensor->at(int64_t(0)).f;
}
