//===- Support.cpp - The supported parts of a file ------------------------===//

#include "frontend/import/Support.h"
#include "frontend/import/Unsupported.h"
#include "frontend/onnx/ElementTypes.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::frontend;

bool SupportReport::isSupported() const {
  return problems.empty() &&
         llvm::all_of(operators,
                      [](const OperatorUse &use) { return use.isSupported; });
}

SupportReport pcc::checkSupport(MLIRContext &context, const ONNXFile &file) {
  const onnx::ModelProto &proto = file->getProto();
  SupportReport report;
  for (const auto &import : proto.opset_import())
    report.opsets.push_back(
        {import.domain().empty() ? "ai.onnx" : import.domain(),
         import.version()});
  report.operators = operatorsOf(proto);
  if (std::string newer = findNewerThanKnown(proto); !newer.empty())
    report.problems.push_back({newer, kNewerRemedy.str()});
  auto checkType = [&](StringRef what, StringRef name, int32_t type) {
    if (storageType(&context, type))
      return;
    report.problems.push_back(
        {(what + " '" + name + "' has elements of type " + typeName(type))
             .str(),
         kTypesRemedy.str()});
  };
  for (const auto &input : proto.graph().input())
    checkType("input", input.name(), input.type().tensor_type().elem_type());
  for (const auto &tensor : proto.graph().initializer())
    checkType("initializer", tensor.name(), tensor.data_type());
  return report;
}

/// "'a', 'b', 'c', ...".
static std::string listFirst(ArrayRef<std::string> nodes) {
  std::string text;
  for (const std::string &node : nodes.take_front(3))
    text += (text.empty() ? "'" : ", '") + node + "'";
  return text + (nodes.size() > 3 ? ", ..." : "");
}

static std::string count(size_t number, StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : "s");
}

void pcc::printReport(const SupportReport &report, StringRef file,
                      llvm::raw_ostream &os) {
  os << file << ": opset";
  for (auto [i, opset] : llvm::enumerate(report.opsets))
    os << (i ? ", " : " ") << opset.first << " " << opset.second;
  os << "\n";
  constexpr StringLiteral indent = "               ";
  size_t nodes = 0, bad = 0, badNodes = 0;
  for (const OperatorUse &use : report.operators) {
    nodes += use.nodes.size();
    if (use.isSupported)
      os << "  ok           " << use.name << " ("
         << count(use.nodes.size(), "node") << ")\n";
  }
  // Unsupported operators come last, where a terminal shows them.
  for (const OperatorUse &use : report.operators) {
    if (use.isSupported)
      continue;
    ++bad;
    badNodes += use.nodes.size();
    os << "  unsupported  " << use.name << " of opset " << use.opset << " ("
       << count(use.nodes.size(), "node") << ": " << listFirst(use.nodes)
       << ")\n"
       << indent << use.remedy << "\n";
  }
  for (const SupportReport::Problem &problem : report.problems) {
    os << "  problem      " << problem.what << "\n";
    if (!problem.remedy.empty())
      os << indent << problem.remedy << "\n";
  }
  for (const SupportReport::Problem &warning : report.warnings) {
    os << "  warning      " << warning.what << "\n";
    if (!warning.remedy.empty())
      os << indent << warning.remedy << "\n";
  }
  if (!report.isSupported()) {
    os << "not supported: " << bad << " of "
       << count(report.operators.size(), "operator") << ", " << badNodes
       << " of " << count(nodes, "node");
    if (!report.problems.empty())
      os << "; " << count(report.problems.size(), "other problem");
    os << "\n";
    return;
  }
  os << "all " << count(nodes, "node") << " of "
     << count(report.operators.size(), "operator") << " are supported\n";
  if (!report.missing.remedy.empty())
    os << "only the operators were checked: " << report.missing.what
       << "; for the whole file " << report.missing.remedy << "\n";
  else
    os << "the model compiles\n" << report.plan;
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
    auto list = [&](StringRef key, ArrayRef<SupportReport::Problem> entries) {
      json.attributeArray(key, [&] {
        for (const SupportReport::Problem &entry : entries)
          json.object([&] {
            json.attribute("what", entry.what);
            json.attribute("remedy", entry.remedy);
          });
      });
    };
    list("problems", report.problems);
    list("warnings", report.warnings);
    if (!report.missing.remedy.empty())
      json.attribute("missing", report.missing.remedy);
  });
  os << "\n";
}
