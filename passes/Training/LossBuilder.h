//===- LossBuilder.h - Attaches a loss to an output -------------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_LOSSBUILDER_H
#define PCC_PASSES_TRAINING_LOSSBUILDER_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Training/LossTerms.h"
#include "passes/Training/OutputRange.h"

namespace pcc {

/// Appends a loss to @forward, before its return. Emits an error if no output,
/// or more than one, fits the loss.
class LossBuilder {
public:
  /// `function`, a @forward of one block, must outlive this.
  explicit LossBuilder(mlir::func::FuncOp function);

  /// Attaches causal-lm if the model is proven causal and the bounds of its
  /// scores do not rule out logits (no --loss is given).
  mlir::FailureOr<Loss> assumed();
  /// Attach the loss that `--loss` names.
  mlir::FailureOr<Loss> causalLM();
  mlir::FailureOr<Loss> crossEntropy();
  mlir::FailureOr<Loss> meanSquaredError();

private:
  /// Whether a loss of this output can train parameters: its elements are
  /// floats, and a gradient flows through it unless the module has no trainable
  /// parameter.
  bool mayTrain(mlir::Value output) const;
  /// Attaches a note per output: its shape, and the op that stops its gradient,
  /// if any.
  void listOutputs(mlir::InFlightDiagnostic &diag);
  /// The only output that may be logits; null if none or several may.
  mlir::Value onlyLogits();
  /// The output that `loss` is computed from: the only one that fits, or of
  /// several the one named "logits"; for cross-entropy, else `onlyLogits`.
  mlir::FailureOr<mlir::Value> mainOutput(llvm::StringRef loss);
  /// The output [batch, seq, vocab] that matches `tokens`, or null if there is
  /// none or it is ambiguous. Sets `count` to the number of such outputs.
  mlir::Value findLogits(mlir::Value tokens, size_t &count);
  /// The output with the batch as its first dim, split from dims that the model
  /// merged with it. Error: its rows do not belong to samples of the inputs.
  mlir::FailureOr<mlir::Value> bySample(mlir::Value output);
  /// Attaches a note if an output has only the scores of the last position.
  void noteLastPosition(mlir::InFlightDiagnostic &diag,
                        mlir::BlockArgument tokens);
  /// Warns if the bounds of `scores` show that they are not logits.
  void checkScores(mlir::Value scores, llvm::StringRef loss);
  /// Attaches notes: why bounded scores are not logits, and how to export
  /// logits.
  void noteBounds(mlir::InFlightDiagnostic &diag, mlir::Value scores,
                  const OutputRange &range);
  /// Returns the targets input; without one it is inserted after the first
  /// input. `dims` is the new input's kDimsAttr, or null.
  mlir::FailureOr<mlir::Value> targets(mlir::RankedTensorType type,
                                       mlir::Attribute dims = {});
  Loss classify(mlir::Value logits, mlir::Value targets);
  mlir::Value sumOf(mlir::Value value);

  mlir::func::FuncOp function;
  mlir::func::ReturnOp terminator;
  mlir::OpBuilder builder;
  mlir::Location loc;
  /// Whether the module has a trainable parameter.
  bool hasParams;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_LOSSBUILDER_H
