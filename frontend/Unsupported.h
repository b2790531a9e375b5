//===- Unsupported.h - Operators the frontend does not know -----*- C++ -*-===//

#ifndef PCC_FRONTEND_UNSUPPORTED_H
#define PCC_FRONTEND_UNSUPPORTED_H

#include "frontend/Reader.h"
#include "llvm/ADT/SmallVector.h"

namespace pcc::frontend {

/// The operator of a node, behind its domain if that is not ONNX's own.
std::string operatorName(const onnx::NodeProto &node);
/// What a user can do about an operator that is not supported.
llvm::StringRef remedyFor(llvm::StringRef op);

/// Collects all of a file, so that one run tells everything.
class UnsupportedOps {
public:
  explicit UnsupportedOps(int64_t opset) : opset(opset) {}
  void add(const onnx::NodeProto &node);
  /// Fails, with one note per operator, if any were added.
  mlir::LogicalResult report(mlir::Location loc) const;

private:
  int64_t opset;
  llvm::SmallVector<std::pair<std::string, std::vector<std::string>>> nodes;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_UNSUPPORTED_H
