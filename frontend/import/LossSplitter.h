//===- LossSplitter.h - The terms of a loss ---------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_IMPORT_LOSSSPLITTER_H
#define PCC_FRONTEND_IMPORT_LOSSSPLITTER_H

#include "dialects/NN/NN.h"
#include "frontend/import/NumberVectors.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace pcc::frontend {

/// A term of a loss: factor * sum * (product of `times`) / (product of `over`),
/// with `steadyTimes` and `steadyOver` likewise.
struct Term {
  /// A value of one element; with `isReduced`, a value whose elements are
  /// added.
  mlir::Value sum;
  /// The product of the constant factors.
  double factor = 1;
  /// Values of one element that depend on samples but on no trained parameter.
  llvm::SmallVector<mlir::Value, 2> over, times;
  /// Values of one element that do not depend on samples: parameters, and
  /// inputs that are the same for all samples.
  llvm::SmallVector<mlir::Value, 2> steadyOver, steadyTimes;
  /// Whether `sum` is still to be reduced: factors were taken out of a
  /// reduction's operand.
  bool isReduced = false;

  /// The part of `factor` that is numbers in the model's text. The rest are the
  /// 1/n of means and the signs of differences.
  double written = 1;
  /// The op with such a number; null if there is none.
  mlir::Operation *writtenBy = nullptr;
  /// The reductions whose means are factors of the term, and those in divisors.
  llvm::SmallVector<nn::ReduceOp, 2> means, meansOver;
};

/// Splits a loss into terms, starting from its end. It undoes sums, differences
/// and constant factors, and factors and divisors that depend only on the
/// inputs or on no sample.
class LossSplitter {
public:
  /// `perSample`: values of a batch of one that belong to one sample, though
  /// they have one element.
  explicit LossSplitter(mlir::Value loss,
                        const llvm::DenseSet<mlir::Value> &perSample = {});

  /// The terms, which add up to the loss.
  std::vector<Term> terms;
  /// The ops between the terms and the loss.
  llvm::SmallPtrSet<mlir::Operation *, 16> tail;

private:
  void split(Term term);
  /// Continues with one operand of a product or quotient, and takes the other
  /// out as a factor.
  bool splitProduct(const Term &term, mlir::Operation *op);
  /// The same for products by element within a reduction.
  bool splitElements(const Term &term, mlir::Operation *op);
  /// Continues with each element of a vector of numbers that is added up.
  bool splitVector(const Term &term, mlir::Operation *op);
  /// Multiplies or divides the term by `by`, all of whose elements are one
  /// number. False if it is not such a value.
  bool take(Term &term, mlir::Value by, bool divides);
  bool takeNumber(Term &term, mlir::Value number, bool divides,
                  llvm::SmallVectorImpl<mlir::Operation *> &passed);
  /// Continues with `value`, an operand of `op`, multiplied by `factor`.
  void go(const Term &term, mlir::Operation *op, mlir::Value value,
          double factor = 1);
  /// The number that all elements of a value are copies of; null if there is
  /// none.
  mlir::Value singleOf(mlir::Value value) const;

  llvm::DenseSet<mlir::Value> perSample;
  NumberVectors vectors;
};

/// The constant that all elements are, if it depends on no trained parameter.
std::optional<double> constantOf(mlir::Value value);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_LOSSSPLITTER_H
