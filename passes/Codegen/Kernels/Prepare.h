//===- Prepare.h - Rewrites before kernels are formed -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_PREPARE_H
#define PCC_PASSES_CODEGEN_KERNELS_PREPARE_H

#include "dialects/NN/NN.h"

namespace pcc::codegen {

/// Brings a block into the form that grouping expects: a sum over dims that are
/// neither leading nor trailing, or over very many elements, is one sum along
/// rows followed by others, so that its order is fixed and its first part has
/// many units. A sum over leading dims is divided so that its first part makes
/// at least `partialSums` sums, as far as each is of some tens of rows; a sum
/// of rows by ids is made in the order of these.
void prepareBlock(mlir::Block &block, int64_t partialSums = 0);

/// On a sum of rows by ids: equal ids stand side by side.
inline constexpr llvm::StringLiteral kSortedAttr = "rt.sorted";

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_PREPARE_H
