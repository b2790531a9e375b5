//===- Stack.h - Values that are made side by side --------------*- C++ -*-===//
//
// Where one product makes q, k and v, its gradient needs dq, dk and dv side by
// side:
//
//     %dq, %dk, %dv = nn.attention_grad ...        by the library
//     %0 = nn.insert %dq dim 2 index 0
//     %1 = nn.insert %dk dim 2 index 1
//     %2 = nn.insert %dv dim 2 index 2
//     %all = nn.sum %0, %1, %2
//
// The library writes rows at any stride, so each is made where it belongs in
// %all, and nobody copies it there.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_STACK_H
#define PCC_PASSES_CODEGEN_KERNELS_STACK_H

#include "dialects/NN/NN.h"

namespace pcc::codegen {

/// The op that puts a result of the library at an index of a dim beside others
/// that it makes, each index once; null: none does.
nn::InsertOp findPlaceInStack(mlir::Value part);

/// Whether an op only says where a result of the library is made: such an
/// insert, or their sum.
bool isOfStack(mlir::Operation *op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_STACK_H
