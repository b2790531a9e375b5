//===- TrainChoice.cpp - The user's choices of trained tensors ------------===//

#include "frontend/import/TrainChoice.h"
#include "analysis/ExpertWeights.h"
#include "dialects/NN/NN.h"
#include "frontend/weights/Phrases.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;
using namespace pcc::nn;
using Kind = Provenance::Kind;

FailureOr<TrainChoice> TrainChoice::parse(Location loc,
                                          const ImportOptions &options) {
  TrainChoice choice(loc);
  choice.keepsBiases = options.keepsBiases;
  for (auto [flag, name, text] :
       {std::tuple(&choice.freeze, "--freeze", StringRef(options.freeze)),
        std::tuple(&choice.train, "--train", StringRef(options.train)),
        std::tuple(&choice.plusOne, "--norm-plus-one",
                   StringRef(options.plusOne))}) {
    flag->name = name;
    flag->text = text;
    if (text.empty())
      continue;
    llvm::Regex regex(text);
    std::string why;
    if (!regex.isValid(why))
      return emitError(loc) << name << " '" << text
                            << "' is not a regular expression: " << why;
    flag->regex.emplace(std::move(regex));
  }
  return choice;
}

static std::string nameOf(const Provenance &provenance,
                          const onnx::TensorProto &tensor) {
  return provenance.name.empty() ? tensor.name() : provenance.name;
}

bool TrainChoice::keeps(const Provenance &provenance,
                        const onnx::TensorProto &tensor) {
  return freeze.matches(nameOf(provenance, tensor), provenance.likelyName);
}

void TrainChoice::applyPlusOne(Provenance &provenance,
                               const onnx::TensorProto &tensor) {
  bool isKnown = provenance.isNameProven || provenance.isComputed;
  if (isKnown || provenance.isConstant() ||
      !plusOne.matches(tensor.name(), provenance.moduleName()))
    return;
  provenance.kind = Kind::Parameter;
  provenance.isPlusOne = true;
  provenance.name = provenance.moduleName();
  provenance.likelyName.clear();
  provenance.evidence = "1 + what the module has, by --norm-plus-one";
}

void TrainChoice::apply(Provenance &provenance, const onnx::TensorProto &tensor,
                        RankedTensorType type, ImportReport &report) {
  std::string name = nameOf(provenance, tensor);
  bool isNotTrained =
      provenance.isConstant() || provenance.kind == Kind::Frozen;
  if (isNotTrained && train.matches(name, provenance.likelyName)) {
    provenance.kind = Kind::Parameter;
    provenance.name = name;
    provenance.evidence = "by --train; " + provenance.evidence;
    return;
  }
  if (provenance.isConstant() && keepsBiases &&
      (StringRef(name).ends_with("correction_bias") ||
       StringRef(name).ends_with("expert_bias"))) {
    provenance.kind = Kind::Frozen;
    provenance.name = name;
    provenance.evidence = "the correction bias of a router, by --moe-bias-rate";
    return;
  }
  if (!provenance.isConstant())
    return;
  bool isConfirmed = freeze.matches(name, provenance.likelyName);
  if (provenance.kind == Kind::Presumed && !isConfirmed)
    presumed.push_back({name, provenance.evidence});
  if (provenance.name.empty())
    return;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  report.constants.push_back({name, text, provenance.evidence});
}

LogicalResult TrainChoice::finish(ModuleOp module, const Weights &weights,
                                  ImportReport &report) {
  SymbolTable symbols(module);
  DenseSet<Operation *> experts;
  module.walk([&](EmbeddingOp op) {
    if (ParamOp param = analysis::expertWeightOf(op))
      experts.insert(param);
  });
  std::vector<std::string> computed, doubtful, altered, constants;
  for (const Weight &weight : weights.all()) {
    auto param = symbols.lookup<ParamOp>(weight.name);
    if (!param)
      continue;
    const Provenance &provenance = weight.provenance;
    report.evidence[weight.name] =
        weight.wasMerged ? "merged with an equal tensor by the exporter"
                         : provenance.evidence;
    param.setFrozen(provenance.kind == Kind::Frozen);
    bool isFrozen = freeze.matches(weight.name, provenance.likelyName);
    bool isTrained = train.matches(weight.name, provenance.likelyName);
    const std::string &seen = provenance.likelyName;
    // Among several parameters none is its name; the first warning reports it.
    bool isUnnamed = provenance.isComputed && seen.empty();
    if (provenance.isAltered && !provenance.isPlusOne && !isUnnamed) {
      altered.push_back("'" + weight.name + "'" +
                        (seen.empty() ? "" : " (read as '" + seen + "')"));
    }
    if (isFrozen)
      param.setFrozen(true);
    if (isTrained)
      param.setFrozen(false);
    if (isFrozen || isTrained)
      report.evidence[weight.name] = isTrained ? "by --train" : "by --freeze";
    else if (experts.contains(param) && !provenance.isComputed)
      report.evidence[weight.name] =
          "the weights of experts: a router chooses its rows";
    else if (provenance.kind == Kind::Doubtful)
      (provenance.isComputed ? computed : doubtful)
          .push_back("'" + weight.name + "' (" + provenance.evidence + ")");
  }
  for (Flag *flag : {&freeze, &train})
    if (flag->regex && !flag->wasUsed)
      return emitError(loc)
             << flag->name << " '" << flag->text << "' matches no parameter";
  if (plusOne.regex && !plusOne.wasUsed) {
    InFlightDiagnostic diag =
        emitError(loc) << plusOne.name << " '" << plusOne.text
                       << "' matches no scale that may be 1 + a parameter";
    diag.attachNote(loc) << "--list-params prints the parameters' names, and "
                            "what the file shows of them";
    return diag;
  }
  if (!computed.empty()) {
    InFlightDiagnostic diag =
        emitWarning(loc) << "trained differently than in PyTorch, which "
                            "trains the parameters that they were computed "
                            "from: "
                         << listSome(computed);
    diag.attachNote(loc) << "export with optimize=False, by TorchScript in "
                            "training mode or with pcc-export; --freeze REGEX "
                            "keeps them as they are";
  }
  if (!doubtful.empty()) {
    InFlightDiagnostic diag = emitWarning(loc)
                              << "trained, though the file does not prove that "
                                 "they are parameters: "
                              << listSome(doubtful);
    diag.attachNote(loc) << "--freeze REGEX keeps them as they are, --train "
                            "REGEX confirms them; files of pcc-export state "
                            "which are trained";
  }
  if (!altered.empty()) {
    InFlightDiagnostic diag =
        emitWarning(loc)
        << "checkpoints store under the file's names what the exporter "
           "may have computed from the module's "
           "parameters: "
        << listSome(altered);
    diag.attachNote(loc)
        << "--norm-plus-one REGEX names those that are 1 + the "
           "parameter, as in Gemma's norms; exports "
           "without constant folding and files of pcc-export "
           "have the parameters themselves";
  }
  for (const auto &[name, evidence] : presumed)
    constants.push_back("'" + name + "' (" + evidence + ")");
  if (!constants.empty()) {
    InFlightDiagnostic diag = emitWarning(loc)
                              << "not trained, because they look like buffers: "
                              << listSome(constants);
    diag.attachNote(loc)
        << "--train REGEX trains them, --freeze REGEX "
           "confirms this; files of pcc-export state which are "
           "trained";
  }
  return success();
}
