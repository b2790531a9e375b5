//===- IdBound.h - How many ids an input may hold ---------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_IDBOUND_H
#define PCC_ANALYSIS_IDBOUND_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace pcc::nn {

/// Argument attribute of entry functions, and attribute of what they become:
/// the ids of this input are 0 .. below - 1, as `node` of the model looks them
/// up. Set before anything is padded or split.
inline constexpr llvm::StringLiteral kIdsAttr = "nn.ids";

struct IdBound {
  int64_t below;
  llvm::StringRef node;
  /// They are classes that a loss is computed for, and nothing else: negative
  /// ones name none, and are not counted.
  bool isOfLoss = false;

  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  /// Null or ill-formed attributes say nothing.
  static std::optional<IdBound> from(mlir::Attribute attribute);
};

} // namespace pcc::nn

#endif // PCC_ANALYSIS_IDBOUND_H
