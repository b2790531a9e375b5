//===- AttachLoss.cpp - The loss that a model is trained by ---------------===//

#include "dialects/NN/AttrNames.h"
#include "passes/Training/Causality.h"
#include "passes/Training/Entry.h"
#include "passes/Training/LossTerms.h"
#include "passes/Training/Passes.h"

namespace pcc {
#define GEN_PASS_DEF_NNATTACHLOSSPASS
#include "passes/Training/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

namespace {

/// Appends a loss to @forward, in front of its return.
class LossBuilder {
public:
  explicit LossBuilder(func::FuncOp function)
      : function(function),
        terminator(cast<func::ReturnOp>(function.getBody().front().back())),
        builder(terminator), loc(NameLoc::get(builder.getStringAttr("loss"))) {}

  /// causal-lm where the model proves that this is what it is for.
  FailureOr<Loss> assumed();
  FailureOr<Loss> causalLM();
  FailureOr<Loss> crossEntropy();
  FailureOr<Loss> meanSquaredError();

private:
  /// The shape of each output, as notes.
  void listOutputs(InFlightDiagnostic &diag);
  /// The one output of the model, or of several the one that is the logits by
  /// its name.
  FailureOr<Value> mainOutput();
  /// The output [batch, seq, vocab] for the tokens; null unless it is clear
  /// which of the `count` that have the shape it is.
  Value findLogits(Value tokens, size_t &count);
  /// The output with the batch as its first dim, where a model merged it with
  /// dims that follow. Errors: its rows are no samples' of the inputs.
  FailureOr<Value> bySample(Value output);
  /// Says what is wrong with an output that has lost its sequence.
  void noteLastPosition(InFlightDiagnostic &diag, BlockArgument tokens);
  /// The input for the targets, added behind the first if there is none;
  /// `dims` is its kDimsAttr, or null.
  FailureOr<Value> targets(RankedTensorType type, Attribute dims = {});
  Loss classify(Value logits, Value targets);
  Value sumOf(Value value);

  func::FuncOp function;
  func::ReturnOp terminator;
  OpBuilder builder;
  Location loc;
};

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(shape, os);
  os << "]";
  return text;
}

void LossBuilder::listOutputs(InFlightDiagnostic &diag) {
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttr);
    auto &note = diag.attachNote(value.getLoc());
    note << "output " << i;
    if (name)
      note << " '" << name.getValue() << "'";
    note << ", computed by " << nodeName(value) << ", is "
         << shapeText(tensorType(value).getShape()) << " of "
         << tensorType(value).getElementType();
  }
}

FailureOr<Value> LossBuilder::mainOutput() {
  if (Value output = pcc::mainOutput(function))
    return bySample(output);
  InFlightDiagnostic diag = function.emitError()
                            << "a loss needs a model with one output, or one "
                               "that is called logits; this has "
                            << terminator.getNumOperands();
  listOutputs(diag);
  return failure();
}

