//===- Computed.h - Tensors computed from parameters ------------*- C++ -*-===//
//
// An exporter that folds constants treats some parameters as constants. The
// file then holds the computed tensor, under a generated name, in place of the
// parameter:
//
//   x @ self.weight.t()        onnx::MatMul_8    [D, V]         the transpose
//   h * self.gate.view(H, 1)   onnx::Mul_31      [H, 1]         a reshape
//   x + (self.lam - 1) * x     onnx::Mul_257     []             another number
//   x + self.final_logits_bias onnx::Add_92      [1, V]         a buffer
//
// Element by element, the first three have the gradient of the parameter;
// tanh(self.gate) would not. The first two also have the parameter's elements.
// TorchScript does not tell the cases apart; dynamo records the parameters'
// names and the last operator.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_COMPUTED_H
#define PCC_FRONTEND_WEIGHTS_COMPUTED_H

#include "frontend/weights/Names.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// Classifies initializers that an exporter computed.
class ComputedFinder {
public:
  /// Both must outlive this.
  ComputedFinder(const onnx::GraphProto &graph, const NameFinder &names);

  /// Whether only linear layers read this: a reader's module has no submodules
  /// and no operators but MatMul, Add and Identity, or a projection's bias is
  /// added to the reader's result. `tensor` must be folded
  /// (NameFinder::isFolded).
  bool isOfLinear(const onnx::TensorProto &tensor) const;

  /// Whether every reader is a matmul or convolution, or an Add to the result
  /// of one in the same module, as the bias of a linear layer.
  bool isOfMatMul(const onnx::TensorProto &tensor) const;

  /// Whether this is as wide as the vocabulary and is added to scores outside
  /// the module that computes them.
  bool isAddedToScores(const onnx::TensorProto &tensor) const;

  /// The name of the first node that reads a tensor, in quotes.
  std::string readerOf(const onnx::TensorProto &tensor) const;

private:
  const NameFinder &names;
  /// Modules with submodules, or with operators other than those of a linear
  /// layer.
  llvm::StringSet<> large;
  /// The node that produces a value.
  llvm::StringMap<const onnx::NodeProto *> producers;
  /// The nodes to whose results a projection's named bias is added.
  llvm::DenseSet<const onnx::NodeProto *> biased;
  /// The numbers of rows of the tables that are looked up.
  llvm::DenseSet<int64_t> vocabularies;
};

/// Whether a number is the square or fourth root of a whole number from 2 to
/// 4096, or the inverse of one, as scale factors of attention scores are.
bool isRoot(double number);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_COMPUTED_H
