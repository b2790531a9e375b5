//===- TargetShift.h - The distance of targets from tokens ------*- C++ -*-===//
//
// A model that computes its own loss shifts its labels, or drops the last
// logits. The target of a token must be the next one: only that is dropped at
// the end of a document.
//
//     logits[:, :-1]     index i is position i       shift 0
//     labels[:, 1:]      index i is position i + 1   shift 1
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_DOCUMENTS_TARGETSHIFT_H
#define PCC_PASSES_TRAINING_DOCUMENTS_TARGETSHIFT_H

#include "dialects/NN/Roles.h"

namespace pcc {

/// Follows which positions of tokens and of targets an op combines.
class TargetShift {
public:
  /// Declares an input with the sequence.
  void start(mlir::BlockArgument argument);
  /// Follows an op with these operands that run along the sequence. `moved`:
  /// the position of index 0 of the result less that of the operand. Returns
  /// how the op combines other positions: "", or text that follows the op's
  /// name.
  std::string visit(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands,
                    int64_t moved);
  /// Whether a value depends on tokens.
  bool isOfTokens(mlir::Value value) const {
    auto it = known.find(value);
    return it != known.end() && it->second.tokens;
  }

private:
  struct Shifts {
    /// Position less index; unset if the value does not depend on it.
    std::optional<int64_t> tokens, targets;
    /// The distance of the targets from the tokens that predict them.
    int64_t distance = 0;
  };
  llvm::DenseMap<mlir::Value, Shifts> known;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_DOCUMENTS_TARGETSHIFT_H
