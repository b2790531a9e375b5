//===- NumberVectors.h - Vectors of a loss's numbers ------------*- C++ -*-===//
//
// Modules stack the losses of their heads and weigh them as one vector:
//
//   losses = stack([ce.mean(), mse.mean()])
//   loss = (exp(-s) * losses + s).sum()
//
// Each element of such a vector is computed from numbers of the whole batch.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_IMPORT_NUMBERVECTORS_H
#define PCC_FRONTEND_IMPORT_NUMBERVECTORS_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace pcc::frontend {

/// Whether a sample has a part in `value`: it depends on an input that is not
/// the same for all samples.
bool dependsOnSamples(mlir::Value value);

/// Finds vectors of numbers, and takes them apart.
class NumberVectors {
public:
  /// `perSample`: values of one element that belong to one sample. Both must
  /// outlive this; ops that are taken apart are added to `passed`.
  NumberVectors(const llvm::DenseSet<mlir::Value> &perSample,
                llvm::SmallPtrSetImpl<mlir::Operation *> &passed)
      : perSample(perSample), passed(passed) {}

  /// Whether `value` is one number, of however many samples.
  bool isNumber(mlir::Value value) const;
  /// Whether `value` has a few elements, each computed from numbers, of which
  /// one is of samples.
  bool isVector(mlir::Value value) const;
  /// Element number `index`, row major, of a vector: a value of rank 0.
  mlir::Value elementAt(mlir::OpBuilder &builder, mlir::Value vector,
                        int64_t index);

private:
  /// What the elements of a value are.
  enum class Kind {
    Steady,  ///< the same for every batch
    Numbers, ///< computed from numbers of the whole batch
    Other,
  };
  Kind kindOf(mlir::Value value) const;

  const llvm::DenseSet<mlir::Value> &perSample;
  llvm::SmallPtrSetImpl<mlir::Operation *> &passed;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_NUMBERVECTORS_H
