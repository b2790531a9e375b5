//===- Provenance.cpp - Classification of initializers --------------------===//

#include "frontend/weights/Provenance.h"
#include "analysis/Evaluate.h"
#include "analysis/Tensor.h"
#include "frontend/onnx/Constants.h"
#include "frontend/onnx/GradientReach.h"
#include "frontend/onnx/TensorProto.h"
#include "frontend/weights/OperatorNames.h"
#include "frontend/weights/Phrases.h"
#include "frontend/weights/ValuePatterns.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using Kind = Provenance::Kind;

static int64_t countOf(const onnx::TensorProto &tensor) {
  return product(Shape(tensor.dims().begin(), tensor.dims().end()));
}

ProvenanceFinder::ProvenanceFinder(const onnx::GraphProto &graph,
                                   const NameFinder &names,
                                   const TorchExport &module,
                                   const std::optional<Declarations> &declared,
                                   llvm::function_ref<bool(StringRef)> isOne)
    : names(names), module(module), declared(declared), isNumberOne(isOne),
      computed(graph, names), reached(findReached(graph)),
      reachedPlainly(findReached(graph, {"Sin", "Cos"})),
      literals(namesOfConstants(graph)) {
  hasInitializers =
      llvm::any_of(graph.initializer(), [&](const onnx::TensorProto &tensor) {
        return isOfFloats(tensor) && reached.contains(tensor.name()) &&
               !literals.contains(tensor.name());
      });
  constexpr StringRef key = "pkg.torch.export.graph_signature.InputSpec.kind";
  auto note = [&](const google::protobuf::Message &message, int field,
                  StringRef name) {
    std::string kind = metadata(message, field, key);
    if (!kind.empty())
      tags[name] = kind;
  };
  for (const auto &value : graph.value_info())
    note(value, kValueMetadata, value.name());
  for (const auto &tensor : graph.initializer())
    note(tensor, kTensorMetadata, tensor.name());
  // Norms folded with --batch-norm running. The weight keeps the layer's name.
  for (const auto &node : graph.node())
    if (wasRewrittenBy(node, kFusesNorm))
      for (int i = 1; i < node.input_size(); ++i)
        normed.insert(node.input(i));
}

Provenance ProvenanceFinder::declaredOf(const onnx::TensorProto &tensor) const {
  Provenance result;
  result.evidence = "made by the exporter, says pcc-export";
  const DeclaredTensor *known = declared->find(tensor.name());
  if (!known)
    return result;
  result.name = known->name;
  result.isNameProven = true;
  result.paddingRow = known->paddingRow;
  for (const DeclaredTensor::Holder &holder : known->holders)
    if (holder.name == tensor.name())
      result.isTransposed = holder.transposed;
  if (known->isBuffer) {
    result.evidence = "a buffer, says pcc-export";
    return result;
  }
  result.kind = known->isTrained ? Kind::Parameter : Kind::Frozen;
  result.evidence = known->isTrained ? "trained, says pcc-export"
                                     : "not trained, says pcc-export";
  return result;
}

/// Whether a name ends as PyTorch modules name their parameters.
static bool isNamedByModule(StringRef name) {
  StringRef leaf = leafOf(name);
  return name.contains('.') &&
         llvm::StringSwitch<bool>(leaf)
             .Cases({"weight", "bias", "in_proj_weight", "in_proj_bias"}, true)
             .Cases({"q_proj_weight", "k_proj_weight", "v_proj_weight"}, true)
             .Cases({"bias_k", "bias_v", "weight_g", "weight_v"}, true)
             .Cases({"original0", "original1"}, true)
             .Default(false);
}

std::string
ProvenanceFinder::readNameOf(const onnx::TensorProto &tensor) const {
  ArrayRef<NameFinder::Use> uses = names.usesOf(tensor.name());
  return uses.empty() ? "" : names.byRead(*uses[0].node, uses[0].operand);
}

bool ProvenanceFinder::addsOne(const onnx::TensorProto &tensor,
                               StringRef parameter) const {
  if (!isAddition(tensor.name()))
    return false;
  ArrayRef<std::string> sources = *names.foldedFrom(tensor.name());
  int numbers = 0;
  for (StringRef source : sources) {
    bool isOne = isNumberOne(source);
    numbers += isOne;
    // dynamo creates scalar_tensor from a number, to give it a type.
    bool isOfNumber = stemOf(source).starts_with("scalar_tensor");
    if (!isOne && !isOfNumber && source != parameter && !isMove(source))
      return false;
  }
  return numbers == 1;
}

