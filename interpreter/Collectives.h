//===- Collectives.h - Collectives on tensors -------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_COLLECTIVES_H
#define PCC_INTERPRETER_COLLECTIVES_H

#include "dialects/Dist/Collectives.h"
#include "interpreter/Grid.h"

namespace pcc::interp {

/// Computes a collective: operands[member] to results[member]. `ranks` are the
/// members, which include all peers of each of them. The results are not
/// rounded yet.
std::vector<llvm::SmallVector<Tensor>>
runCollective(mlir::Operation *op, const Grid &grid,
              llvm::ArrayRef<int64_t> ranks,
              llvm::ArrayRef<ValueList> operands);

/// Computes an op that depends on the rank without communication (shard_slice,
/// offset). Returns nothing for other ops.
std::optional<Tensor> runRankOp(mlir::Operation *op, const Grid &grid,
                                int64_t rank,
                                llvm::ArrayRef<TensorRef> operands);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_COLLECTIVES_H
