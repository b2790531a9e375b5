//===- Stack.h - Stacked gradients of attention -----------------*- C++ -*-===//
//
// If one GEMM computes q, k and v, its gradient needs dq, dk and dv in one
// tensor:
//
//     %dq, %dk, %dv = nn.attention_grad ...
//     %0 = nn.insert %dq dim 2 index 0
//     %1 = nn.insert %dk dim 2 index 1
//     %2 = nn.insert %dv dim 2 index 2
//     %all = nn.sum %0, %1, %2
//
// The library and the tile kernels write rows at any stride, so each gradient
// is written to its part of %all, without a copy.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_STACK_H
#define PCC_PASSES_CODEGEN_KERNELS_STACK_H

#include "passes/Codegen/Kernels/Attention/Operands.h"

namespace pcc::codegen {

/// The attention whose results an op stacks. The op is an insert of such a
/// result along a dim, or the sum of such inserts with each index once. Else
/// null.
mlir::Operation *findStacked(mlir::Operation *op);

/// The memory that a value is written to: its part of a stack, or its own.
Strided findDestination(mlir::Value part);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_STACK_H