FailureOr<Value> LossBuilder::bySample(Value output) {
  RankedTensorType type = tensorType(output);
  if (type.getRank() == 0)
    return output;
  std::optional<int64_t> rows = rowsPerSample(function, output);
  if (rows && *rows == 1)
    return output;
  if (!rows) {
    InFlightDiagnostic diag = emitError(output.getLoc())
                              << "the first dim of the output, "
                              << shapeText(type.getShape()) << " by "
                              << nodeName(output)
                              << ", has no row, nor several, for each of the "
                              << batchOf(function) << " samples of the inputs";
    diag.attachNote() << "--loss needs an output [batch, ...]; a loss that the "
                         "model computes itself may be of any shape";
    return diag;
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = *rows;
  shape.insert(shape.begin(), type.getDimSize(0) / *rows);
  return Value(ReshapeOp::create(
      builder, output.getLoc(),
      RankedTensorType::get(shape, type.getElementType()), output));
}

static BlockArgument insertTargets(func::FuncOp function, Type type,
                                   Attribute dims) {
  StringRef name = stringifyInputRole(InputRole::Targets);
  unsigned index = std::min(1u, function.getNumArguments());
  BlockArgument made =
      insertInput(function, index, InputRole::Targets, name, type,
                  NameLoc::get(StringAttr::get(function.getContext(), name)));
  if (dims)
    function.setArgAttr(index, kDimsAttr, dims);
  return made;
}

FailureOr<Value> LossBuilder::targets(RankedTensorType type, Attribute dims) {
  Value given = findInput(function, InputRole::Targets);
  if (!given) {
    StringRef name = stringifyInputRole(InputRole::Targets);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (inputName(function, i) == name) {
        InFlightDiagnostic diag = function.emitError()
                                  << "the model has an input called '" << name
                                  << "', as the loss calls what it adds";
        diag.attachNote() << "rename it in the file, or export with "
                             "input_names=[...]";
        return diag;
      }
    return Value(insertTargets(function, type, dims));
  }
  if (given.getType() == type)
    return given;
  return function.emitError() << "the model's targets are " << given.getType()
                              << ", the loss needs " << type;
}

Value LossBuilder::sumOf(Value value) {
  auto dims =
      llvm::to_vector(llvm::seq<int64_t>(0, tensorType(value).getRank()));
  return ReduceOp::create(builder, loc, scalarType(builder.getContext()), value,
                          dims);
}

Loss LossBuilder::classify(Value logits, Value targets) {
  auto perTarget = RankedTensorType::get(tensorType(targets).getShape(),
                                         builder.getF32Type());
  auto loss = CrossEntropyOp::create(
      builder, loc, perTarget, perTarget, logits, targets,
      builder.getI64IntegerAttr(tensorType(logits).getShape().back()));
  Value valid = ValidOp::create(builder, loc, perTarget, targets);
  return {sumOf(loss.getLoss()), sumOf(valid)};
}

Value LossBuilder::findLogits(Value tokens, size_t &count) {
  // Of the tokens' batch and seq; where hidden states are returned too, the
  // output that says so by its name.
  SmallVector<Value> found;
  Value named;
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    RankedTensorType type = tensorType(value);
    if (type.getRank() != 3 || !isa<FloatType>(type.getElementType()) ||
        type.getShape().drop_back() != tensorType(tokens).getShape())
      continue;
    found.push_back(value);
    auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttr);
    if (name && name.getValue() == kLogits)
      named = value;
  }
  count = found.size();
  return count == 1 ? found.front() : named;
}

void LossBuilder::noteLastPosition(InFlightDiagnostic &diag,
                                   BlockArgument tokens) {
  unsigned sequence = *dimsOf(tokens).sequence;
  for (Value value : terminator.getOperands()) {
    auto shape = tensorType(value).getShape();
    if (shape.size() == 2 || (shape.size() == 3 && shape[sequence] == 1)) {
      diag.attachNote() << "scores of the last position alone train nothing: "
                           "export the model with those of all positions";
      return;
    }
  }
}

FailureOr<Loss> LossBuilder::assumed() {
  BlockArgument tokens = findInput(function, InputRole::Tokens);
  size_t count = 0;
  Value logits = tokens ? findLogits(tokens, count) : Value();
  LookAhead seen;
  if (logits) {
    seen = findLookAhead(function, tokens, logits);
    if (!seen.op)
      return causalLM();
  }
  InFlightDiagnostic diag =
      function.emitError()
      << "the model says no loss, and causal-lm is not assumed: ";
  if (logits) {
    diag << "a position may see the tokens that it would predict";
    diag.attachNote(seen.op->getLoc())
        << nodeName(seen.op) << " may let position " << seen.position
        << " see position " << seen.sees;
  } else {
    if (tokens)
      diag << count << " outputs are [batch, seq, vocab] for the tokens' "
           << shapeText(tensorType(tokens).getShape());
    else
      diag << "no input is of token ids [batch, seq]";
    listOutputs(diag);
    if (tokens)
      noteLastPosition(diag, tokens);
  }
  diag.attachNote(function.getLoc())
      << "add --loss cross-entropy for classes or --loss mse for numbers, with "
         "the targets in labels.npy, or --loss causal-lm to predict the next "
         "token";
  return diag;
}

