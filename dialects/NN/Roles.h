//===- Roles.h - What the inputs of a program are ---------------*- C++ -*-===//
//
// Every input of a function has a role, which says what the runtime puts there,
// and the model's name of it. Most roles have one input; of those that
// `mayRepeat`, the name tells one from the other.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_ROLES_H
#define PCC_DIALECTS_NN_ROLES_H

#include "dialects/NN/Attrs.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace pcc::nn {

/// Tokens, targets and labels: one id for each position of each sample.
bool isSequence(InputRole role);

/// One dim is that of the samples: of sequences, data and sample numbers. A
/// step has an instance of such an input for each microbatch.
bool hasRowPerSample(InputRole role);

/// Tokens and data: what the model computes with, a row per sample.
bool isModelData(InputRole role);

/// Read from the data that is trained on, as opposed to what the runtime
/// counts or is told on the command line.
bool isFromDataset(InputRole role);

/// Data and shared: found in the data by the input's name.
bool isNamed(InputRole role);

/// A function may have several inputs of this role.
bool mayRepeat(InputRole role);

/// One number for the whole step: seed, step and what an optimizer is told.
bool isScalar(InputRole role);

/// The role of an input; nothing if it has none.
std::optional<InputRole> roleOf(mlir::FunctionOpInterface function,
                                unsigned index);
/// The same for an argument of any block; nothing if that is no function's.
std::optional<InputRole> roleOf(mlir::BlockArgument argument);

/// Which dims of an input run over the samples and over the places of its
/// sequence.
struct InputDims {
  /// Numbers of dims; nothing where none does.
  std::optional<unsigned> batch, sequence;
};

/// The dims of an input of this role and rank; `stated` is its kDimsAttr, or
/// null where the role says all. What asks for the batch or the sequence of an
/// input asks here.
InputDims dimsOf(InputRole role, int64_t rank, mlir::Attribute stated);
/// The same of a function's input; none if it has no role.
InputDims dimsOf(mlir::FunctionOpInterface function, unsigned index);
/// The same of an argument of any block; none if that is no function's.
InputDims dimsOf(mlir::BlockArgument argument);

/// The model's name of an input; empty if it has none.
llvm::StringRef inputName(mlir::FunctionOpInterface function, unsigned index);

/// The first input of this role (and name, if given); null if there is none.
mlir::BlockArgument findInput(mlir::FunctionOpInterface function,
                              InputRole role, llvm::StringRef name = {});

/// The tokens, else the first data; null if there are neither.
mlir::BlockArgument findModelData(mlir::FunctionOpInterface function);

/// How many samples a function computes with at once, by the first input that
/// has a row for each; data count where nothing else has. 0: no input has.
int64_t batchOf(mlir::FunctionOpInterface function);

/// Inserts an input in front of that at `index`.
mlir::BlockArgument insertInput(mlir::FunctionOpInterface function,
                                unsigned index, InputRole role,
                                llvm::StringRef name, mlir::Type type,
                                mlir::Location loc);

/// Sets or replaces the role of an input.
void setRole(mlir::FunctionOpInterface function, unsigned index,
             InputRole role);

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_ROLES_H
