//===- Fill.h - Deterministic inputs for tests ------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_FILL_H
#define PCC_INTERPRETER_FILL_H

#include "dialects/NN/NN.h"
#include "dialects/NN/Roles.h"
#include "dialects/Pipe/Pipe.h"
#include "interpreter/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace pcc::interp {

/// An input of a program, of global type.
struct InputInfo {
  /// Nothing for what a single function that is run takes without saying so.
  std::optional<nn::InputRole> role;
  std::string name;
  mlir::RankedTensorType type;
  bool isPerMicrobatch;
  nn::InputDims dims = {};
  /// Exclusive bound of token ids, and the node it comes from; 0: not known.
  int64_t vocab = 0;
  std::string lookedUpBy = "";
  /// Data, but classes that a loss is computed for.
  bool isOfLoss = false;

  /// The role's name in the IR; empty without a role.
  std::string roleName() const;
};

/// How inputs and parameters that were not given are made up. The numbers
/// depend on the seed, the name, the microbatch and the element's index only.
struct Fill {
  /// Other seeds give other numbers everywhere.
  uint64_t seed;
  /// Bound of token ids and targets; 0: the input's.
  int64_t vocab = 0;

  /// By role: tokens and targets below the vocabulary (one target in eight is
  /// ignored), positions and samples in order, usual hyper-parameters. Other
  /// floats are normal(0, 1), other integers small.
  llvm::Expected<Tensor> input(const InputInfo &info, int64_t microbatch) const;

  /// Normal values of a size that keeps activations near 1, for every element
  /// whatever the parameter's declared initial value: 1 + 0.1 n for scales
  /// (init one), 0.1 n for biases (init zero), else 0.3 n.
  Tensor parameter(llvm::StringRef name, nn::Init init,
                   mlir::RankedTensorType type) const;
};

/// What an argument of a function is; `type` is its global type.
InputInfo argumentInfo(mlir::func::FuncOp function, unsigned index,
                       mlir::RankedTensorType type);
/// What an input of a program cut into tasks is; `type` as above.
InputInfo inputInfo(pipe::InputOp input, mlir::RankedTensorType type);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_FILL_H
