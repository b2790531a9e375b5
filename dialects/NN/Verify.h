//===- Verify.h - Helpers of the verifiers of nn ops ------------*- C++ -*-===//
//
// Each helper emits an error on the op and fails if its condition does not
// hold.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_VERIFY_H
#define PCC_DIALECTS_NN_VERIFY_H

#include "dialects/NN/NN.h"

namespace pcc::nn {

/// The extents of a value's dims.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return tensorType(value).getShape();
}

/// Checks that the value has the expected type.
mlir::LogicalResult verifyType(mlir::Operation *op, mlir::Value value,
                               mlir::RankedTensorType expected);

/// Checks that the value, called `what` in the error, has rank 0 or is null.
mlir::LogicalResult verifyScalar(mlir::Operation *op, mlir::Value value,
                                 llvm::StringRef what);

/// With `rows` of [rows..., c]: checks that each non-null value of `perColumn`
/// is [c] and each value of `perRow` is [rows...].
mlir::LogicalResult verifyRows(mlir::Operation *op, mlir::Value rows,
                               mlir::ValueRange perColumn,
                               mlir::ValueRange perRow);

/// Checks that there is one target per row of the logits.
mlir::LogicalResult verifyTargets(mlir::Operation *op, mlir::Value logits,
                                  mlir::Value targets);

/// Checks that there is at least one class, and not more than columns.
mlir::LogicalResult verifyClasses(mlir::Operation *op, int64_t classes,
                                  int64_t columns);

/// Checks attention's operands for dropout, for `batch` samples.
template <typename Op>
mlir::LogicalResult verifyDropout(Op op, int64_t batch) {
  double p = op.getP().convertToDouble();
  if (!(p >= 0 && p < 1))
    return op.emitOpError()
           << "drops with probability " << p << ", not in [0, 1)";
  if (p > 0 && !(op.getSamples() && op.getSeed() && op.getStep()))
    return op.emitOpError("needs samples, seed and step to drop out");
  if (op.getSamples() && shapeOf(op.getSamples()) != llvm::ArrayRef(batch))
    return op.emitOpError("needs one sample per batch row");
  for (auto [value, what] :
       {std::pair(op.getSeed(), "seed"), std::pair(op.getStep(), "step"),
        std::pair(op.getHeadOrigin(), "head_origin")})
    if (failed(verifyScalar(op, value, what)))
      return mlir::failure();
  return mlir::success();
}

/// Checks that attention has the rows' highest scores `max` (null: none), with
/// the type of `lse`, if and only if it has a bias.
mlir::LogicalResult verifyMax(mlir::Operation *op, mlir::Value bias,
                              mlir::Value lse, mlir::Value max);

/// Checks the mask of an attention by positions.
template <typename Op>
mlir::LogicalResult verifyMask(Op op) {
  for (auto [value, name] : {std::pair(op.getWindow(), "window"),
                             std::pair(op.getChunk(), "chunk")}) {
    int64_t size = static_cast<int64_t>(value);
    if (size < 0)
      return op.emitOpError() << "has a " << name << " of " << size;
    if (size && !op.getCausal())
      return op.emitOpError() << "has a " << name << " without a causal mask";
  }
  return mlir::success();
}

/// Checks that the documents' starts of an attention are [b, s] and belong to a
/// causal mask, or are null.
mlir::LogicalResult verifyStarts(mlir::Operation *op, mlir::Value starts,
                                 bool isCausal,
                                 llvm::ArrayRef<int64_t> queries);

/// Checks that the soft cap of scores is a finite number from 0 on.
template <typename Op>
mlir::LogicalResult verifySoftcap(Op op) {
  llvm::APFloat cap = op.getSoftcap();
  if (!cap.isFinite() || (cap.isNegative() && !cap.isZero()))
    return op.emitOpError() << "has a soft cap of " << cap.convertToDouble();
  return mlir::success();
}

/// Checks that the sinks of an attention are one score per head, or null.
mlir::LogicalResult verifySinks(mlir::Operation *op, mlir::Value sinks,
                                int64_t heads);

/// Checks that the bias of an attention fits scores of [b, h, s, t] or is null.
mlir::LogicalResult verifyBias(mlir::Operation *op, mlir::Value bias,
                               llvm::ArrayRef<int64_t> scores);

/// Checks what attention and its gradient share: q, k, v, positions, the mask,
/// the soft cap, bias, and the operands for dropout.
template <typename Op>
mlir::LogicalResult verifyAttention(Op op) {
  auto q = shapeOf(op.getQ()), k = shapeOf(op.getK()), v = shapeOf(op.getV());
  if (q.size() != 4 || k.size() != 4 || v.size() != 4)
    return op.emitOpError("needs q, k, v of [batch, sequence, head, dim]");
  if (q[0] != k[0] || k.take_front(3) != v.take_front(3) || q[3] != k[3])
    return op.emitOpError("shapes of q, k and v do not match");
  if (q[2] % k[2])
    return op.emitOpError() << q[2] << " query heads are not a multiple of "
                            << k[2] << " key heads";
  if (shapeOf(op.getQPos()) != q.slice(1, 1) ||
      shapeOf(op.getKPos()) != k.slice(1, 1))
    return op.emitOpError("needs one position per sequence element");
  if (failed(verifyMask(op)) || failed(verifySoftcap(op)) ||
      failed(
          verifyStarts(op, op.getStarts(), op.getCausal(), q.take_front(2))) ||
      failed(verifyBias(op, op.getBias(), {q[0], q[2], q[1], k[1]})))
    return mlir::failure();
  return verifyDropout(op, q[0]);
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_VERIFY_H
