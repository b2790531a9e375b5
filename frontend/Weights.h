//===- Weights.h - The weights of a model -----------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_WEIGHTS_H
#define PCC_FRONTEND_WEIGHTS_H

#include "frontend/Reader.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace pcc::frontend {

/// An initializer that may be trained.
struct Weight {
  /// The parameter's name.
  std::string name;
  const onnx::TensorProto *tensor;
  mlir::RankedTensorType type;
  /// Of the elements in the file.
  mlir::Type storage;
  Extent extent;
  /// What this is an equal or transposed copy of; null if nothing.
  Weight *original = nullptr;
  bool transposed = false;
  /// Whether the model has the transpose of what the file has; see
  /// NameFinder::isFolded.
  bool isFolded = false;
  /// Whether an exporter merged it with another, so that the file's tensor is
  /// several parameters.
  bool wasMerged = false;
  /// What reads it: pairs of a node's number in the graph and an operand's.
  llvm::SmallVector<int64_t, 2> uses;
  /// Its nn.read, once something uses it.
  mlir::Value read;
};

/// What is left of a table whose lookup an exporter folded, in words; empty if
/// the weight is none. One table several times is from a lookup by position for
/// a fixed batch, equal diagonals are from one by distance.
std::string foldedLookup(const Weight &weight);

/// The weights of one model, which remember what exporters did to ties:
///
/// - folding leaves a tied head as a transposed copy: a matrix whose elements
///   equal another's, and are not all the same, is tied to it;
/// - merging equal tensors leaves one for all fresh norms and biases, behind
///   Identity nodes with their old names or without a trace: these are
///   parameters of their own.
class Weights {
public:
  /// Adds what lies at `extent`, under `name` or, where that is taken, the
  /// same with a number. Errors: its length is not the type's.
  mlir::FailureOr<Weight *> add(mlir::Location loc, llvm::StringRef name,
                                const onnx::TensorProto &tensor,
                                mlir::RankedTensorType type, mlir::Type storage,
                                Extent extent);
  /// Finds copies; after all weights are added. A remark tells each.
  void tieCopies(mlir::Location loc);
  /// The parameter that an Identity of `weight` with this result stands for:
  /// one of its own, or `weight`.
  Weight *alias(Weight *weight, llvm::StringRef result);
  /// The parameter of this name that `weight` was merged from because all
  /// their elements are equal: fresh norms and biases are. It is `weight`
  /// itself where they are not, or the name is its own.
  Weight *separate(mlir::Location loc, Weight *weight, llvm::StringRef name);

  std::deque<Weight> &all() { return weights; }
  const std::deque<Weight> &all() const { return weights; }

private:
  Weight *copy(Weight *weight, llvm::StringRef name);
  std::string unique(llvm::StringRef name);

  std::deque<Weight> weights;
  llvm::StringSet<> names;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_WEIGHTS_H