std::optional<Provenance>
ProvenanceFinder::taggedOf(const onnx::TensorProto &tensor) const {
  StringRef name = tensor.name();
  Provenance result;
  if (auto tag = tags.find(name); tag != tags.end()) {
    bool isParameter = tag->second == "PARAMETER";
    result.kind = isParameter ? Kind::Parameter : Kind::Constant;
    result.name = name.str();
    result.isNameProven = true;
    result.evidence = "tagged " + tag->second + " by the exporter";
    return result;
  }
  std::optional<ArrayRef<std::string>> sources = names.foldedFrom(name);
  if (!sources)
    return std::nullopt;
  SmallVector<StringRef> real, results;
  for (StringRef source : *sources) {
    bool isReal = module.isKnown()
                      ? module.kindOf(source) == "PARAMETER"
                      : !isGeneratedName(source) && (isParameterName(source) ||
                                                     !isOperatorResult(source));
    (isReal ? real : results).push_back(source);
  }
  if (real.empty()) {
    result.evidence = "computed by the exporter from constants";
    return result;
  }
  result.evidence = "folded from " + conjoin(real);
  if (isDetachResult(name)) {
    result.evidence += ", detached";
    return result;
  }
  result.name = real.size() == 1 ? real.front().str() : name.str();
  bool isOne = sources->size() == 1;
  result.isNameProven = isOne;
  if (module.isKnown() || isOperatorResult(name))
    results.push_back(name);
  result.isComputed = llvm::any_of(results, [&](StringRef step) {
    return module.kindOf(step).empty() &&
           changesGradients(step, real.size() == 1);
  });
  // Moves and added constants leave a gradient's elements unchanged. A
  // difference changes their sign, and with it the sign of the optimizer's
  // steps.
  bool isKept = isOne || (real.size() == 1 && isMoveOrSum(name));
  isKept &= !result.isComputed;
  bool isSure = isKept && isNamedByModule(result.name);
  if (auto tag = tags.find(result.name); isOne && tag != tags.end()) {
    isSure = !result.isComputed && tag->second == "PARAMETER";
    if (tag->second != "PARAMETER") {
      result.evidence += ", tagged " + tag->second;
      return result;
    }
  }
  result.kind = isSure ? Kind::Parameter : Kind::Doubtful;
  if (!isKept)
    result.evidence += " and more";
  // Results of one operator are numbered. Moves also have shapes as sources. A
  // name that is only a number may hide a multiplication.
  bool isOnlyMoved =
      real.size() == 1 && (isGeneratedName(name) ? isOne : isMove(name)) &&
      llvm::all_of(results, [](StringRef step) {
        return isGeneratedName(step) || isMove(step) || isCount(step);
      });
  if (isOnlyMoved)
    return result;
  result.isPlusOne = real.size() == 1 && isKept && addsOne(tensor, real[0]);
  if (result.isPlusOne) {
    result.evidence = "1 + '" + result.name + "', as its constant shows";
    return result;
  }
  result.isAltered = true;
  result.likelyName = result.name == name ? readNameOf(tensor) : result.name;
  result.name = name.str();
  result.isNameProven = false;
  return result;
}

Provenance
ProvenanceFinder::guessComputed(const onnx::TensorProto &tensor) const {
  Provenance result;
  StringRef name = tensor.name();
  bool isNumber =
      countOf(tensor) == 1 && names.exporter() != Exporter::TorchScript;
  // If the exporter lists the sources of folded tensors, all other tensors are
  // its own constants. A tool may have merged parameters with literals.
  if (names.saysFoldedFrom() ||
      (isNumber && names.exporter() == Exporter::Dynamo)) {
    result.evidence = "made by the exporter, which does not say from what";
    return result;
  }
  result.name = name.str();
  if (isNumber) {
    result.kind = Kind::Presumed;
    result.evidence = "one number that is not named by a module";
    return result;
  }
  bool isFolded = names.isFolded(tensor);
  if (isFolded && computed.isOfLinear(tensor)) {
    result.kind = Kind::Parameter;
    result.evidence = "folded weight of a linear layer";
    return result;
  }
  result.kind = Kind::Doubtful;
  result.evidence = "computed by the exporter, which does not say from what, "
                    "for " +
                    computed.readerOf(tensor);
  // Weights and biases of linear layers are folded only if they were moved or
  // cast, which needs no warning; a scale is always computed.
  result.isAltered = !computed.isOfMatMul(tensor);
  if (result.isAltered)
    result.likelyName = readNameOf(tensor);
  return result;
}

