//===- Activations.h - Activations and gradients of a block -----*- C++ -*-===//

#ifndef PCC_ANALYSIS_ACTIVATIONS_H
#define PCC_ANALYSIS_ACTIVATIONS_H

#include "dialects/NN/NN.h"
#include "llvm/ADT/DenseSet.h"

namespace pcc {

/// The ops of a block whose results depend on a parameter or state and on an
/// input: activations and gradients, which a stage must receive from another.
/// All other ops (masks, tables, broadcast biases) are cheap to recompute on
/// each stage that needs them.
llvm::DenseSet<mlir::Operation *> findActivations(mlir::Block &block);

/// The size of a tensor in bytes.
int64_t bytesOf(mlir::Value value);

} // namespace pcc

#endif // PCC_ANALYSIS_ACTIVATIONS_H
