//===- Collectives.h - Ops of several ranks ---------------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_COLLECTIVES_H
#define PCC_INTERPRETER_COLLECTIVES_H

#include "dialects/Dist/Collectives.h"
#include "interpreter/Grid.h"

namespace pcc::interp {

/// Runs a collective: operands[member] to results[member], where `ranks` are
/// the members and hold all peers of each of them. The results are not
/// rounded yet.
std::vector<llvm::SmallVector<Tensor>>
runCollective(mlir::Operation *op, const Grid &grid,
              llvm::ArrayRef<int64_t> ranks,
              llvm::ArrayRef<ValueList> operands);

/// Ops that depend on the rank but exchange nothing (shard_slice, offset):
/// the result, or nothing for another op.
std::optional<Tensor> runRankOp(mlir::Operation *op, const Grid &grid,
                                int64_t rank,
                                llvm::ArrayRef<TensorRef> operands);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_COLLECTIVES_H
