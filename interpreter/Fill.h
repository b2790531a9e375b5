//===- Fill.h - Deterministic inputs for tests ------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_FILL_H
#define PCC_INTERPRETER_FILL_H

#include "dialects/NN/NN.h"
#include "interpreter/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pcc::interp {

/// How inputs and parameters that were not given are made up. The numbers
/// depend on the seed, the name and the element's index only.
struct Fill {
  uint64_t seed;
  /// Bound of token ids and targets; 0: that of the embedding table or the
  /// cross entropy that uses them.
  int64_t vocab = 0;

  /// By role: tokens and targets below the vocabulary (one target in eight is
  /// ignored), positions and samples in order, usual hyper-parameters. Other
  /// floats are normal(0, 1), other integers small. Fails, saying why, where
  /// the vocabulary is not known.
  /// `type` is the argument's global type.
  mlir::FailureOr<Tensor> argument(mlir::func::FuncOp function, unsigned index,
                                   mlir::RankedTensorType type) const;

  /// Normal values of a size that keeps activations near 1, for every element
  /// whatever the parameter's declared initial value: 1 + 0.1 n for scales
  /// (init one), 0.1 n for biases (init zero), else 0.3 n.
  Tensor parameter(mlir::StringRef name, nn::Init init,
                   mlir::RankedTensorType type) const;
};

/// The number of ids that a value may take where an op looks them up, through
/// ops that keep them; 0 where none does.
int64_t vocabularyOf(mlir::Value ids);

/// The role of an argument, or nothing.
llvm::StringRef argumentRole(mlir::func::FuncOp function, unsigned index);
/// The name to match between functions and in messages: the model's name,
/// else the role, else "arg<index>".
std::string argumentName(mlir::func::FuncOp function, unsigned index);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_FILL_H