Provenance
ProvenanceFinder::guessLiteral(const onnx::TensorProto &tensor) const {
  Provenance result;
  StringRef name = tensor.name();
  // PyTorch's exporters write parameters as initializers unless the module was
  // frozen into constants.
  if (names.exporter() == Exporter::Dynamo ||
      (names.isFromTorch() && hasInitializers)) {
    result.evidence = "a literal of the exporter";
    return result;
  }
  result.name = name.str();
  result.kind = Kind::Doubtful;
  result.evidence =
      "the file has it as a Constant node, as it may have weights "
      "and literals";
  return result;
}

Provenance ProvenanceFinder::guessOf(const onnx::TensorProto &tensor) const {
  StringRef name = tensor.name();
  Provenance result;
  bool isLiteral = literals.contains(name),
       isGenerated = isGeneratedName(name) || name.contains('/');
  // A Constant with the name of a module's tensor was an initializer before.
  if (isLiteral && (isGenerated || names.exporter() == Exporter::Dynamo))
    return guessLiteral(tensor);
  if (isGenerated)
    return guessComputed(tensor);
  result.name = name.str();
  // Tools that rewrite PyTorch's files keep the names of modules. mul_7 and
  // scalar_tensor_default are results, but modules do have parameters named t
  // or index.
  bool isResult =
      isOperatorResult(name) && (stemOf(name) != name || name.contains('_'));
  bool hasOwnName = names.hasOwnNames() ||
                    (names.isFromTorch() && !isNameOfTool(name) && !isResult);
  if (countOf(tensor) == 1 && !hasOwnName && !isParameterName(name)) {
    result.kind = Kind::Presumed;
    result.evidence = "one number without the name of a parameter";
    return result;
  }
  result.isNameProven = names.hasOwnNames() && !isLiteral;
  if (isNamedByModule(name)) {
    result.kind = Kind::Parameter;
    result.evidence = "named as modules name what they learn";
    return result;
  }
  result.kind = Kind::Doubtful;
  result.evidence = "the file does not say whether it is a buffer";
  return result;
}

/// The value of a tensor of one element.
static std::optional<double> numberOf(const onnx::TensorProto &tensor,
                                      const FileRange &range, Type storage) {
  if (countOf(tensor) != 1 || !range.bytes)
    return std::nullopt;
  return Tensor::decode(storage, {}, range.bytes).at(int64_t(0)).f;
}

static bool isZeros(const FileRange &range) {
  return range.bytes && llvm::all_of(StringRef(range.bytes, range.length),
                                     [](char byte) { return byte == 0; });
}

int64_t ProvenanceFinder::rankOf(const onnx::TensorProto &tensor) const {
  StringRef name = tensor.name();
  bool isFolded = isGeneratedName(name) || names.foldedFrom(name) ||
                  (isOperatorResult(name) && !tags.contains(name));
  bool isMultiplied =
      llvm::any_of(names.usesOf(name), [](const NameFinder::Use &use) {
        return llvm::StringSwitch<bool>(use.node->op_type())
            .Cases({"MatMul", "Gemm", "Einsum", "Conv", "ConvTranspose"}, true)
            .Default(false);
      });
  // One element of a list of weights, as weight[i].
  if (isFolded && stemOf(name) == "select")
    return tensor.dims_size() + 1;
  int64_t longDims =
      llvm::count_if(tensor.dims(), [](int64_t dim) { return dim != 1; });
  return isFolded && !isMultiplied && longDims < 2 ? longDims
                                                   : tensor.dims_size();
}

Provenance ProvenanceFinder::find(const onnx::TensorProto &tensor,
                                  const FileRange &range, Type storage) const {
  Provenance result = kindOf(tensor, range, storage);
  result.rank = rankOf(tensor);
  return result;
}

