//===- Inputs.cpp - The inputs of a model ---------------------------------===//

#include "frontend/import/Inputs.h"
#include "dialects/NN/Names.h"
#include "dialects/NN/Roles.h"
#include "frontend/import/DimBinding.h"
#include "frontend/import/ModelNames.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The constant value of an input that follows from how training data is fed:
/// positions begin at 0, and no position is masked unless `paddingMask`.
static std::optional<Tensor> impliedInput(const Input &input,
                                          bool paddingMask) {
  RankedTensorType type = input.type;
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element || type.getRank() < 1 || type.getRank() > 2)
    return std::nullopt;
  StringRef name = input.info->name();
  if (name.ends_with("attention_mask") && !paddingMask && type.getRank() == 2)
    return Tensor::splat(element, type.getShape(), ofInt(1));
  if (name != "position_ids")
    return std::nullopt;
  Shape shape(type.getShape());
  shape.front() = type.getRank() == 1 ? shape.front() : 1;
  Tensor row(element, shape);
  for (auto [i, position] : llvm::enumerate(row.elements()))
    position = ofInt(i);
  return row.expand(type.getShape());
}

/// Reports a file for token-by-token generation, which cannot be trained.
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
    const ImportOptions &options, const BatchDims &batchDims,
    llvm::StringMap<Item> &items) {
  if (failed(checkNoCache(file, graph)))
    return failure();
  FailureOr<SmallVector<Input>> inputs =
      bindDims(file, graph, options, batchDims);
  if (failed(inputs))
    return failure();
  auto nameOf = [](const Input &input) {
    return StringRef(input.info->name());
  };
  if (failed(checkArrayNames(file, Arrays::Inputs,
                             llvm::map_to_vector(*inputs, nameOf))))
    return failure();
  auto forward = func::FuncOp::create(builder, file, kForward,
                                      builder.getFunctionType({}, {}));
  Block *body = forward.addEntryBlock();
  SmallVector<NamedAttribute> implications;
  for (const Input &input : *inputs) {
    Item &item = items[input.info->name()];
    const InputChoices &choices = options.inputs;
    const std::string &name = input.info->name();
    bool isData = options.forward || llvm::is_contained(choices.shared, name) ||
                  llvm::is_contained(choices.perSample, name);
    auto implied = isData ? std::optional<Tensor>()
                          : impliedInput(input, options.paddingMask);
    if (implied) {
      item.tensor = *implied;
      implications.push_back(builder.getNamedAttr(
          name,
          builder.getStringAttr(implied->isUniform() && name != "position_ids"
                                    ? kImpliedOnes
                                    : kImpliedPositions)));
      emitRemark(file) << "input '" << input.info->name() << "' is taken as "
                       << (implied->isUniform() ? "ones: samples have no "
                                                  "padding"
                                                : "0, 1, ...");
      continue;
    }
    Type element = input.type.getElementType();
    auto role = InputRole::Data;
    if (!options.forward && input.isShared)
      role = InputRole::Shared;
    else if (!options.forward && isa<IntegerType>(element) &&
             !element.isInteger(1) && input.type.getRank() == 2)
      role = InputRole::Tokens;
    item.value = insertInput(forward, forward.getNumArguments(), role, name,
                             input.type, file);
  }
  if (!implications.empty())
    forward->getParentOp()->setAttr(kImpliedAttr,
                                    builder.getDictionaryAttr(implications));
  builder.setInsertionPointToStart(body);
  return forward;
}
