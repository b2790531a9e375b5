//===- IdBound.h - How many ids an input may hold ---------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_IDBOUND_H
#define PCC_ANALYSIS_IDBOUND_H

#include "dialects/NN/AttrNames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace pcc::nn {

/// What kIdsAttr says of an input.
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
