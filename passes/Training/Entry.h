//===- Entry.h - Entry functions and their state ----------------*- C++ -*-===//
//
// What the training passes share: functions are found and made by name, their
// inputs by role, states are declared behind the params.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_ENTRY_H
#define PCC_PASSES_TRAINING_ENTRY_H

#include "dialects/NN/NN.h"
#include "dialects/NN/Names.h"
#include "dialects/NN/Roles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc {

/// The output that a loss is attached to: the one, the one that is of floats,
/// no single number and has a gradient, or of several such that called logits;
/// null if there is none.
mlir::Value mainOutput(mlir::func::FuncOp function);

/// Whether the function's module has a parameter that is not frozen.
bool hasTrainedParams(mlir::func::FuncOp function);

/// An empty function at the end of the module, its builder at the start of
/// its body. The caller adds inputs and calls `finish`.
struct EntryBuilder {
  /// Adds the function to the module.
  EntryBuilder(mlir::ModuleOp module, llvm::StringRef name);
  /// Adds an input named as its role.
  mlir::Value input(nn::InputRole role, mlir::Type type);
  /// The present value of a parameter or state.
  mlir::Value read(llvm::StringRef symbol, mlir::Type type);
  /// Replaces the value of a parameter or state.
  void write(mlir::Value value, llvm::StringRef symbol);
  /// Writes zeros into the state.
  void clear(nn::StateOp state);
  /// Returns the values under these names.
  void finish(mlir::ValueRange results, llvm::ArrayRef<llvm::StringRef> names);

  /// Stands in the function's body.
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::func::FuncOp function;
};

/// Declares a state behind the last param or state. `of` may be empty.
nn::StateOp addState(mlir::ModuleOp module, llvm::StringRef name,
                     mlir::RankedTensorType type, nn::StateKind kind,
                     llvm::StringRef of = {});
/// The same of a number.
nn::StateOp addNumber(mlir::ModuleOp module, llvm::StringRef name,
                      mlir::RankedTensorType type, double first);

/// The gradient states, in the order of their declaration.
llvm::SmallVector<nn::StateOp> gradients(mlir::ModuleOp module);

/// tensor<f32>
mlir::RankedTensorType scalarType(mlir::MLIRContext *context);

/// 'name' of the source model's node that an op or value stems from; without a
/// name, the op's own.
std::string nodeName(mlir::Operation *op);
std::string nodeName(mlir::Value value);

/// Makes a sum whose only use is another sum of the same stage and direction
/// part of it, so that what is added is added at once.
void flattenSums(mlir::func::FuncOp function);

/// Removes ops without effects and uses, last first.
void removeDeadOps(mlir::func::FuncOp function);

/// Removes inputs without uses.
void eraseUnusedInputs(mlir::func::FuncOp function);

/// Takes dropout out of a function, and the inputs that only it used.
void removeDropout(mlir::func::FuncOp function);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_ENTRY_H
