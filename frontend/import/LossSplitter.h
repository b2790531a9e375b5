//===- LossSplitter.h - A loss in terms -------------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_LOSSSPLITTER_H
#define PCC_FRONTEND_IMPORT_LOSSSPLITTER_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace pcc::frontend {

/// factor * sum / (product of `over`) * (product of `times`).
struct Term {
  /// The value that is summed, or a sum already, as `isReduced` says.
  mlir::Value sum;
  /// The product of all constant factors.
  double factor = 1;
  /// Values of one element, which follow from the inputs alone.
  llvm::SmallVector<mlir::Value, 2> over, times;
  /// `sum` is to be added up: what a reduction is left of when factors are
  /// taken out of what it adds.
  bool isReduced = false;

  /// Of the factor, what the model's text has as a number; the rest is that
  /// means are sums by how many they are of.
  double written = 1;
  /// Where such a number stands, null for none.
  mlir::Operation *writtenBy = nullptr;
  /// The reductions whose mean is in the term, and in what it is divided by.
  llvm::SmallVector<nn::ReduceOp, 2> means, meansOver;
};

/// Takes a loss apart from its end: sums, differences, constant factors and
/// divisions by what depends on the inputs alone are undone.
class LossSplitter {
public:
  /// `perSample`: of a batch of one, what is no number for all samples though
  /// it has one element.
  explicit LossSplitter(mlir::Value loss,
                        const llvm::DenseSet<mlir::Value> &perSample = {});

  /// Their sum is the loss.
  std::vector<Term> terms;
  /// The ops between the terms and the loss.
  llvm::SmallPtrSet<mlir::Operation *, 16> tail;

private:
  void split(Term term);
  bool divide(Term &term, mlir::Value by);
  /// Whether a value is one number, of however many samples.
  bool isNumber(mlir::Value value) const;
  /// The number that a value is one of, or many: constant, or computed from the
  /// inputs alone. Null for none.
  mlir::Value singleOf(mlir::Value value) const;

  llvm::DenseSet<mlir::Value> perSample;
};

/// The number that all elements are, if no parameter has a part in it.
std::optional<double> constantOf(mlir::Value value);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_LOSSSPLITTER_H
