//===- Unsupported.cpp - Operators the frontend does not know -------------===//

#include "frontend/Unsupported.h"
#include "frontend/OpTable.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::frontend;

std::string pcc::frontend::operatorName(const onnx::NodeProto &node) {
  if (node.domain().empty() || node.domain() == "ai.onnx")
    return node.op_type();
  return node.domain() + "." + node.op_type();
}

void UnsupportedOps::add(const onnx::NodeProto &node) {
  std::string op = operatorName(node);
  auto *entry = llvm::find_if(nodes, [&](auto &e) { return e.first == op; });
  if (entry == nodes.end()) {
    nodes.push_back({op, {}});
    entry = &nodes.back();
  }
  entry->second.push_back(
      node.name().empty() && node.output_size() ? node.output(0) : node.name());
}

StringRef pcc::frontend::remedyFor(StringRef op) {
  if (op.contains_insensitive("quant") || op.contains("QLinear") ||
      op.contains("Integer") || op.contains("NBits"))
    return "the model is quantized: export it before it is";
  if (op.contains("Attention") && op.contains('.'))
    return "made for inference with a cache: give the file that the exporter "
           "wrote";
  if (op.contains("MoE"))
    return "a mixture of experts is not supported";
  if (op.contains('.'))
    return "fused by another tool: give the file that the exporter wrote";
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"If", "Loop", "Scan"},
             "export by tracing, not scripting, so that no control flow is "
             "left")
      .Cases({"TopK", "Multinomial", "OneHot", "ScatterElements"},
             "the routing of a mixture of experts, or sampling, is baked into "
             "the file: export a dense model, and its forward pass alone")
      .Cases({"BatchNormalization", "Conv", "MaxPool"},
             "convolutional models are not supported")
      .Default("replace it in the model's source");
}

LogicalResult UnsupportedOps::report(Location loc) const {
  if (nodes.empty())
    return success();
  InFlightDiagnostic diag = emitError(loc);
  diag << nodes.size()
       << (nodes.size() == 1 ? " operator is" : " operators are")
       << " not supported at opset " << opset;
  for (const auto &[op, names] : nodes) {
    Diagnostic &note = diag.attachNote(loc);
    note << op << " (" << names.size()
         << (names.size() == 1 ? " node: '" : " nodes: '") << names[0] << "'";
    for (size_t i = 1; i < std::min<size_t>(3, names.size()); ++i)
      note << ", '" << names[i] << "'";
    note << (names.size() > 3 ? ", ...): " : "): ") << remedyFor(op);
  }
  diag.attachNote(loc) << "the files this compiler reads best are exported in "
                          "training mode, opset 17, constant folding off";
  return diag;
}
