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
  /// The model's node that looks them up, or the op's name, for messages. If
  /// several do, the one with the lowest bound.
  llvm::StringRef node;
  /// Whether the ids of a data or shared input are only used as classes of a
  /// loss: then negative ids are invalid targets, which are not counted. False
  /// for targets and labels, whose role implies it.
  bool isOfLoss = false;

  /// Converts to the value of the attribute `nn.ids`.
  mlir::DictionaryAttr toAttr(mlir::MLIRContext *context) const;
  /// Converts from such a value; nullopt if the attribute is null or malformed.
  static std::optional<IdBound> from(mlir::Attribute attribute);
};

} // namespace pcc::nn

#endif // PCC_ANALYSIS_IDBOUND_H
