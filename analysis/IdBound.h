//===- IdBound.h - How many ids an input may hold ---------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_IDBOUND_H
#define PCC_ANALYSIS_IDBOUND_H

#include "dialects/NN/AttrNames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace pcc::nn {

/// What kIdsAttr says of an input.
struct IdBound {
  /// Ids are 0 .. below - 1.
  int64_t below;
  /// The model's node that looks them up, for messages.
  llvm::StringRef node;
  /// They are classes that a loss is computed for, and nothing else: negative
  /// ones name none, and are not counted.
  bool isOfLoss = false;

  /// The value of the attribute `nn.ids`.
  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  /// Reads such a value; nothing of an attribute that is null or ill-formed.
  static std::optional<IdBound> from(mlir::Attribute attribute);
};

} // namespace pcc::nn

#endif // PCC_ANALYSIS_IDBOUND_H
