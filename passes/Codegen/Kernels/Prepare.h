//===- Prepare.h - Rewrites before kernels are formed -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_PREPARE_H
#define PCC_PASSES_CODEGEN_KERNELS_PREPARE_H

#include "dialects/NN/NN.h"

namespace pcc::codegen {

/// Rewrites a block into the form that grouping expects. A sum over trailing
/// and other dims, or of a whole tensor of very many elements, becomes a sum
/// along rows followed by others: its order is then fixed, and its first step
/// has many work items. The dims of a maximum, minimum or product become the
/// last ones. A choice of more than kMostChosen elements, or of f64, compares
/// all pairs. For devices (partialSums > 0), in addition:
///  - A sum over leading dims is split, so that its first step computes at
///    least `partialSums` sums, as far as each is of at least 32 rows.
///  - A sum of rows by ids is computed in the order of the ids.
///  - Full sums of tensors of one shape that are added up become one sum of the
///    elementwise sum.
void prepareBlock(mlir::Block &block, int64_t partialSums = 0);

/// The most elements that a row chooses one after another, and the most ids of
/// a row that are scalars of a kernel.
inline constexpr int64_t kMostChosen = 32;

/// On a sum of rows by ids: equal ids are adjacent. On another op: it is part
/// of the computation of the order of rows, and each kernel that sums them has
/// a copy.
inline constexpr llvm::StringLiteral kSortedAttr = "rt.sorted";

/// On a sorted sum, i64: the number of rows in a group. The ids are an
/// `nn.where`: no row of the table for a row whose key equals that of the last
/// row of the group before, else the row's key.
inline constexpr llvm::StringLiteral kGroupAttr = "rt.group";

/// On a grouped sum whose table has one row per group: the id is the group's
/// number for rows that continue the id of the group before, and no row for all
/// others.
inline constexpr llvm::StringLiteral kGroupSumsAttr = "rt.group_sums";

/// Whether an op is part of the computation of an order of rows. Its ids are
/// valid rows.
bool isOrder(mlir::Operation *op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_PREPARE_H
