//===- Computed.h - What exporters computed from parameters -----*- C++ -*-===//
//
// An exporter that folds constants takes parameters for some: the file then has
// what it computed, under a name that it made up, in place of the parameter.
//
//   x @ self.weight.t()        onnx::MatMul_8    [D, V]         the transpose
//   h * self.gate.view(H, 1)   onnx::Mul_31      [H, 1]         a reshape
//   x + (self.lam - 1) * x     onnx::Mul_257     []             another number
//   x + self.final_logits_bias onnx::Add_92      [1, V]         a buffer
//
// The first two have the gradient of the parameter, element by element, and so
// has the third; tanh(self.gate) would not. The first two have its elements as
// well. TorchScript does not say which it is; dynamo names the parameters and
// the last operator.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_WEIGHTS_COMPUTED_H
#define PCC_FRONTEND_WEIGHTS_COMPUTED_H

#include "frontend/weights/Names.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// Tells what lies behind initializers that an exporter computed.
class ComputedFinder {
public:
  /// Both must outlive this.
  ComputedFinder(const onnx::GraphProto &graph, const NameFinder &names);

  /// Whether a product reads this as a linear layer does: nothing else lies in
  /// its module, or a projection's bias is added to it. `tensor` is folded, as
  /// NameFinder::isFolded tells.
  bool isOfLinear(const onnx::TensorProto &tensor) const;

  /// Whether all that reads this is a product, or adds it to the result of one
  /// in the same module, as a linear layer its bias.
  bool isOfProduct(const onnx::TensorProto &tensor) const;

  /// Whether this is as wide as the vocabulary and added to scores outside of
  /// the module that computes them.
  bool isAddedToScores(const onnx::TensorProto &tensor) const;

  /// The node that reads a tensor first, in quotes.
  std::string readerOf(const onnx::TensorProto &tensor) const;

private:
  const NameFinder &names;
  /// Modules in which other modules or other operators than those of a linear
  /// layer lie.
  llvm::StringSet<> large;
  /// What computes a value.
  llvm::StringMap<const onnx::NodeProto *> producers;
  /// The products whose results a named bias of a projection is added to.
  llvm::DenseSet<const onnx::NodeProto *> biased;
  /// How many rows the tables of the model have.
  llvm::DenseSet<int64_t> vocabularies;
};

/// Whether a number is the square or fourth root of a whole number above one,
/// or one over it, as what scores are scaled by is.
bool isRoot(double number);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_COMPUTED_H
