//===- NumberVectors.h - Vectors of losses ----------------------*- C++ -*-===//
//
// Modules stack the losses of their heads and weight them as one vector:
//
//   losses = stack([ce.mean(), mse.mean()])
//   loss = (exp(-s) * losses + s).sum()
//
// Each element of such a vector is computed from scalars of the whole batch.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_IMPORT_NUMBERVECTORS_H
#define PCC_FRONTEND_IMPORT_NUMBERVECTORS_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace pcc::frontend {

/// Whether `value` depends on an input that differs between samples.
bool dependsOnSamples(mlir::Value value);

/// Finds vectors of losses and extracts their elements.
class NumberVectors {
public:
  /// `perSample`: values of one element that belong to one sample. Both must
  /// outlive this. Ops that elementAt() looks through are added to `passed`.
  NumberVectors(const llvm::DenseSet<mlir::Value> &perSample,
                llvm::SmallPtrSetImpl<mlir::Operation *> &passed)
      : perSample(perSample), passed(passed) {}

  /// Whether `value` is one number for the whole batch.
  bool isNumber(mlir::Value value) const;
  /// Whether `value` has several elements, each computed from such numbers, and
  /// depends on samples.
  bool isVector(mlir::Value value) const;
  /// Element number `index`, in row-major order, of a vector, as a value of
  /// rank 0.
  mlir::Value elementAt(mlir::OpBuilder &builder, mlir::Value vector,
                        int64_t index);

private:
  enum class Kind {
    Steady,  ///< does not depend on samples
    Numbers, ///< computed from numbers of the whole batch
    Other,
  };
  Kind kindOf(mlir::Value value) const;

  const llvm::DenseSet<mlir::Value> &perSample;
  llvm::SmallPtrSetImpl<mlir::Operation *> &passed;
};

} // namespace pcc::frontend

#endif // PCC_FRONTEND_IMPORT_NUMBERVECTORS_H
