//===- Roles.h - Roles of a program's inputs --------------------*- C++ -*-===//
//
// Every input of a function has a role, which determines the data that the
// runtime puts there, and a name in the model. Most roles have one input;
// inputs of roles that `mayRepeat` are distinguished by name.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_ROLES_H
#define PCC_DIALECTS_NN_ROLES_H

#include "dialects/NN/Attrs.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace pcc::nn {

/// Whether inputs of a role have one id for each position of each sample:
/// tokens, targets and labels.
bool isSequence(InputRole role);

/// Whether inputs of a role have a batch dim: sequences, data, sample numbers
/// and starts of documents. Such an input has one instance per microbatch.
bool hasBatchDim(InputRole role);

/// Whether inputs of a role are the samples that the model computes with:
/// tokens and data.
bool isModelData(InputRole role);

/// Whether inputs of a role are read from the data set; the runtime computes
/// the others or takes them from the command line.
bool isFromDataset(InputRole role);

/// Whether the data set has inputs of a role by name: data and shared.
bool isNamed(InputRole role);

/// Whether a function may have several inputs of a role.
bool mayRepeat(InputRole role);

/// Whether inputs of a role are one number for the whole step: seed, step and
/// hyperparameters of the optimizer.
bool isScalar(InputRole role);

/// The role of an input; nullopt if it has none.
std::optional<InputRole> roleOf(mlir::FunctionOpInterface function,
                                unsigned index);
/// The same for an argument of any block; nullopt if it is no function's.
std::optional<InputRole> roleOf(mlir::BlockArgument argument);

/// The batch and sequence dims of an input.
struct InputDims {
  /// Indices of dims; nullopt if the input has no such dim.
  std::optional<unsigned> batch, sequence;
};

/// The dims of an input of this role and rank. `stated` is its kDimsAttr, or
/// null if the role implies them. All code that needs the batch or sequence dim
/// of an input calls this.
InputDims dimsOf(InputRole role, int64_t rank, mlir::Attribute stated);
/// The same for a function's input; none if it has no role.
InputDims dimsOf(mlir::FunctionOpInterface function, unsigned index);
/// The same for an argument of any block; none if it is no function's.
InputDims dimsOf(mlir::BlockArgument argument);

/// The name of an input in the model; empty if it has none.
llvm::StringRef inputName(mlir::FunctionOpInterface function, unsigned index);

/// The first input of this role (and name, if given); null if there is none.
mlir::BlockArgument findInput(mlir::FunctionOpInterface function,
                              InputRole role, llvm::StringRef name = {});

/// The tokens, or else the first data input; null if there is neither.
mlir::BlockArgument findModelData(mlir::FunctionOpInterface function);

/// The batch extent of the first input with a batch dim; data inputs are used
/// only if no other input has one. 0 if no input has one.
int64_t batchOf(mlir::FunctionOpInterface function);

/// Inserts an input at `index`.
mlir::BlockArgument insertInput(mlir::FunctionOpInterface function,
                                unsigned index, InputRole role,
                                llvm::StringRef name, mlir::Type type,
                                mlir::Location loc);

/// Sets or replaces the role of an input.
void setRole(mlir::FunctionOpInterface function, unsigned index,
             InputRole role);

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_ROLES_H
