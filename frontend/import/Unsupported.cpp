//===- Unsupported.cpp - Unsupported operators ----------------------------===//

#include "frontend/import/Unsupported.h"
#include "dialects/NN/DiagnosticCode.h"
#include "frontend/binding/OpTable.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

static StringRef remedyFor(StringRef op) {
  if (op.contains_insensitive("quant") || op.contains("QLinear") ||
      op.contains("Integer") || op.contains("NBits"))
    return "the model is quantized: export it before quantization";
  if (op.contains("Attention") && op.contains('.'))
    return "made for inference with a cache: pass the file that the exporter "
           "wrote";
  if (op.contains("MoE"))
    return "a mixture of experts as one operator is not supported: export it "
           "with experts_implementation=\"batched_mm\", or by pcc-export";
  if (op.starts_with("ai.onnx.ml."))
    return "classical models are not supported";
  if (op.contains('.'))
    return "fused by another tool: pass the file that the exporter wrote";
  if (op.starts_with("Sequence") || op.starts_with("Optional") ||
      op.contains("FromSequence"))
    return "lists are not supported: return tensors from the model";
  if (op.starts_with("Random") || op == "Bernoulli")
    return "random numbers other than dropout's need to be inputs; the jitter "
           "of a router is off with router_jitter_noise=0, or in eval mode";
  if (op.starts_with("String") || op.ends_with("Vectorizer"))
    return "text is not supported: preprocess it outside the model";
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"Loop", "Scan"},
             "a recurrence, step by step, as in state-space models: not "
             "supported; for a loop of scripting, export by "
             "tracing")
      .Case("Multinomial", "sampling is baked into the file: export the "
                           "model's forward pass alone")
      .Case("LpPool", "only average and max pooling are supported: use one, or "
                      "a convolution")
      .Case("GridSample", "sampling an image at computed positions is not "
                          "supported: preprocess it outside the model")
      .Cases({"RNN", "LSTM", "GRU"}, "a recurrence: not supported")
      .Cases({"NonMaxSuppression", "RoiAlign", "Unique"},
             "leave it out of the model and apply it to its outputs")
      .Default("replace it in the model's source");
}

namespace {
/// Collects the operators of a graph and its subgraphs.
struct Collector {
  Opsets opsets;
  llvm::StringSet<> functions;
  /// By the operator's name and the remedy.
  std::map<std::pair<std::string, std::string>, OperatorUse> uses;

  explicit Collector(const onnx::ModelProto &model) : opsets(model) {
    for (const auto &function : model.functions())
      functions.insert(Opsets::domainOf(function.domain()).str() + "." +
                       function.name());
  }

  /// The remedy for an unsupported node; "" for a supported one.
  std::string remedy(const onnx::NodeProto &node, StringRef name) {
    // A function of the file overrides an operator of its name.
    if (functions.contains(Opsets::domainOf(node.domain()).str() + "." +
                           node.op_type()))
      return "a function of the file: write it out with "
             "onnx.inliner.inline_local_functions";
    // The import replaces an If by one of its branches.
    if (name == "If")
      return findAttributeProblem(
          node, {graphAttr("then_branch"), graphAttr("else_branch")},
          opsets.standard());
    if (const OpEntry *entry = findEntry(node, opsets))
      return findMisuse(node, *entry);
    std::string versions = opsetsOf(name);
    return versions.empty()
               ? remedyFor(name).str()
               : "supported at opset " + versions + ": export at one of these";
  }

  /// Describes an attribute or operand of a node that the table does not allow;
  /// "" if there is none.
  std::string findMisuse(const onnx::NodeProto &node, const OpEntry &entry) {
    std::string problem =
        findAttributeProblem(node, entry.attributes, opsets.versionFor(node));
    if (!problem.empty())
      return problem;
    for (int64_t i = entry.operands.most; i < node.input_size(); ++i)
      if (!node.input(i).empty())
        return "its operand " + std::to_string(i) + ", '" + node.input(i) +
               "', is not supported: it takes at most " +
               std::to_string(entry.operands.most);
    return "";
  }

  void collect(const onnx::GraphProto &graph) {
    for (const onnx::NodeProto &node : graph.node()) {
      std::string name = operatorName(node), problem = remedy(node, name);
      OperatorUse &use = uses[{name, problem}];
      if (use.nodes.empty()) {
        use.name = name;
        use.opset = opsets.lookup(node.domain());
        use.isSupported = problem.empty();
        use.remedy = problem;
      }
      use.nodes.push_back(node.name().empty() && node.output_size()
                              ? node.output(0)
                              : node.name());
      for (const auto &attribute : node.attribute()) {
        if (attribute.has_g())
          collect(attribute.g());
        for (const auto &body : attribute.graphs())
          collect(body);
      }
    }
  }
};
} // namespace

std::vector<OperatorUse>
pcc::frontend::operatorsOf(const onnx::ModelProto &model) {
  Collector collector(model);
  collector.collect(model.graph());
  std::vector<OperatorUse> all;
  for (auto &entry : collector.uses)
    all.push_back(std::move(entry.second));
  return all;
}

std::string pcc::frontend::findNewerThanKnown(const onnx::ModelProto &model) {
  int64_t version = Opsets(model).standard();
  return version <= kNewestOpset
             ? ""
             : "the file has opset " + std::to_string(version) +
                   ", but pcc knows the operators of opset " +
                   std::to_string(kNewestOpset) + " and older";
}

void pcc::frontend::warnOfUnreadFields(Location loc,
                                       const onnx::ModelProto &model) {
  if (model.ir_version() > kNewestFormat)
    emitWarning(loc) << "the file has IR version " << model.ir_version()
                     << ", but pcc knows the fields of version "
                     << kNewestFormat
                     << " and older: any that are newer are not read";
  if (model.training_info_size() > 0)
    emitWarning(loc) << "the file has a training algorithm of its own "
                        "(training_info), which is not read";
}

LogicalResult pcc::frontend::reportUnsupported(Location loc,
                                               const onnx::ModelProto &model) {
  if (std::string newer = findNewerThanKnown(model); !newer.empty()) {
    InFlightDiagnostic diag = emitError(loc) << newer;
    diag.attachNote(loc) << kNewerRemedy;
    return diag;
  }
  std::vector<OperatorUse> uses = operatorsOf(model);
  llvm::erase_if(uses, [](const OperatorUse &use) { return use.isSupported; });
  if (uses.empty())
    return success();
  InFlightDiagnostic diag = emitError(loc);
  nn::setCode(diag, nn::DiagnosticCode::UnsupportedOperators);
  diag << uses.size() << (uses.size() == 1 ? " operator is" : " operators are")
       << " not supported at opset " << Opsets(model).standard();
  for (const OperatorUse &use : uses) {
    Diagnostic &note = diag.attachNote(loc);
    note << use.name << " (" << use.nodes.size()
         << (use.nodes.size() == 1 ? " node: '" : " nodes: '") << use.nodes[0]
         << "'";
    for (size_t i = 1; i < std::min<size_t>(3, use.nodes.size()); ++i)
      note << ", '" << use.nodes[i] << "'";
    note << (use.nodes.size() > 3 ? ", ...): " : "): ") << use.remedy;
  }
  // Exporting again does not help a file of a newer opset: other exports of the
  // model have the same operators.
  if (Opsets(model).standard() < 17)
    diag.attachNote(loc) << "the files this compiler reads best are exported "
                            "in training mode, opset 17, constant folding off";
  return diag;
}
