//===- OpTable.h - The import table -----------------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_BINDING_OPTABLE_H
#define PCC_FRONTEND_BINDING_OPTABLE_H

#include "frontend/binding/Binder.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::frontend {

/// The versions of the operator sets that a model imports.
class Opsets {
public:
  /// Reads opset_import; the model need not outlive this.
  explicit Opsets(const onnx::ModelProto &model);
  /// The version of ONNX's own operator set; 0 if the model does not import it.
  int64_t standard() const { return lookup(""); }
  /// The version of a domain's set; 0 if the model does not import it.
  int64_t lookup(llvm::StringRef domain) const;
  /// The version that applies to a node. A domain other than ONNX's own has
  /// version 1 if the model does not import it.
  int64_t versionFor(const onnx::NodeProto &node) const;
  /// Normalizes a domain: "ai.onnx", ONNX's own, becomes "".
  static llvm::StringRef domainOf(llvm::StringRef domain);

private:
  llvm::StringMap<int64_t> versions;
};

/// The entry for a node; null if its operator or version has none.
const OpEntry *findEntry(const onnx::NodeProto &node, const Opsets &opsets);

/// The versions at which an operator is supported: "1 to 6, 7 and later"; "" if
/// there are none.
std::string opsetsOf(llvm::StringRef op);

/// All entries, by name and first opset.
llvm::ArrayRef<OpEntry> allEntries();

/// The operator of a node, with its domain as prefix unless it is ONNX's own.
std::string operatorName(const onnx::NodeProto &node);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_OPTABLE_H
