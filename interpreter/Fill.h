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
  /// No value for an argument without a role of a function that is run on its
  /// own.
  std::optional<nn::InputRole> role;
  std::string name;
  mlir::RankedTensorType type;
  bool isPerMicrobatch;
  nn::InputDims dims = {};
  /// The order of the elements along sequences; null: that of the data.
  nn::HeadTailAttr order = {};
  /// The exclusive bound of token ids, and the node that it comes from; 0:
  /// unknown.
  int64_t vocab = 0;
  std::string lookedUpBy = "";
  /// Whether an input of role "data" or "shared" holds the target classes of a
  /// loss.
  bool isOfLoss = false;

  /// The role's name in the IR; empty without a role.
  std::string roleName() const;
};

/// Generates the inputs and parameters that were not given. The numbers depend
/// only on the seed, the name, the microbatch and the element's index.
struct Fill {
  uint64_t seed;
  /// The bound of token ids and targets; 0: that of the input.
  int64_t vocab = 0;

  /// Generates an input by its role: tokens and targets below the vocabulary
  /// size (one target in eight is ignored), positions and samples in order,
  /// usual hyperparameters. Other floats are normal(0, 1), other integers below
  /// 8.
  llvm::Expected<Tensor> input(const InputInfo &info, int64_t microbatch) const;

  /// Generates a parameter such that activations stay near 1. With n ~
  /// normal(0, 1), the elements are 1 + 0.1 n for scales (init one), 0.1 n for
  /// biases (init zero), otherwise 0.3 n. All elements are random; the
  /// declared initial value is ignored.
  Tensor parameter(llvm::StringRef name, nn::Init init,
                   mlir::RankedTensorType type) const;
};

/// Puts a global input, whose elements have the data's order, into another
/// order; null: no other.
void reorder(Tensor &value, nn::HeadTailAttr order);

/// Describes an argument of a function; `type` is its global type.
InputInfo argumentInfo(mlir::func::FuncOp function, unsigned index,
                       mlir::RankedTensorType type);
/// Describes an input of a program of tasks; `type` is its global type.
InputInfo inputInfo(pipe::InputOp input, mlir::RankedTensorType type);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_FILL_H
