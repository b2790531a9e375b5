//===- Group.h - Which ops of a block are one kernel ------------*- C++ -*-===//
//
// Every op that is neither a product of the library nor a collective must be in
// a kernel, and each kernel reads its arguments from memory and writes its
// results there. So as many ops as possible shall be one:
//
//     %h = nn.contract ...                  the library's
//     %b = nn.broadcast %bias               a view: no work of its own
//     %s = nn.sum %h, %b                 |
//     %g = nn.gelu %s                    | one kernel of %h and %bias
//     %d = nn.dropout %g                 |
//     %y = nn.contract ... %d               the library's
//
// Ops are joined where one row program can compute all of them (RowProgram.h),
// and where nothing that must run between two of them is outside the group.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_GROUP_H
#define PCC_PASSES_CODEGEN_KERNELS_GROUP_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::codegen {

/// Whether an op must be in a kernel: an nn op that computes and is neither a
/// contraction, nor the sum that adds a product in place, nor cleared, nor says
/// where the library makes something. Aliases may also stay outside.
bool isKernelOp(mlir::Operation *op);

/// Whether an op is a zero that a body only gives: no kernel computes it, the
/// memory is cleared.
bool isCleared(mlir::Operation *op);

/// Ops whose result is a part of their operand's memory, perhaps with strides:
/// what is no kernel may use it there.
bool isAlias(mlir::Operation *op);

/// Ops without work of their own, but for widening what is read half as wide;
/// each kernel that needs one has a copy.
bool isView(mlir::Operation *op);

/// Ops of one block that become one kernel.
struct Group {
  /// In block order, views included.
  llvm::SetVector<mlir::Operation *> ops;
  /// What the ops read of other ops, in the order they do.
  llvm::SetVector<mlir::Value> arguments;
  /// What other ops read of these, in block order.
  llvm::SmallVector<mlir::Value> results;
};

/// A partition of a block's kernel ops, and the order in which the groups and
/// the other ops can run.
struct Grouping {
  /// In the order in which they run.
  llvm::SmallVector<Group> groups;
  /// Indices into `groups`, or other ops (index -1), terminator excluded.
  llvm::SmallVector<std::pair<mlir::Operation *, int>> order;
};

/// Groups greedily: every op joins the groups that make its operands where one
/// row program can do both and no other op must run in between. Fails with a
/// diagnostic where an op has no form in a kernel. `isForDevice`: a kernel of
/// one row is many blocks', not one thread's.
mlir::FailureOr<Grouping> groupBlock(mlir::Block &block, bool isForDevice);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_GROUP_H
