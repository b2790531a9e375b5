//===- Outputs.cpp - The outputs of a model or its loss -------------------===//
//
// A file may compute its loss next to logits, accuracies and caches. The loss
// is one number for any batch, with a gradient for parameters:
//
//   loss [], [1] or [1, 1]        yes
//   accuracy []                   no: no gradient passes an index of a maximum
//   score [batch, 1]              no: it has one element per sample
//
//===----------------------------------------------------------------------===//

#include "analysis/Dependence.h"
#include "dialects/NN/AttrNames.h"
#include "dialects/NN/Names.h"
#include "frontend/import/Importer.h"
#include "frontend/import/ModelNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Whether an output is one number for all samples: it has one element, and
/// rank 0, a static declared shape or no batch dim. In a file with the fixed
/// batch 1, the name of an output with dims decides.
static bool isOneNumber(const onnx::ValueInfoProto &output, Value value,
                        const BatchDims &dims) {
  RankedTensorType type = tensorType(value);
  if (type.getNumElements() != 1 || !isa<FloatType>(type.getElementType()))
    return false;
  if (type.getRank() == 0)
    return true;
  if (dims.fixedBatch == 1)
    return StringRef(output.name()).contains_insensitive("loss");
  const onnx::TypeProto::Tensor &declared = output.type().tensor_type();
  if (declared.has_shape() &&
      llvm::all_of(declared.shape().dim(),
                   [](const auto &dim) { return dim.has_dim_value(); }))
    return true;
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return runsOverBatch(value, all) != true;
}

/// The model's outputs in the order of the file, without the caches of
/// inference.
FailureOr<std::vector<Importer::Output>> Importer::findOutputs() {
  std::vector<Output> outputs;
  for (const auto &output : model.proto.graph().output()) {
    auto it = items.find(output.name());
    if (it == items.end())
      return emitError(file)
             << "output '" << output.name() << "' is computed by no node";
    if (it->second.isSequence())
      return emitError(file) << "output '" << output.name()
                             << "' is a sequence, which is not supported";
    Value value = asValue(it->second, file);
    if (tensorType(value).getNumElements() == 0)
      return emitError(file)
             << "output '" << output.name() << "' is empty: a tensor of "
             << tensorType(value) << " is not supported";
    if (!options.forward && StringRef(output.name()).starts_with("present"))
      continue;
    bool mayBeLoss = !options.forward &&
                     isOneNumber(output, value, batchDims) &&
                     hasGradient(value);
    outputs.push_back({output.name(), value, mayBeLoss});
  }
  if (outputs.empty())
    return emitError(file) << "the model has no outputs";
  SmallVector<StringRef> names;
  for (const Output &output : outputs)
    names.push_back(output.name);
  if (options.forward && failed(checkArrayNames(file, Arrays::Outputs, names)))
    return failure();
  return outputs;
}

/// The only output that may be the model's loss, or the one named "loss"; null
/// if there is none. Errors: several, none of them named "loss".
FailureOr<Value> Importer::findLoss(ArrayRef<Output> outputs) {
  SmallVector<const Output *> numbers;
  for (const Output &output : outputs)
    if (output.mayBeLoss)
      numbers.push_back(&output);
  for (const Output *number : numbers)
    if (numbers.size() == 1 || number->name == kLossResult)
      return number->value;
  if (numbers.empty())
    return Value();
  InFlightDiagnostic diag =
      emitError(file) << "the model has " << numbers.size()
                      << " outputs that are one number, and none of them is "
                         "called loss";
  for (const Output *number : numbers)
    diag.attachNote(number->value.getLoc())
        << "output '" << number->name << "'";
  diag.attachNote(file) << "name the one to train by: export it with "
                           "output_names=[..., \"loss\", ...], or alone";
  if (numbers.size() < outputs.size())
    diag.attachNote(file) << "--loss causal-lm, --loss cross-entropy or --loss "
                             "mse trains by another output instead";
  return diag;
}

/// Drops the model's own losses if --loss attaches another.
LogicalResult Importer::dropLosses(std::vector<Output> &outputs) {
  std::vector<Output> others;
  std::vector<std::string> losses;
  for (const Output &output : outputs) {
    if (output.mayBeLoss)
      losses.push_back("'" + output.name.str() + "'");
    else
      others.push_back(output);
  }
  if (losses.empty())
    return success();
  std::string names = llvm::join(losses, ", ");
  bool isTrained = llvm::any_of(
      others, [](const Output &output) { return hasGradient(output.value); });
  if (!isTrained) {
    InFlightDiagnostic diag =
        emitError(file) << "--loss is attached to outputs such as logits, and "
                           "the model has none: it computes its loss itself, "
                        << names;
    diag.attachNote(file) << "leave --loss out, or export the logits, too";
    return diag;
  }
  InFlightDiagnostic diag = emitWarning(file)
                            << "not trained by " << names
                            << ", which the model computes itself: --loss "
                               "takes its place";
  diag.attachNote(file)
      << "leave --loss out to train by the loss that the model "
         "computes";
  outputs = std::move(others);
  return success();
}

/// Sets the results of @forward: the loss alone if the model computes one, else
/// its outputs.
LogicalResult Importer::addOutputs() {
  FailureOr<std::vector<Output>> outputs = findOutputs();
  if (failed(outputs))
    return failure();
  if (options.attachesLoss && failed(dropLosses(*outputs)))
    return failure();
  FailureOr<Value> loss = findLoss(*outputs);
  if (failed(loss))
    return failure();
  if (*loss) {
    Value number = *loss;
    if (RankedTensorType type = tensorType(number); type.getRank() > 0)
      number = ReshapeOp::create(
          builder, number.getLoc(),
          RankedTensorType::get({}, type.getElementType()), number);
    *outputs = {{kLossResult, number, true}};
    forward->setAttr(kHasLossAttr, builder.getUnitAttr());
  }
  SmallVector<Value> results;
  for (const Output &output : *outputs)
    results.push_back(output.value);
  func::ReturnOp::create(builder, file, results);
  forward.setFunctionType(builder.getFunctionType(
      forward.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [i, output] : llvm::enumerate(*outputs))
    forward.setResultAttr(i, kNameAttr, builder.getStringAttr(output.name));
  return success();
}
