//===- Accumulation.h - Gradient accumulation in place ----------*- C++ -*-===//
//
// A body that accumulates a gradient takes the old value as an argument and
// yields the new value into the same buffer:
//
//     pipe.body @b (..., %dw: T) -> (T into 7) {
//       %a = nn.sum %dw, %x      adds to the buffer of %dw
//       %b = nn.sum %a, %y       again
//       pipe.yield %b
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ACCUMULATION_H
#define PCC_PASSES_CODEGEN_KERNELS_ACCUMULATION_H

#include "dialects/NN/NN.h"
#include <optional>

namespace pcc::codegen {

/// The number of the argument whose buffer a value of a body accumulates into.
/// The value is the argument itself, which has no other use, an intermediate
/// sum, or the yielded result.
std::optional<unsigned> accumulationTarget(mlir::Value value);

/// Whether a sum accumulates into an argument: its first operand, or that of
/// the sums that compute its first operand.
bool isAccumulation(nn::SumOp sum);

/// The GEMM behind a value, through reshapes, or the reduce_scatter that
/// computes it, if the value has no other use: the library can add its result
/// in place. Null if there is none.
mlir::Operation *findAdding(mlir::Value value);

/// The GEMM or reduce_scatter that adds its result to the first operand's
/// buffer of an op, if the op is a sum that --rt-split-accumulate created for
/// it; else null.
mlir::Operation *getAdding(mlir::Operation *op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ACCUMULATION_H
