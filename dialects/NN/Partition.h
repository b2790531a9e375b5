//===- Partition.h - What an op may ask when it is made local ---*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_PARTITION_H
#define PCC_DIALECTS_NN_PARTITION_H

#include "dialects/NN/ShardingRule.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace pcc::nn {

/// The partitioner as an op sees it while it builds its local form. A dim is
/// given by its factors in the op's ShardingRule, major to minor.
class PartitionContext {
public:
  virtual ~PartitionContext() = default;
  /// The op's operands on this rank.
  virtual mlir::ValueRange getOperands() const = 0;
  /// The local types of the op's results.
  virtual mlir::TypeRange getResultTypes() const = 0;
  /// The op's rule, on global extents.
  virtual const ShardingRule &getRule() const = 0;
  /// Whether some axis splits the dim.
  virtual bool isSharded(llvm::ArrayRef<int> dim) const = 0;
  /// A rank-0 i64 tensor: where this rank's part of a dim starts.
  virtual mlir::Value getOffset(mlir::OpBuilder &builder,
                                llvm::ArrayRef<int> dim) = 0;
  /// How allReduce() combines the ranks' elements.
  enum class Reduction { Sum, Max };
  /// Reduces over the ranks among which `dim` is sharded a value whose own
  /// dims are `dims`; one without factors is whole.
  virtual mlir::Value allReduce(mlir::OpBuilder &builder, mlir::Value value,
                                const ValueFactors &dims,
                                llvm::ArrayRef<int> dim,
                                Reduction reduction) = 0;
};

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_PARTITION_H
