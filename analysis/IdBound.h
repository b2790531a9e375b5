//===- IdBound.h - The range of an input's ids ------------------*- C++ -*-===//

#ifndef PCC_ANALYSIS_IDBOUND_H
#define PCC_ANALYSIS_IDBOUND_H

#include "dialects/NN/AttrNames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

namespace pcc::nn {

/// The contents of kIdsAttr, the range of an input's ids.
struct IdBound {
  /// Ids are 0 .. below - 1.
  int64_t below;
  /// The model's node that looks them up, for messages.
  llvm::StringRef node;
  /// Whether the ids are only used as classes of a loss: then negative ids are
  /// invalid targets, which are not counted.
  bool isOfLoss = false;

  /// Converts to the value of the attribute `nn.ids`.
  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  /// Converts from such a value; nullopt if the attribute is null or malformed.
  static std::optional<IdBound> from(mlir::Attribute attribute);
};

} // namespace pcc::nn

#endif // PCC_ANALYSIS_IDBOUND_H