FailureOr<Loss> LossBuilder::causalLM() {
  BlockArgument tokens = findInput(function, InputRole::Tokens);
  if (!tokens) {
    InFlightDiagnostic diag = function.emitError(
        "loss causal-lm needs an input of token ids [batch, seq]");
    for (Value arg : function.getArguments())
      diag.attachNote(arg.getLoc())
          << "input " << nodeName(arg) << " is " << arg.getType();
    diag.attachNote(function.getLoc())
        << "--loss cross-entropy is for classes, --loss mse for numbers";
    return diag;
  }
  auto tokenShape = tensorType(tokens).getShape();
  size_t count = 0;
  Value named = findLogits(tokens, count);
  if (!named) {
    InFlightDiagnostic diag = function.emitError()
                              << "loss causal-lm needs one output [batch, "
                                 "seq, vocab] for the tokens' "
                              << shapeText(tokenShape) << ", the model has "
                              << count;
    listOutputs(diag);
    noteLastPosition(diag, tokens);
    return diag;
  }
  FailureOr<Value> target =
      targets(RankedTensorType::get(tokenShape, builder.getI64Type()),
              function.getArgAttr(tokens.getArgNumber(), kDimsAttr));
  if (failed(target))
    return failure();
  return classify(named, *target);
}

FailureOr<Loss> LossBuilder::crossEntropy() {
  FailureOr<Value> logits = mainOutput();
  if (failed(logits))
    return failure();
  RankedTensorType type = tensorType(*logits);
  if (type.getRank() < 2 || !isa<FloatType>(type.getElementType()))
    return emitError(logits->getLoc())
           << "loss cross-entropy needs an output [batch, ..., classes] of "
              "floats, "
           << nodeName(*logits) << " gives " << type;
  FailureOr<Value> target = targets(
      RankedTensorType::get(type.getShape().drop_back(), builder.getI64Type()));
  if (failed(target))
    return failure();
  return classify(*logits, *target);
}

FailureOr<Loss> LossBuilder::meanSquaredError() {
  FailureOr<Value> output = mainOutput();
  if (failed(output))
    return failure();
  RankedTensorType type = tensorType(*output);
  if (type.getRank() < 1 || !isa<FloatType>(type.getElementType()))
    return emitError(output->getLoc())
           << "loss mse needs an output [batch, ...] of floats, "
           << nodeName(*output) << " gives " << type;
  FailureOr<Value> target = targets(type);
  if (failed(target))
    return failure();
  Value difference = SubOp::create(builder, loc, type, *output, *target);
  if (!type.getElementType().isF32()) {
    auto wide = RankedTensorType::get(type.getShape(), builder.getF32Type());
    difference = CastOp::create(builder, loc, wide, difference);
  }
  Value squares =
      MulOp::create(builder, loc, difference.getType(), difference, difference);
  RankedTensorType scalar = scalarType(builder.getContext());
  auto count = DenseElementsAttr::get(
      scalar, builder.getF32FloatAttr(type.getNumElements()));
  return Loss{sumOf(squares), ConstantOp::create(builder, loc, scalar, count)};
}

/// Makes `function` return the loss instead of its outputs.
void returnLoss(func::FuncOp function, const Loss &loss) {
  Operation *terminator = &function.getBody().front().back();
  terminator->setOperands({loss.sum, loss.count});
  RankedTensorType scalar = scalarType(function.getContext());
  Builder builder(function.getContext());
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), {scalar, scalar}));
  SmallVector<DictionaryAttr> attrs;
  for (StringRef name : {kLossSum, kTargetCount})
    attrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttr, builder.getStringAttr(name))));
  function.setAllResultAttrs(attrs);
}