Provenance ProvenanceFinder::presumedOf(const onnx::TensorProto &tensor,
                                        const FileRange &range, Type storage,
                                        Provenance number) const {
  std::optional<double> value = numberOf(tensor, range, storage);
  bool isExponent =
      llvm::all_of(names.usesOf(tensor.name()), [](const NameFinder::Use &use) {
        return use.node->op_type() == "Pow" && use.operand == 1;
      });
  if (!reached.contains(tensor.name()))
    number.evidence = "no gradient reaches it";
  else if (value && *value <= kRemovesKey)
    number.evidence = "fills masked scores";
  else if (isExponent)
    number.evidence = "an exponent";
  else
    return number;
  number.kind = Kind::Constant;
  return number;
}

Provenance ProvenanceFinder::kindOf(const onnx::TensorProto &tensor,
                                    const FileRange &range,
                                    Type storage) const {
  if (declared)
    return declaredOf(tensor);
  std::optional<Provenance> tagged = taggedOf(tensor);
  Provenance result = tagged ? *tagged : guessOf(tensor);
  if (result.kind == Kind::Presumed)
    return presumedOf(tensor, range, storage, std::move(result));
  if (!result.isTrained())
    return result;
  if (!result.isAltered) {
    result.isTransposed = names.isFolded(tensor);
    if (isGeneratedName(result.name))
      result.name = names.find(tensor);
  }
  StringRef name = tensor.name();
  if (normed.contains(name)) {
    result.kind = Kind::Doubtful;
    result.isComputed = true;
    result.evidence = "a batch norm is folded into it";
  }
  auto constant = [&](StringRef evidence) {
    result.kind = Kind::Constant;
    result.evidence = evidence.str();
    // A name that was recovered for a weight does not apply to a constant.
    if (isGeneratedName(name) && !tagged)
      result.name.clear();
    return result;
  };
  bool isTagged = tags.contains(name);
  if (!reached.contains(name))
    return constant("no gradient reaches it");
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  MLIRContext *context = storage.getContext();
  if (!isTagged && !reachedPlainly.contains(name)) {
    constexpr StringRef evidence = "read by sines and cosines alone";
    // Rotary angles are the same for all heads; angles per head are learned.
    int64_t longDims = llvm::count_if(shape, [](int64_t n) { return n != 1; });
    bool isKnown = (isGeneratedName(name) && longDims < 3) ||
                   name.ends_with("inv_freq") ||
                   !findValuePattern(range, shape, storage).empty();
    if (isKnown || tagged)
      return constant(evidence);
    result.kind = Kind::Presumed;
    result.evidence = evidence.str();
    return result;
  }
  std::optional<double> number = numberOf(tensor, range, storage);
  if (!isTagged && number && *number <= kRemovesKey)
    return constant("fills masked scores");
  if (!isTagged && isMask(context, tensor, range))
    return constant("a mask of scores");
  if (!isTagged && names.isGeneratedScale(tensor) &&
      isOnes(context, tensor, range))
    return constant("the scale of ones of a norm that has none");
  // Modules have parameters named t and index; TorchScript has no such results.
  bool isResult = names.exporter() == Exporter::TorchScript
                      ? name.contains('/')
                      : isOperatorResult(name);
  result.isGenerated = isGeneratedName(name) || isResult;
  std::string pattern = findValuePattern(range, shape, storage);
  if (!pattern.empty() && isTagged) {
    result.kind = Kind::Doubtful;
    result.evidence += ", but it holds " + pattern;
  } else if (!pattern.empty()) {
    result.kind = Kind::Presumed;
    result.evidence = "it holds " + pattern;
  } else if (!tagged &&
             StringRef("." + result.name).ends_with(".final_logits_bias")) {
    result.kind = Kind::Presumed;
    result.evidence = "buffers of transformers have this name";
  } else if (!tagged && result.isGenerated &&
             computed.isAddedToScores(tensor) && isZeros(range)) {
    result.kind = Kind::Presumed;
    result.evidence = "zeros that are added to scores, as transformers' "
                      "final_logits_bias";
  } else if (!tagged && result.isGenerated && number && isRoot(*number)) {
    result.kind = Kind::Presumed;
    result.evidence = "the root of a whole number, as scales are, for " +
                      computed.readerOf(tensor);
  }
  return result;
}
