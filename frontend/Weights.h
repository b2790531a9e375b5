//===- Weights.h - The weights of a model -----------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_WEIGHTS_H
#define PCC_FRONTEND_WEIGHTS_H

#include "frontend/Reader.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <deque>

namespace pcc::frontend {

/// An initializer that may be trained.
struct Weight {
  /// The parameter's name.
  std::string name;
  const onnx::TensorProto *tensor;
  mlir::RankedTensorType type;
  Extent extent;
  /// What this is an equal or transposed copy of; null if nothing.
  Weight *original = nullptr;
  bool transposed = false;
  /// Its nn.read, once something uses it.
  mlir::Value read;
};

/// The weights of one model, which remember what exporters did to ties:
///
/// - folding leaves a tied head as a transposed copy: a matrix whose elements
///   equal another's, and are not all the same, is tied to it;
/// - merging equal tensors leaves one for all fresh norms and biases, behind
///   Identity nodes with their old names: these are parameters of their own.
class Weights {
public:
  /// Adds what lies at `extent`. Errors: its length is not the type's.
  mlir::FailureOr<Weight *> add(mlir::Location loc,
                                const onnx::TensorProto &tensor,
                                mlir::RankedTensorType type, Extent extent);
  /// Finds copies; after all weights are added. A remark tells each.
  void tieCopies(mlir::Location loc);
  /// The parameter that an Identity of `weight` with this result stands for:
  /// one of its own, or `weight`.
  Weight *alias(Weight *weight, llvm::StringRef result);

  std::deque<Weight> &all() { return weights; }

private:
  std::deque<Weight> weights;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_H
