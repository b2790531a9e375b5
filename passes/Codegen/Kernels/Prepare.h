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
/// of rows by ids is made in the order of these; sums of vectors of one shape
/// that are added up become the sum of their elements' sums.
void prepareBlock(mlir::Block &block, int64_t partialSums = 0);

/// On a sum of rows by ids: equal ids stand side by side. On another op: it
/// says which rows these are, so that each kernel that adds some has it.
inline constexpr llvm::StringLiteral kSortedAttr = "rt.sorted";

/// On such a sum, i64: rows are in groups of so many. Its ids are those of
/// `nn.where`: no row of the table for rows whose key, by which they are in
/// order, is that of the last row of the group before, and for all others
/// their key.
inline constexpr llvm::StringLiteral kGroupAttr = "rt.group";

/// And on one whose table has a row for each group: the group's number for
/// those and no row for all others.
inline constexpr llvm::StringLiteral kGroupSumsAttr = "rt.group_sums";

/// Whether an op says which rows are added up in an order. It names only rows
/// that there are.
bool isOrder(mlir::Operation *op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_PREPARE_H
