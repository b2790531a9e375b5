//===- Prepare.h - Rewrites before kernels are formed -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_PREPARE_H
#define PCC_PASSES_CODEGEN_KERNELS_PREPARE_H

#include "mlir/IR/Block.h"

namespace pcc::codegen {

/// Brings a block into the form that grouping expects:
/// - a sum over dims that are neither leading nor trailing, or over very many
///   elements, is one sum along rows followed by others, so that its order is
///   fixed and its first part has many units;
/// - an accumulation of a sum with a contraction or a scatter among its terms
///   is one accumulation per term: both add to the state in place;
/// - any other accumulation of what no contraction makes is a read, a sum and
///   a write.
void prepareBlock(mlir::Block &block);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_PREPARE_H
