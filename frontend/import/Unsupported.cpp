//===- Unsupported.cpp - Operators the frontend does not know -------------===//

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
    return "the model is quantized: export it before it is";
  if (op.contains("Attention") && op.contains('.'))
    return "made for inference with a cache: give the file that the exporter "
           "wrote";
  if (op.contains("MoE"))
    return "a mixture of experts is not supported";
  if (op.starts_with("ai.onnx.ml."))
    return "classical models are not supported";
  if (op.contains('.'))
    return "fused by another tool: give the file that the exporter wrote";
  if (op.starts_with("Sequence") || op.starts_with("Optional") ||
      op.contains("FromSequence"))
    return "lists are not supported: return tensors from the model";
  if (op.starts_with("Random") || op == "Bernoulli")
    return "random numbers but dropout's are not supported: draw them outside";
  if (op.starts_with("String") || op.ends_with("Vectorizer"))
    return "text is not supported: prepare it in front of the model";
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"Loop", "Scan"},
             "a recurrence, step by step, as in state-space models: not "
             "supported; a loop that scripting left goes by exporting by "
             "tracing")
      .Case("Multinomial", "sampling is baked into the file: export the "
                           "model's forward pass alone")
      .Case("LpPool", "of pools averages and maxima are supported: use one, or "
                      "a convolution")
      .Case("GridSample", "sampling an image at computed places is not "
                          "supported: prepare it in front of the model")
      .Cases({"RNN", "LSTM", "GRU"}, "a recurrence: not supported")
      .Cases({"NonMaxSuppression", "RoiAlign", "Unique"},
             "leave it out of the model: it belongs behind its outputs")
      .Default("replace it in the model's source");
}

namespace {
/// Collects operators, of subgraphs too.
struct Collector {
  Opsets opsets;
  llvm::StringSet<> functions;
  std::map<std::string, OperatorUse> uses;

  explicit Collector(const onnx::ModelProto &model) : opsets(model) {
    for (const auto &function : model.functions())
      functions.insert(function.domain() + "." + function.name());
  }

  std::string remedy(const onnx::NodeProto &node, const OperatorUse &use) {
    if (functions.contains(node.domain() + "." + node.op_type()))
      return "a function of the file: write it out with "
             "onnx.inliner.inline_local_functions";
    std::string versions = opsetsOf(use.name);
    return versions.empty()
               ? remedyFor(use.name).str()
               : "supported at opset " + versions + ": export at one of these";
  }

  void collect(const onnx::GraphProto &graph) {
    for (const onnx::NodeProto &node : graph.node()) {
      std::string name = operatorName(node);
      OperatorUse &use = uses[name];
      if (use.nodes.empty()) {
        use.name = name;
        use.opset = opsets.lookup(node.domain());
        // A branch is put in its node's place while it is imported.
        use.isSupported = name == "If" || findEntry(node, opsets);
        if (!use.isSupported)
          use.remedy = remedy(node, use);
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

LogicalResult pcc::frontend::reportUnsupported(Location loc,
                                               const onnx::ModelProto &model) {
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
  // What newer files lack, no other export of the model has.
  if (Opsets(model).standard() < 17)
    diag.attachNote(loc) << "the files this compiler reads best are exported "
                            "in training mode, opset 17, constant folding off";
  return diag;
}
