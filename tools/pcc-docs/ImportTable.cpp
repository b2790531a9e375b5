//===- ImportTable.cpp - The import table as JSON -------------------------===//

#include "tools/pcc-docs/ImportTable.h"
#include "frontend/binding/OpTable.h"
#include "llvm/Support/JSON.h"

using namespace pcc;
using namespace pcc::frontend;

static void print(llvm::json::OStream &json, const KnownAttribute &attribute) {
  json.object([&] {
    json.attribute("name", attribute.name);
    json.attribute("type",
                   onnx::AttributeProto::AttributeType_Name(attribute.type));
    json.attributeArray("values", [&] {
      for (llvm::StringRef value : attribute.supportedValues())
        json.value(value);
    });
    json.attribute("since", attribute.first);
    json.attribute("until", attribute.last);
    json.attribute("required", attribute.isRequired);
  });
}

void pcc::printImportTable(llvm::raw_ostream &os) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    json.attribute("newest_opset", kNewestOpset);
    json.attribute("newest_format", kNewestFormat);
    json.attributeArray("rows", [&] {
      for (const OpEntry &row : allEntries())
        json.object([&] {
          json.attribute("name", row.name);
          json.attribute("since", row.since);
          json.attribute("until", row.until);
          json.attribute("least_operands", int64_t(row.operands.least));
          json.attribute("most_operands", int64_t(row.operands.most));
          json.attributeArray("attributes", [&] {
            for (const KnownAttribute &attribute : row.attributes)
              print(json, attribute);
          });
        });
    });
  });
  os << "\n";
}
