//===- Activations.h - What a stage must get from another -------*- C++ -*-===//

#ifndef PCC_ANALYSIS_ACTIVATIONS_H
#define PCC_ANALYSIS_ACTIVATIONS_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"

namespace pcc {

/// The ops of a function whose results depend on a parameter and on an input:
/// activations and gradients. All others (masks, tables, a bias made as wide as
/// what it is added to) are cheap to compute wherever they are needed.
llvm::DenseSet<mlir::Operation *> findActivations(mlir::Block &block);

/// The bytes of a tensor.
int64_t bytesOf(mlir::Value value);

} // namespace pcc

#endif // PCC_ANALYSIS_ACTIVATIONS_H
