//===- Accumulation.h - Sums that grow in an argument's place ---*- C++ -*-===//
//
// A body that adds to a gradient takes what it held and gives what it holds
// then, in the same place:
//
//     pipe.body @b (..., %dw: T) -> (T into 7) {
//       %a = nn.sum %dw, %x      adds in the place of %dw
//       %b = nn.sum %a, %y       again
//       pipe.yield %b
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_ACCUMULATION_H
#define PCC_PASSES_CODEGEN_KERNELS_ACCUMULATION_H

#include "dialects/NN/NN.h"
#include <optional>

namespace pcc::codegen {

/// The argument in whose place a value of a body is on its way: it is that
/// argument, which nothing else uses, a sum in between, or the result that goes
/// there.
std::optional<unsigned> placeOf(mlir::Value value);

/// Whether a sum adds to what an argument held, its first operand.
bool isAccumulation(nn::SumOp sum);

/// The product behind a value, through reshapes, or the reduce_scatter that
/// makes it, if only this use of the value needs that: the library can add what
/// it makes in place. Or null.
mlir::Operation *findAdding(mlir::Value value);

/// The product or reduce_scatter that adds what it makes where the first
/// operand of an op lies, if the op is a sum that --rt-split-accumulate made
/// for it; or null.
mlir::Operation *getAdding(mlir::Operation *op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_ACCUMULATION_H
