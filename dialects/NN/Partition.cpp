//===- Partition.cpp - Local forms of nn ops ------------------------------===//

#include "dialects/NN/NN.h"

using namespace mlir;
using namespace pcc::nn;

FailureOr<SmallVector<Value>> DropoutOp::buildLocal(OpBuilder &, PartitionContext &) { return failure(); }
FailureOr<SmallVector<Value>> AttentionOp::buildLocal(OpBuilder &, PartitionContext &) { return failure(); }
FailureOr<SmallVector<Value>> AttentionGradOp::buildLocal(OpBuilder &, PartitionContext &) { return failure(); }
FailureOr<SmallVector<Value>> EmbeddingOp::buildLocal(OpBuilder &, PartitionContext &) { return failure(); }
FailureOr<SmallVector<Value>> EmbeddingGradOp::buildLocal(OpBuilder &, PartitionContext &) { return failure(); }
FailureOr<SmallVector<Value>> CrossEntropyOp::buildLocal(OpBuilder &, PartitionContext &) { return failure(); }
FailureOr<SmallVector<Value>> CrossEntropyGradOp::buildLocal(OpBuilder &, PartitionContext &) { return failure(); }
