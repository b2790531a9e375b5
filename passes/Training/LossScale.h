//===- LossScale.h - What an update does about the loss's scale -*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_LOSSSCALE_H
#define PCC_PASSES_TRAINING_LOSSSCALE_H

#include "passes/Training/Entry.h"
#include "passes/Training/ScalarMath.h"

namespace pcc {

/// Declares the scale of the loss, from which @microbatch's gradients follow.
void addLossScale(mlir::ModuleOp module);

/// The scale of the loss in @update, of a program that may have none.
class LossScale {
public:
  /// Reads it, and adds what says how it changes.
  LossScale(mlir::ModuleOp module, EntryBuilder &entry);

  /// Whether the program has one.
  explicit operator bool() const { return bool(scale); }
  /// The scale of the step.
  mlir::Value get() const { return scale; }
  /// What the step's gradients are to be divided by: the number of targets,
  /// times the scale.
  mlir::Value divisor(mlir::Value count);
  /// The number of this step of the optimizer, from 1, if it `isTaken`.
  mlir::Value countUpdate(mlir::Value isTaken);
  /// Writes what the next step is done with. `length`: of all gradients, as
  /// they are.
  void change(mlir::Value isTaken, mlir::Value length);

private:
  mlir::ModuleOp module;
  EntryBuilder &entry;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  ScalarMath math;
  mlir::Value scale, window;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_LOSSSCALE_H
