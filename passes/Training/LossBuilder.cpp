//===- LossBuilder.cpp - Attaches a loss to an output ---------------------===//

#include "passes/Training/LossBuilder.h"
#include "analysis/Dependence.h"
#include "dialects/NN/AttrNames.h"
#include "passes/Training/Causality.h"
#include "passes/Training/Entry.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::nn;

LossBuilder::LossBuilder(func::FuncOp function)
    : function(function),
      terminator(cast<func::ReturnOp>(function.getBody().front().back())),
      builder(terminator), loc(NameLoc::get(builder.getStringAttr("loss"))),
      hasParams(hasTrainedParams(function)) {}

bool LossBuilder::mayTrain(Value output) const {
  return isa<FloatType>(tensorType(output).getElementType()) &&
         (!hasParams || hasGradient(output));
}

/// Whether bounds of scores are at most 2 apart, as those of probabilities and
/// of a tanh. A softmax of such scores cannot give one class nearly all
/// probability.
static bool isNarrow(const OutputRange &range) {
  return range.isBounded() && range.by && range.high - range.low <= 2;
}

static std::string shapeText(ArrayRef<int64_t> shape) {
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
    if (Operation *stop = mayTrain(value) ? nullptr : findGradientStop(value))
      note << "; no gradient flows through " << nodeName(stop);
  }
}

Value LossBuilder::onlyLogits() {
  Value found;
  for (Value value : terminator.getOperands()) {
    if (tensorType(value).getRank() == 0 || !mayTrain(value) ||
        isNarrow(findRange(value)))
      continue;
    if (found)
      return Value();
    found = value;
  }
  return found;
}

FailureOr<Value> LossBuilder::mainOutput(StringRef loss) {
  Value output = pcc::mainOutput(function);
  // If the model returns logits and their softmax, the loss uses the logits.
  if (!output && loss == "cross-entropy")
    output = onlyLogits();
  Operation *stop =
      output && !mayTrain(output) ? findGradientStop(output) : nullptr;
  if (stop) {
    InFlightDiagnostic diag = emitError(output.getLoc())
                              << "a loss of the output, " << nodeName(output)
                              << ", cannot train the model: no gradient flows "
                              << "through " << nodeName(stop);
    diag.attachNote(stop->getLoc())
        << "export the model with the scores instead of the choice made "
           "from them";
    return diag;
  }
  if (output)
    return bySample(output);
  InFlightDiagnostic diag = function.emitError()
                            << "a loss needs a model with one output, or one "
                               "that is called logits; this has "
                            << terminator.getNumOperands();
  listOutputs(diag);
  if (terminator.getNumOperands() > 1)
    diag.attachNote() << "--loss " << loss
                      << " is of the output called logits: export the model "
                         "with output_names=[..., \"logits\", ...], or with "
                         "the one output";
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
    InFlightDiagnostic diag =
        emitError(output.getLoc())
        << "the first dim of the output, " << shapeText(type.getShape())
        << " by " << nodeName(output)
        << ", does not have one or more rows for each of the "
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
        InFlightDiagnostic diag =
            function.emitError()
            << "the model has an input called '" << name
            << "', the name of the input for the attached loss";
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
  // Candidates have the batch and seq of the tokens. If hidden states are
  // returned too, the output named "logits" is used.
  SmallVector<Value> found;
  Value named;
  for (auto [i, value] : llvm::enumerate(terminator.getOperands())) {
    RankedTensorType type = tensorType(value);
    if (type.getRank() != 3 || !mayTrain(value) ||
        type.getShape().drop_back() != tensorType(tokens).getShape())
      continue;
    found.push_back(value);
    auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttr);
    if (name && name.getValue() == kLogits)
      named = value;
  }
  count = found.size();
  if (count > 1 && !named) {
    llvm::erase_if(found,
                   [](Value value) { return isNarrow(findRange(value)); });
    return found.size() == 1 ? found.front() : Value();
  }
  return count == 1 ? found.front() : named;
}

