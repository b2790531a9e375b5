//===- OpTable.h - The import table as a whole ------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_BINDING_OPTABLE_H
#define PCC_FRONTEND_BINDING_OPTABLE_H

#include "frontend/binding/Binder.h"
#include "llvm/ADT/StringMap.h"

namespace pcc::frontend {

/// The versions of the operator sets that a model names.
class Opsets {
public:
  /// Reads opset_import; the model need not outlive this.
  explicit Opsets(const onnx::ModelProto &model);
  /// The version of the set of ONNX's own operators; 0 if the model names none.
  int64_t standard() const { return lookup(""); }
  /// The version of a domain's set; 0 if the model does not name it.
  int64_t lookup(llvm::StringRef domain) const;
  /// The version by which a node is read. A domain that the model does not name
  /// has version 1.
  int64_t versionFor(const onnx::NodeProto &node) const;
  /// A domain by one name: "" for ONNX's own, which files also call "ai.onnx".
  static llvm::StringRef domainOf(llvm::StringRef domain);

private:
  llvm::StringMap<int64_t> versions;
};

/// The row for a node; null if there is none for its operator or version.
const OpEntry *findEntry(const onnx::NodeProto &node, const Opsets &opsets);

/// The versions of its set at which an operator is known: "1 to 6, 7 and
/// later"; "" for none.
std::string opsetsOf(llvm::StringRef op);

/// All rows, by name and first opset.
llvm::ArrayRef<OpEntry> allEntries();

/// The operator of a node, behind its domain if that is not ONNX's own.
std::string operatorName(const onnx::NodeProto &node);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_OPTABLE_H
