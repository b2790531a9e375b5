//===- Derivatives.cpp - Vector-Jacobian products of nn ops ---------------===//

#include "dialects/NN/NN.h"

using namespace mlir;
using namespace pcc::nn;

SmallVector<Value> ContractOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> SumOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> SubOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> MulOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> DivOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> MaxOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> MinOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> ExpOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> LogOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> SqrtOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> TanhOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> SigmoidOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> ReluOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> SiluOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> GeluOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> ScaleOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> CastOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> DropoutOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> ReshapeOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> TransposeOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> BroadcastOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> ReduceOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> SliceOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> PadOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> ConcatOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> SelectOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> InsertOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> SoftmaxOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> LayerNormOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> RmsNormOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> RopeOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> AttentionOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> EmbeddingOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
SmallVector<Value> CrossEntropyOp::buildVJP(OpBuilder &, ValueRange) { return {}; }