/// @evaluate, and @evaluate_result which reads what it gathered.
void addEvaluation(ModuleOp module, func::FuncOp loss) {
  RankedTensorType scalar = scalarType(module.getContext());
  StateOp sum = addState(module, kEvalLossSum, scalar, StateKind::Sum);
  StateOp count = addState(module, kEvalTargetCount, scalar, StateKind::Sum);

  func::FuncOp evaluate = loss.clone();
  module.push_back(evaluate);
  evaluate.setSymName(kEvaluate);
  removeDropout(evaluate);
  Operation *terminator = &evaluate.getBody().front().back();
  OpBuilder builder(terminator);
  StateOp states[] = {sum, count};
  for (auto [value, state] : llvm::zip(terminator->getOperands(), states))
    AccumulateOp::create(builder, value.getLoc(), value, state.getSymName());
  terminator->setOperands({});
  evaluate.setFunctionType(
      builder.getFunctionType(evaluate.getArgumentTypes(), {}));
  evaluate.removeResAttrsAttr();

  EntryBuilder result(module, kEvaluateResult);
  Value total = result.read(sum.getSymName(), scalar);
  Value n = result.read(count.getSymName(), scalar);
  Value mean = DivOp::create(result.builder, result.loc, scalar, total, n);
  result.clear(sum);
  result.clear(count);
  result.finish({mean, n}, {kLossResult, kTargetCount});
}

struct NNAttachLossPass : pcc::impl::NNAttachLossPassBase<NNAttachLossPass> {
  using NNAttachLossPassBase::NNAttachLossPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>(kForward);
    if (!function || !function.getBody().hasOneBlock()) {
      module.emitError("has no function @forward of one block");
      return signalPassFailure();
    }
    bool isOwn = function->hasAttr(kHasLossAttr), needsEvaluation = true;
    FailureOr<Loss> sums = failure();
    std::string countNode;
    if (isOwn) {
      auto own = attachOwnLoss(module, function, wholeBatch);
      if (failed(own))
        return signalPassFailure();
      sums = own->loss;
      needsEvaluation = own->needsEvaluation;
      countNode = own->countNode;
    } else {
      sums = attach(function);
    }
    if (failed(sums) || (!isOwn && failed(checkSamples(function, sums->sum))))
      return signalPassFailure();
    StringRef name = loss.empty() ? StringRef("causal-lm") : StringRef(loss);
    module->setAttr(kLossAttr,
                    StringAttr::get(&getContext(), isOwn ? "own" : name));
    returnLoss(function, *sums);
    if (!countNode.empty())
      function.setResultAttr(1, kCountAttr,
                             StringAttr::get(&getContext(), countNode));
    function->removeAttr(kHasLossAttr);
    function->removeAttr(kJoinsSamplesAttr);
    function.setSymName(kLoss);
    removeDeadOps(function);
    if (needsEvaluation)
      addEvaluation(module, function);
  }

  /// An attached loss adds up over batches, unless the model's outputs do not
  /// belong to a sample each.
  LogicalResult checkSamples(func::FuncOp function, Value sum) {
    auto problem = findMixedSamples(function, sum);
    if (!problem || (wholeBatch && !problem->isSure))
      return success();
    if (!problem->isSure) {
      warnOfMixedSamples(function, problem->what);
      return success();
    }
    if (!wholeBatch)
      return partsDoNotAddUp(function, *problem);
    getOperation()->setAttr(kWholeBatchAttr,
                            StringAttr::get(&getContext(), problem->what));
    return success();
  }

  FailureOr<Loss> attach(func::FuncOp function) {
    LossBuilder builder(function);
    if (loss.empty())
      return builder.assumed();
    if (loss == "causal-lm")
      return builder.causalLM();
    if (loss == "cross-entropy")
      return builder.crossEntropy();
    if (loss == "mse")
      return builder.meanSquaredError();
    InFlightDiagnostic diag = function.emitError()
                              << "there is no loss '" << loss << "'";
    diag.attachNote() << "losses are causal-lm, cross-entropy and mse";
    return diag;
  }
};

} // namespace
