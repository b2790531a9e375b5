//===- Entry.h - Entry functions and their state ----------------*- C++ -*-===//
//
// Shared helpers of the training passes: they find and create functions by name
// and inputs by role, and declare states after the parameters.
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

/// The output that an attached loss is computed from, or null. It is the only
/// output; of several, the only one of rank at least 1 that a gradient flows
/// through, or else such an output named "logits". A module without trainable
/// parameters needs no gradient.
mlir::Value mainOutput(mlir::func::FuncOp function);

/// Whether the function's module has a parameter that is not frozen.
bool hasTrainedParams(mlir::func::FuncOp function);

/// Creates an empty function at the end of the module and fills its body. The
/// caller adds inputs and ops, then calls `finish`.
struct EntryBuilder {
  /// Adds the function to the module.
  EntryBuilder(mlir::ModuleOp module, llvm::StringRef name);
  /// Adds an input named as its role.
  mlir::Value input(nn::InputRole role, mlir::Type type);
  /// Reads a parameter or state.
  mlir::Value read(llvm::StringRef symbol, mlir::Type type);
  /// Overwrites a parameter or state.
  void write(mlir::Value value, llvm::StringRef symbol);
  /// Sets the state to zero.
  void clear(nn::StateOp state);
  /// Adds the return of `results`, named `names`, and sets the function's type.
  void finish(mlir::ValueRange results, llvm::ArrayRef<llvm::StringRef> names);

  /// Inserts into the function's body.
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::func::FuncOp function;
};

/// Declares a state after the last parameter or state. `of`, which may be
/// empty, names the parameter that the state belongs to.
nn::StateOp addState(mlir::ModuleOp module, llvm::StringRef name,
                     mlir::RankedTensorType type, nn::StateKind kind,
                     llvm::StringRef of = {});
/// Declares a state of kind Number with the initial value `first`.
nn::StateOp addNumber(mlir::ModuleOp module, llvm::StringRef name,
                      mlir::RankedTensorType type, double first);

/// The gradient states, in the order of their declaration.
llvm::SmallVector<nn::StateOp> gradients(mlir::ModuleOp module);

/// Returns tensor<f32>.
mlir::RankedTensorType scalarType(mlir::MLIRContext *context);

/// Returns, in quotes, the name of the source model's node that the op or value
/// comes from; without such a name, that of the op. For an argument it is the
/// input's name; without one, "an input" without quotes.
std::string nodeName(mlir::Operation *op);
std::string nodeName(mlir::Value value);

/// Inlines each nn.sum whose only use is another nn.sum with the same stage
/// attributes and direction, so that one n-ary sum adds all inputs.
void flattenSums(mlir::func::FuncOp function);

/// Erases ops without side effects and uses, in reverse program order.
void removeDeadOps(mlir::func::FuncOp function);

/// Removes inputs without uses.
void eraseUnusedInputs(mlir::func::FuncOp function);

/// Removes dropout, including that of attention, and the inputs that only
/// dropout used.
void removeDropout(mlir::func::FuncOp function);

} // namespace pcc

#endif // PCC_PASSES_TRAINING_ENTRY_H
