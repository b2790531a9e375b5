//===- Partition.h - The partitioner's interface to ops ---------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_PARTITION_H
#define PCC_DIALECTS_NN_PARTITION_H

#include "dialects/NN/ShardingRule.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace pcc::nn {

/// The interface that an op uses to build its partitioned form. A dim is given
/// by its factors in the op's ShardingRule, major to minor.
class PartitionContext {
public:
  virtual ~PartitionContext() = default;
  /// The op's operands on this rank.
  virtual mlir::ValueRange getOperands() const = 0;
  /// The local types of the op's results.
  virtual mlir::TypeRange getResultTypes() const = 0;
  /// The op's sharding rule, on global extents.
  virtual const ShardingRule &getRule() const = 0;
  /// Whether the dim is sharded over any axis.
  virtual bool isSharded(llvm::ArrayRef<int> dim) const = 0;
  /// Builds a rank-0 i64 tensor: the offset of this rank's shard in a dim.
  virtual mlir::Value getOffset(mlir::OpBuilder &builder,
                                llvm::ArrayRef<int> dim) = 0;
  /// The reduction of allReduce().
  enum class Reduction { Sum, Max };
  /// Reduces a value over the ranks that `dim` is sharded over. `dims` are the
  /// factors of the value's dims; a dim without factors is not sharded.
  virtual mlir::Value allReduce(mlir::OpBuilder &builder, mlir::Value value,
                                const ValueFactors &dims,
                                llvm::ArrayRef<int> dim,
                                Reduction reduction) = 0;
};

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_PARTITION_H
