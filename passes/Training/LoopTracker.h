//===- LoopTracker.h - Tracks the batch dim through a program ---*- C++ -*-===//
//
// The samples of a batch are one loop over the inputs. Op by op, LoopTracker
// follows the dim of each value that the loop runs along, by the ops' sharding
// rules:
//
//   %h = nn.embedding %tokens, %wte    [LOOP, seq] -> [LOOP, seq, hidden]
//   %f = nn.contract "bsk,kn->bsn"     per element: [LOOP, seq, n]
//   %r = nn.reduce %f [0, 1, 2]        a sum over the loop
//   %l = nn.log %r                     mixed: combines elements of the loop
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_TRAINING_LOOPTRACKER_H
#define PCC_PASSES_TRAINING_LOOPTRACKER_H

#include "dialects/NN/NN.h"

namespace pcc {

/// Follows one loop, such as the samples of a batch, through a program: which
/// dim of each value it runs along, and which ops combine several elements.
class LoopTracker {
public:
  /// How a value depends on the elements of the loop.
  struct Dependence {
    /// The kind of the dependence.
    enum Kind {
      PerElement, ///< index i of `dim` belongs to element i / inner % extent
      Summed,     ///< a sum with one summand per element
      Mixed,      ///< neither of the two
    } kind;
    /// For PerElement: the dim, and the number of consecutive indices that
    /// belong to one element.
    int64_t dim = 0, inner = 1;

    bool operator==(const Dependence &other) const {
      return kind == other.kind && dim == other.dim && inner == other.inner;
    }
    /// Whether index i of dim `wanted` is element i of the loop.
    bool isPerElement(int64_t wanted) const {
      return kind == PerElement && dim == wanted && inner == 1;
    }
  };

  /// Whether per-element results may depend on an element's index.
  enum class Numbers { Refused, Allowed };

  /// `noun`: the plural of the elements' name, for messages. `extent`: the
  /// number of elements.
  LoopTracker(llvm::StringRef noun, int64_t extent,
              Numbers numbers = Numbers::Refused)
      : noun(noun), extent(extent), numbers(numbers) {}

  /// Declares that the loop runs along `dim` of `input`.
  void start(mlir::Value input, int64_t dim) {
    dependences[input] = {Dependence::PerElement, dim, 1};
  }
  /// Derives the dependence of the op's results from that of its operands.
  /// Returns a description of how the op combines elements if that makes a
  /// result Mixed while no operand is; else an empty string.
  std::string visit(mlir::Operation *op);
  /// Whether the op that visit() described surely combines elements; otherwise
  /// it possibly only moves them.
  bool combinesSurely() const { return isSure; }
  /// Returns null if the value does not depend on the loop.
  const Dependence *find(mlir::Value value) const {
    auto it = dependences.find(value);
    return it == dependences.end() ? nullptr : &it->second;
  }

private:
  void setDependence(mlir::Value value, Dependence where) {
    dependences[value] = where;
  }
  std::string visitPerElement(mlir::Operation *op);
  bool visitNumber(nn::SumOp op);
  std::optional<Dependence> ownRows(mlir::Value ids, int64_t rows);
  bool visitLookup(nn::EmbeddingOp op);
  bool visitScatter(nn::EmbeddingGradOp op);
  bool visitConcatOrSlice(mlir::Operation *op);
  std::string visitReshape(mlir::Operation *op, const Dependence &from);
  std::string visitByRule(mlir::Operation *op);
  std::string visitLinear(mlir::Operation *op, const nn::ShardingRule &rule);

  std::string noun;
  int64_t extent;
  Numbers numbers;
  bool isSure = false;
  llvm::DenseMap<mlir::Value, Dependence> dependences;
  /// Integers that increase by a fixed step from each element to the next,
  /// apart from values of the element itself: the index of an element's first
  /// row in a table of all rows.
  llvm::DenseMap<mlir::Value, int64_t> numbered;
  /// Values whose dependence is ambiguous, or that most likely are the same for
  /// all elements.
  llvm::DenseSet<mlir::Value> doubtful;
};

} // namespace pcc

#endif // PCC_PASSES_TRAINING_LOOPTRACKER_H
