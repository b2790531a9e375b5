//===- OpTable.cpp - The import table -------------------------------------===//

#include "frontend/binding/OpTable.h"

using namespace mlir;
using namespace pcc::frontend;

StringRef Opsets::domainOf(StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

Opsets::Opsets(const onnx::ModelProto &model) {
  for (const auto &import : model.opset_import())
    versions[domainOf(import.domain())] = import.version();
}

int64_t Opsets::lookup(StringRef domain) const {
  return versions.lookup(domainOf(domain));
}

int64_t Opsets::versionFor(const onnx::NodeProto &node) const {
  StringRef domain = domainOf(node.domain());
  // Operator sets of other domains begin with version 1.
  return domain.empty() ? standard() : std::max<int64_t>(1, lookup(domain));
}

ArrayRef<OpEntry> pcc::frontend::allEntries() {
  static const std::vector<OpEntry> all = [] {
    std::vector<OpEntry> rows;
    for (ArrayRef<OpEntry> part :
         {activationOps(),  attentionOps(),   batchNormOps(), constantOps(),
          contractionOps(), convolutionOps(), einsumOps(),    fusedOps(),
          gatherOps(),      imageOps(),       logicOps(),     lossOps(),
          maskOps(),        mathOps(),        networkOps(),   padOps(),
          poolOps(),        reductionOps(),   resampleOps(),  scatterOps(),
          shapeOps(),       sliceOps(),       softmaxOps(),   sortOps(),
          trainingOps(),    trigonometryOps()})
      llvm::append_range(rows, part);
    llvm::sort(rows, [](const OpEntry &a, const OpEntry &b) {
      return std::pair(a.name, a.since) < std::pair(b.name, b.since);
    });
    return rows;
  }();
  return all;
}

const OpEntry *pcc::frontend::findEntry(const onnx::NodeProto &node,
                                        const Opsets &opsets) {
  static const llvm::StringMap<SmallVector<const OpEntry *, 2>> byName = [] {
    llvm::StringMap<SmallVector<const OpEntry *, 2>> map;
    for (const OpEntry &entry : allEntries())
      map[entry.name].push_back(&entry);
    return map;
  }();
  auto found = byName.find(operatorName(node));
  if (found == byName.end())
    return nullptr;
  int64_t version = opsets.versionFor(node);
  for (const OpEntry *entry : found->second)
    if (version >= entry->since && version <= entry->until)
      return entry;
  return nullptr;
}

std::string pcc::frontend::opsetsOf(StringRef op) {
  std::string text;
  for (const OpEntry &entry : allEntries()) {
    if (entry.name != op)
      continue;
    text += (text.empty() ? "" : ", ") + std::to_string(entry.since);
    if (entry.until != entry.since)
      text += entry.until == kAnyOpset ? " and later"
                                       : " to " + std::to_string(entry.until);
  }
  return text;
}

std::string pcc::frontend::operatorName(const onnx::NodeProto &node) {
  StringRef domain = Opsets::domainOf(node.domain());
  return domain.empty() ? node.op_type() : domain.str() + "." + node.op_type();
}
