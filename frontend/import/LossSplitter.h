//===- LossSplitter.h - A loss in terms -------------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_LOSSSPLITTER_H
#define PCC_FRONTEND_IMPORT_LOSSSPLITTER_H

#include "dialects/NN/NN.h"
#include "frontend/import/NumberVectors.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace pcc::frontend {

/// factor * sum / (product of `over`) * (product of `times`), and likewise by
/// what is steady.
struct Term {
  /// The value that is summed, or a sum already, as `isReduced` says.
  mlir::Value sum;
  /// The product of all constant factors.
  double factor = 1;
  /// Values of one element, which follow from the inputs alone.
  llvm::SmallVector<mlir::Value, 2> over, times;
  /// Values of one element in which no sample has a part: parameters, and
  /// inputs that are the same for all samples.
  llvm::SmallVector<mlir::Value, 2> steadyOver, steadyTimes;
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

/// Takes a loss apart from its end: sums, differences and constant factors are
/// undone, and so are factors and divisors that depend on the inputs alone or
/// on no sample.
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
  /// Goes on with the operand that an op gives the term's sum from by a factor.
  bool splitProduct(const Term &term, mlir::Operation *op);
  /// The same where an element of what is added up is a product.
  bool splitElements(const Term &term, mlir::Operation *op);
  /// Goes on with each element of a vector of numbers that is added up.
  bool splitVector(const Term &term, mlir::Operation *op);
  /// Multiplies or divides by the number that `by` is one of, or many.
  bool take(Term &term, mlir::Value by, bool divides);
  bool takeNumber(Term &term, mlir::Value number, bool divides,
                  llvm::SmallVectorImpl<mlir::Operation *> &passed);
  /// Goes on behind `op` with what is left of its result.
  void go(const Term &term, mlir::Operation *op, mlir::Value value,
          double factor = 1);
  /// The number that a value is one of, or many: constant, or computed from the
  /// inputs alone. Null for none.
  mlir::Value singleOf(mlir::Value value) const;

  llvm::DenseSet<mlir::Value> perSample;
  NumberVectors vectors;
};

/// The number that all elements are, if no parameter has a part in it.
std::optional<double> constantOf(mlir::Value value);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_LOSSSPLITTER_H
