//===- Unsupported.cpp - Operators the frontend does not know -------------===//

#include "frontend/Unsupported.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pcc::frontend;

void UnsupportedOps::add(const onnx::NodeProto &node) {
  std::string op = node.op_type();
  if (!node.domain().empty() && node.domain() != "ai.onnx")
    op = node.domain() + "." + op;
  auto *entry = llvm::find_if(nodes, [&](auto &e) { return e.first == op; });
  if (entry == nodes.end()) {
    nodes.push_back({op, {}});
    entry = &nodes.back();
  }
  entry->second.push_back(
      node.name().empty() && node.output_size() ? node.output(0) : node.name());
}

/// What a user can do about an operator.
static StringRef remedy(StringRef op) {
  if (op.contains('.'))
    return "fused by another tool: give the file that the exporter wrote";
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"If", "Loop", "Scan"},
             "export by tracing, not scripting, so that no control flow is "
             "left")
      .Cases({"QuantizeLinear", "DequantizeLinear", "MatMulInteger"},
             "give the model before quantization")
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
    note << (names.size() > 3 ? ", ...): " : "): ") << remedy(op);
  }
  diag.attachNote(loc) << "the files this compiler reads best are exported in "
                          "training mode, opset 17, constant folding off";
  return diag;
}
