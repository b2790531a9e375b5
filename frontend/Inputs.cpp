//===- Inputs.cpp - The inputs of a model ---------------------------------===//

#include "frontend/Inputs.h"
#include "frontend/DimBinding.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Inputs whose values follow from how training data is fed: samples begin at
/// position 0, and are full (no position is masked) unless there is a mask.
static std::optional<Tensor> impliedInput(const Input &input,
                                          bool paddingMask) {
  RankedTensorType type = input.type;
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element || type.getRank() != 2)
    return std::nullopt;
  StringRef name = input.info->name();
  if (name.ends_with("attention_mask") && !paddingMask)
    return Tensor::splat(element, type.getShape(), ofInt(1));
  if (name != "position_ids")
    return std::nullopt;
  Tensor row(element, {1, type.getShape()[1]});
  for (auto [i, position] : llvm::enumerate(row.elements()))
    position = ofInt(i);
  return row.expand(type.getShape());
}

/// A file made for generation, token by token, is no model to train.
static LogicalResult checkNoCache(Location file,
                                  const onnx::GraphProto &graph) {
  for (const auto &input : graph.input())
    if (StringRef(input.name()).starts_with("past_key")) {
      InFlightDiagnostic diag = emitError(file)
                                << "input '" << input.name()
                                << "' is a cache of past keys: the file "
                                   "generates token by token";
      diag.attachNote(file) << "export the model without its cache "
                               "(use_cache=False), in training mode, opset "
                               "17, constant folding off";
      return diag;
    }
  return success();
}

FailureOr<func::FuncOp> pcc::frontend::makeForward(
    OpBuilder &builder, Location file, const onnx::GraphProto &graph,
    const ImportOptions &options, llvm::StringMap<Item> &items) {
  if (failed(checkNoCache(file, graph)))
    return failure();
  FailureOr<SmallVector<Input>> inputs = bindDims(file, graph, options);
  if (failed(inputs))
    return failure();
  auto forward = func::FuncOp::create(builder, file, "forward",
                                      builder.getFunctionType({}, {}));
  Block *body = forward.addEntryBlock();
  for (const Input &input : *inputs) {
    Item &item = items[input.info->name()];
    auto implied = options.forward ? std::optional<Tensor>()
                                   : impliedInput(input, options.paddingMask);
    if (implied) {
      item.tensor = *implied;
      emitRemark(file) << "input '" << input.info->name() << "' is taken as "
                       << (implied->isUniform() ? "ones: samples have no "
                                                  "padding"
                                                : "0, 1, ...");
      continue;
    }
    Type element = input.type.getElementType();
    bool ids = !options.forward && isa<IntegerType>(element) &&
               !element.isInteger(1) && input.type.getRank() == 2;
    auto attrs = builder.getDictionaryAttr(
        {builder.getNamedAttr(kNameAttr,
                              builder.getStringAttr(input.info->name())),
         builder.getNamedAttr(kRoleAttr,
                              builder.getStringAttr(ids ? "tokens" : "data"))});
    LogicalResult inserted = forward.insertArgument(forward.getNumArguments(),
                                                    input.type, attrs, file);
    assert(succeeded(inserted));
    (void)inserted;
    item.value = body->getArguments().back();
  }
  builder.setInsertionPointToStart(body);
  return forward;
}
