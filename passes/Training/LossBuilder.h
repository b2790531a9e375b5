//===- LossBuilder.h - Losses that are attached to outputs ------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_LOSSBUILDER_H
#define PCC_PASSES_TRAINING_LOSSBUILDER_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Training/LossTerms.h"
#include "passes/Training/OutputRange.h"

namespace pcc {

/// Appends a loss to @forward, in front of its return. Errors: no output, or
/// more than one, may be what the loss is of.
class LossBuilder {
public:
  /// `function`, a @forward of one block, must outlive this.
  explicit LossBuilder(mlir::func::FuncOp function);

  /// causal-lm where the model proves that this is what it is for.
  mlir::FailureOr<Loss> assumed();
  /// --loss causal-lm, cross-entropy and mse.
  mlir::FailureOr<Loss> causalLM();
  mlir::FailureOr<Loss> crossEntropy();
  mlir::FailureOr<Loss> meanSquaredError();

private:
  /// Whether parameters may be trained by an output: it is of floats, and has a
  /// gradient if any parameter is there to have one.
  bool mayTrain(mlir::Value output) const;
  /// The shape of each output, as notes, and which have no gradient.
  void listOutputs(mlir::InFlightDiagnostic &diag);
  /// The one output that may be logits; null if there are none, or several.
  mlir::Value onlyLogits();
  /// The one output of the model that `loss` may be of, or of several the one
  /// that is the logits by its name.
  mlir::FailureOr<mlir::Value> mainOutput(llvm::StringRef loss);
  /// The output [batch, seq, vocab] for the tokens; null unless it is clear
  /// which of the `count` that have the shape it is.
  mlir::Value findLogits(mlir::Value tokens, size_t &count);
  /// The output with the batch as its first dim, where a model merged it with
  /// dims that follow. Errors: its rows are no samples' of the inputs.
  mlir::FailureOr<mlir::Value> bySample(mlir::Value output);
  /// Says what is wrong with an output that has lost its sequence.
  void noteLastPosition(mlir::InFlightDiagnostic &diag,
                        mlir::BlockArgument tokens);
  /// Warns of scores that are no logits.
  void checkScores(mlir::Value scores, llvm::StringRef loss);
  /// Why scores within bounds are no logits, and the way out, as notes.
  void noteBounds(mlir::InFlightDiagnostic &diag, mlir::Value scores,
                  const OutputRange &range);
  /// The input for the targets, added behind the first if there is none;
  /// `dims` is its kDimsAttr, or null.
  mlir::FailureOr<mlir::Value> targets(mlir::RankedTensorType type,
                                       mlir::Attribute dims = {});
  Loss classify(mlir::Value logits, mlir::Value targets);
  mlir::Value sumOf(mlir::Value value);

  mlir::func::FuncOp function;
  mlir::func::ReturnOp terminator;
  mlir::OpBuilder builder;
  mlir::Location loc;
  /// Whether any parameter may be trained.
  bool hasParams;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_LOSSBUILDER_H
