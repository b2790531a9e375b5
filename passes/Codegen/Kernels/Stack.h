//===- Stack.h - Values that are made side by side --------------*- C++ -*-===//
//
// Where one product makes q, k and v, its gradient needs dq, dk and dv side by
// side:
//
//     %dq, %dk, %dv = nn.attention_grad ...
//     %0 = nn.insert %dq dim 2 index 0
//     %1 = nn.insert %dk dim 2 index 1
//     %2 = nn.insert %dv dim 2 index 2
//     %all = nn.sum %0, %1, %2
//
// The library and kernels that are made of tiles write rows at any stride, so
// each is made where it belongs in %all, and nobody copies it there.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_STACK_H
#define PCC_PASSES_CODEGEN_KERNELS_STACK_H

#include "passes/Codegen/Kernels/Attention/Operands.h"

namespace pcc::codegen {

/// The attention whose results an op puts side by side: it is an insert that
/// has one at an index of a dim, each index once, or their sum. Null: it is
/// neither.
mlir::Operation *findStacked(mlir::Operation *op);

/// Where a value is made: in the stack that it is a part of, or by itself.
Strided findPlace(mlir::Value part);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_STACK_H
