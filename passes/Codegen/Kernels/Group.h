//===- Group.h - Grouping ops into kernels ----------------------*- C++ -*-===//
//
// Every op that is neither a GEMM nor a collective must be in a kernel, and
// each kernel reads its arguments from memory and writes its results there. So
// a kernel should contain as many ops as possible:
//
//     %h = nn.contract ...                  GEMM
//     %b = nn.broadcast %bias               a view: no work of its own
//     %s = nn.sum %h, %b                 |
//     %g = nn.gelu %s                    | one kernel of %h and %bias
//     %d = nn.dropout %g                 |
//     %y = nn.contract ... %d               GEMM
//
// Ops are fused if one row program can compute all of them (RowProgram.h) and
// no op outside the group must run between two of them.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_GROUP_H
#define PCC_PASSES_CODEGEN_KERNELS_GROUP_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace pcc::codegen {

/// Whether an op must be in a kernel: an nn op with results. Excluded are
/// contractions, attention that the library computes, sums that a GEMM or
/// reduce_scatter adds in place, zeros that are only yielded (isCleared), and
/// the inserts and sums that stack attention gradients of the library. Aliases
/// may also stay outside.
bool isKernelOp(mlir::Operation *op);

/// Whether an op is a zero that a body only yields: the buffer is cleared,
/// without a kernel.
bool isCleared(mlir::Operation *op);

/// Ops whose result is part of their operand's memory, possibly strided. Ops
/// outside kernels may read it there.
bool isAlias(mlir::Operation *op);

/// Ops of which each kernel that reads the result has a copy: aliases,
/// constants and broadcasts, which do no work; casts of bf16/fp16 to f32;
/// random bits for rounding, which would take more memory than rounding saves;
/// and the computation of an order of rows (isOrder).
bool isView(mlir::Operation *op);

/// Ops of one block that become one kernel.
struct Group {
  /// In block order, views included.
  llvm::SetVector<mlir::Operation *> ops;
  /// Values of other ops that the group reads, in order of first use.
  llvm::SetVector<mlir::Value> arguments;
  /// Values of the group that other ops read, in block order.
  llvm::SmallVector<mlir::Value> results;
};

/// A partition of a block's kernel ops into groups, and an execution order of
/// the groups and the other ops.
struct Grouping {
  /// In execution order.
  llvm::SmallVector<Group> groups;
  /// Indices into `groups`, or other ops (index -1), terminator excluded.
  llvm::SmallVector<std::pair<mlir::Operation *, int>> order;
};

/// Forms groups greedily: every op joins the groups of its operands' producers
/// if one row program can compute both and no other op must run in between.
/// Fails with a diagnostic if an op has no expression in a kernel.
/// `isForDevice`: a kernel of one row runs on many blocks, not on one thread.
mlir::FailureOr<Grouping> groupBlock(mlir::Block &block, bool isForDevice);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_GROUP_H
