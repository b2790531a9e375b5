//===- LossScale.h - Dynamic loss scaling in @update ------------*- C++ -*-===//

#ifndef PCC_PASSES_TRAINING_LOSSSCALE_H
#define PCC_PASSES_TRAINING_LOSSSCALE_H

#include "passes/Training/Entry.h"
#include "passes/Training/ScalarMath.h"

namespace pcc {

/// Declares the loss scale state, with which @microbatch multiplies gradients.
void addLossScale(mlir::ModuleOp module);

/// The loss scale in @update; converts to false if the program has none.
class LossScale {
public:
  /// Reads the loss scale and declares the state and the input that control its
  /// changes.
  LossScale(mlir::ModuleOp module, EntryBuilder &entry);

  /// Whether the program has a loss scale.
  explicit operator bool() const { return bool(scale); }
  /// The loss scale of the current step.
  mlir::Value get() const { return scale; }
  /// The divisor of the step's gradients: the number of targets times the loss
  /// scale.
  mlir::Value divisor(mlir::Value count);
  /// Returns the number of this optimizer step, from 1, and stores it only if
  /// the step `isTaken`.
  mlir::Value countUpdate(mlir::Value isTaken);
  /// Writes the loss scale and `good_steps` for the next step. `length`: the
  /// norm of all gradients as accumulated, before they are divided.
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
