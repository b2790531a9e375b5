//===- Partition.h - What an op may ask when it is made local ---*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_PARTITION_H
#define PCC_DIALECTS_NN_PARTITION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

namespace pcc::nn {

/// The partitioner as an op sees it while it builds its local form. Factors
/// are those of the op's ShardingRule.
class PartitionContext {
public:
  virtual ~PartitionContext() = default;
  /// The op's operands on this rank.
  virtual mlir::ValueRange getOperands() const = 0;
  /// The local types of the op's results.
  virtual mlir::TypeRange getResultTypes() const = 0;
  virtual bool isSharded(int factor) const = 0;
  /// A rank-0 i64 tensor: where this rank's part of a factor starts.
  virtual mlir::Value getOffset(mlir::OpBuilder &builder, int factor) = 0;
  enum class Reduction { Sum, Max };
  /// Reduces over the ranks among which the factor is sharded.
  virtual mlir::Value allReduce(mlir::OpBuilder &builder, mlir::Value value,
                                int factor, Reduction reduction) = 0;
};

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_PARTITION_H
