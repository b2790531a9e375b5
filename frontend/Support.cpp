//===- Support.cpp - What of a file is supported --------------------------===//

#include "frontend/Support.h"
#include "frontend/DimBinding.h"
#include "frontend/OpTable.h"
#include "frontend/Unsupported.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

bool SupportReport::isSupported() const {
  return types.empty() && llvm::all_of(operators, [](const OperatorUse &use) {
           return use.isSupported;
         });
}

static std::string typeName(int32_t type) {
  auto known = static_cast<onnx::TensorProto_DataType>(type);
  if (onnx::TensorProto_DataType_IsValid(type))
    return onnx::TensorProto_DataType_Name(known);
  return std::to_string(type);
}

FailureOr<SupportReport> pcc::checkSupport(MLIRContext &context,
                                           StringRef path) {
  Location loc = FileLineColLoc::get(&context, path, 0, 0);
  FailureOr<std::unique_ptr<Model>> model = Model::read(loc, path);
  if (failed(model))
    return failure();
  const onnx::ModelProto &proto = (*model)->proto;
  Opsets opsets(proto);
  SupportReport report;
  for (const auto &import : proto.opset_import())
    report.opsets.push_back(
        {import.domain().empty() ? "ai.onnx" : import.domain(),
         import.version()});
  std::map<std::string, OperatorUse> uses;
  for (const onnx::NodeProto &node : proto.graph().node()) {
    std::string name = operatorName(node);
    OperatorUse &use = uses[name];
    if (use.nodes.empty()) {
      use.name = name;
      use.opset = opsets.lookup(node.domain());
      use.isSupported = findEntry(node, opsets);
      if (!use.isSupported)
        use.remedy = remedyFor(name).str();
    }
    use.nodes.push_back(node.name().empty() && node.output_size()
                            ? node.output(0)
                            : node.name());
  }
  for (auto &entry : uses)
    report.operators.push_back(std::move(entry.second));
  auto checkType = [&](StringRef what, StringRef name, int32_t type) {
    if (!storageType(&context, type))
      report.types.push_back(
          (what + " '" + name + "' has elements of type " + typeName(type))
              .str());
  };
  for (const auto &input : proto.graph().input())
    checkType("input", input.name(), input.type().tensor_type().elem_type());
  for (const auto &tensor : proto.graph().initializer())
    checkType("initializer", tensor.name(), tensor.data_type());
  return report;
}

void pcc::printReport(const SupportReport &report, StringRef file,
                      llvm::raw_ostream &os) {
  os << file << ": opset";
  for (auto [i, opset] : llvm::enumerate(report.opsets))
    os << (i ? ", " : " ") << opset.first << " " << opset.second;
  os << "\n";
  int64_t nodes = 0, bad = 0, badNodes = 0;
  for (const OperatorUse &use : report.operators) {
    os << (use.isSupported ? "  ok           " : "  unsupported  ") << use.name
       << " (" << use.nodes.size()
       << (use.nodes.size() == 1 ? " node)" : " nodes)");
    nodes += use.nodes.size();
    if (!use.isSupported) {
      ++bad;
      badNodes += use.nodes.size();
      os << ": '" << use.nodes.front() << "'"
         << (use.nodes.size() > 1 ? ", ..." : "") << "; " << use.remedy;
    }
    os << "\n";
  }
  for (const std::string &type : report.types)
    os << "  unsupported  " << type << "\n";
  if (report.isSupported())
    os << "all " << nodes << " nodes of " << report.operators.size()
       << " operators are supported\n";
  else
    os << "not supported: " << bad << " of " << report.operators.size()
       << " operators, " << badNodes << " of " << nodes << " nodes, "
       << report.types.size() << " tensors\n";
}

void pcc::printReportJson(const SupportReport &report, StringRef file,
                          llvm::raw_ostream &os) {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("file", file);
    json.attribute("supported", report.isSupported());
    json.attributeObject("opsets", [&] {
      for (const auto &opset : report.opsets)
        json.attribute(opset.first, opset.second);
    });
    json.attributeArray("operators", [&] {
      for (const OperatorUse &use : report.operators)
        json.object([&] {
          json.attribute("name", use.name);
          json.attribute("opset", use.opset);
          json.attribute("count", static_cast<int64_t>(use.nodes.size()));
          json.attribute("supported", use.isSupported);
          if (use.isSupported)
            return;
          json.attribute("remedy", use.remedy);
          json.attributeArray("nodes", [&] {
            for (const std::string &node : use.nodes)
              json.value(node);
          });
        });
    });
    json.attributeArray("types", [&] {
      for (const std::string &type : report.types)
        json.value(type);
    });
  });
  os << "\n";
}