void LossBuilder::noteLastPosition(InFlightDiagnostic &diag,
                                   BlockArgument tokens) {
  unsigned sequence = *dimsOf(tokens).sequence;
  for (Value value : terminator.getOperands()) {
    auto shape = tensorType(value).getShape();
    if (!mayTrain(value))
      continue;
    if (shape.size() == 2 || (shape.size() == 3 && shape[sequence] == 1)) {
      diag.attachNote() << "scores of the last position alone cannot train the "
                           "model: export it with those of all positions";
      return;
    }
  }
}

void LossBuilder::noteBounds(InFlightDiagnostic &diag, Value scores,
                             const OutputRange &range) {
  auto number = [](double x) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.4g", x);
    return text;
  };
  double classes = tensorType(scores).getShape().back();
  double least = std::log1p((classes - 1) * std::exp(range.low - range.high));
  diag.attachNote(range.by->getLoc())
      << "by " << nodeName(range.by) << " they are between "
      << number(range.low) << " and " << number(range.high)
      << "; the loss takes the softmax of logits itself, so that for "
      << int64_t(classes) << " classes it cannot fall below " << number(least);
  auto &wayOut = diag.attachNote(range.by->getLoc())
                 << "export the model without " << nodeName(range.by);
  if (isa<SigmoidOp>(range.by))
    wayOut << "; for classes that do not exclude each other export a model "
              "that computes its loss";
}

void LossBuilder::checkScores(Value scores, StringRef loss) {
  OutputRange range = findRange(scores);
  if (!isNarrow(range))
    return;
  InFlightDiagnostic diag = emitWarning(scores.getLoc())
                            << "loss " << loss << " expects logits, but the "
                            << "scores, by " << nodeName(scores)
                            << ", are probably not logits";
  noteBounds(diag, scores, range);
}

FailureOr<Loss> LossBuilder::assumed() {
  BlockArgument tokens = findInput(function, InputRole::Tokens);
  size_t count = 0;
  Value logits = tokens ? findLogits(tokens, count) : Value();
  LookAhead seen;
  if (logits) {
    seen = findLookAhead(function, tokens, logits);
    OutputRange range = findRange(logits);
    if (!seen.op && isNarrow(range)) {
      InFlightDiagnostic diag =
          function.emitError()
          << "no --loss is given, and causal-lm is not assumed: the scores "
             "are not logits";
      noteBounds(diag, logits, range);
      diag.attachNote(function.getLoc())
          << "--loss causal-lm uses them nevertheless";
      return diag;
    }
    if (!seen.op)
      return causalLM();
  }
  InFlightDiagnostic diag =
      function.emitError()
      << "no --loss is given, and causal-lm is not assumed: ";
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
  checkScores(named, "causal-lm");
  return classify(named, *target);
}

FailureOr<Loss> LossBuilder::crossEntropy() {
  FailureOr<Value> logits = mainOutput("cross-entropy");
  if (failed(logits))
    return failure();
  RankedTensorType type = tensorType(*logits);
  if (type.getRank() < 2 || !isa<FloatType>(type.getElementType()))
    return emitError(logits->getLoc())
           << "loss cross-entropy needs an output [batch, ..., classes] of "
              "floats, "
           << nodeName(*logits) << " is " << type;
  if (type.getShape().back() == 1) {
    InFlightDiagnostic diag = emitError(logits->getLoc())
                              << "loss cross-entropy of one class is always 0, "
                              << nodeName(*logits) << " has shape "
                              << shapeText(type.getShape());
    diag.attachNote() << "--loss mse is for numbers; for one of two classes "
                         "export a model with two scores, or one that computes "
                         "its loss";
    return diag;
  }
  checkScores(*logits, "cross-entropy");
  FailureOr<Value> target = targets(
      RankedTensorType::get(type.getShape().drop_back(), builder.getI64Type()));
  if (failed(target))
    return failure();
  return classify(*logits, *target);
}

FailureOr<Loss> LossBuilder::meanSquaredError() {
  FailureOr<Value> output = mainOutput("mse");
  if (failed(output))
    return failure();
  RankedTensorType type = tensorType(*output);
  if (type.getRank() < 1 || !isa<FloatType>(type.getElementType()))
    return emitError(output->getLoc())
           << "loss mse needs an output [batch, ...] of floats, "
           << nodeName(*output) << " is " << type;
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
