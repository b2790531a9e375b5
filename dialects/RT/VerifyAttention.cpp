//===- VerifyAttention.cpp - Verifiers of the library's attention ---------===//

#include "dialects/RT/RT.h"

using namespace mlir;
using namespace pcc::rt;

namespace {

/// Checks shared by the forward and the backward call.
class AttentionChecker {
public:
  template <typename Op>
  explicit AttentionChecker(Op op)
      : op(op), q(typeOf(op.getQ())), k(typeOf(op.getK())),
        v(typeOf(op.getV())), result(typeOf(op.getResult())),
        stats(typeOf(op.getStats())) {}

  LogicalResult check() {
    if (!q.getElementType().isBF16() && !q.getElementType().isF16())
      return op->emitOpError() << "needs elements of bf16 or f16, has " << q;
    if (q.getRank() != 4 || k.getRank() != 4 ||
        q.getDimSize(0) != k.getDimSize(0) ||
        q.getDimSize(3) != k.getDimSize(3) || q.getDimSize(2) % k.getDimSize(2))
      return op->emitOpError()
             << "needs q of [b, s, h, d] and k of [b, t, g, d], h a multiple "
                "of g; has "
             << q << " and " << k;
    if (failed(checkLike(v, k, "v", "k")) ||
        failed(checkLike(result, q, "the result", "q")))
      return failure();
    for (MemRefType type : {q, k, v})
      if (failed(checkRows(type)))
        return failure();
    if (!isContiguous(result))
      return op->emitOpError() << "needs a contiguous result, has " << result;
    int64_t rows = q.getDimSize(1), heads = q.getDimSize(2);
    SmallVector<int64_t> byHeads = {heads * rows, 1, rows};
    if (!stats.getElementType().isF32() ||
        stats.getShape() != q.getShape().drop_back() ||
        getStrides(stats) != byHeads)
      return op->emitOpError()
             << "needs stats of f32, [b, s, h], stored as [b, h, s]; has "
             << stats;
    return success();
  }
  /// Checks the cotangent of an operand of type `of`.
  LogicalResult checkCotangent(Value buffer, MemRefType of, StringRef name,
                               StringRef as) {
    MemRefType type = typeOf(buffer);
    if (failed(checkLike(type, of, name, as)))
      return failure();
    return checkRows(type);
  }
  /// Checks the cotangent of the result, which is of type `of`.
  LogicalResult checkDense(Value buffer, MemRefType of, StringRef name,
                           StringRef as) {
    MemRefType type = typeOf(buffer);
    if (failed(checkLike(type, of, name, as)))
      return failure();
    if (isContiguous(type))
      return success();
    return op->emitOpError()
           << "needs " << name << " to be contiguous, has " << type;
  }

  static MemRefType typeOf(Value buffer) {
    return cast<MemRefType>(buffer.getType());
  }

  Operation *op;
  MemRefType q, k, v, result, stats;

private:
  LogicalResult checkRows(MemRefType type) {
    if (hasAlignedRows(type))
      return success();
    return op->emitOpError()
           << "needs contiguous rows at multiples of 16 bytes, has " << type;
  }
  LogicalResult checkLike(MemRefType type, MemRefType other, StringRef name,
                          StringRef as) {
    if (type.getShape() == other.getShape() &&
        type.getElementType() == other.getElementType())
      return success();
    return op->emitOpError()
           << "needs " << name << " to have the shape and element type of "
           << as << ", " << other << "; has " << type;
  }
};

} // namespace

LogicalResult AttentionOp::verify() { return AttentionChecker(*this).check(); }

LogicalResult AttentionGradOp::verify() {
  AttentionChecker checker(*this);
  if (failed(checker.check()) ||
      failed(checker.checkDense(getDResult(), checker.q, "d_result", "q")) ||
      failed(checker.checkCotangent(getDq(), checker.q, "dq", "q")) ||
      failed(checker.checkCotangent(getDk(), checker.k, "dk", "k")) ||
      failed(checker.checkCotangent(getDv(), checker.k, "dv", "k")))
    return failure();
  if (!checker.typeOf(getWorkspace()).getElementType().isInteger(8))
    return emitOpError() << "needs a workspace of i8, has "
                         << getWorkspace().getType();
  int64_t samples = getSamples();
  if (samples < 1 || checker.q.getDimSize(0) % samples)
    return emitOpError() << "processes " << samples
                         << " samples at a time, which does not divide "
                         << checker.q.getDimSize(0);
  int64_t all = checker.k.getDimSize(2), group = getKeyHeadGroup();
  if (group < 1 || all % group)
    return emitOpError() << "processes " << group
                         << " key heads at a time, which does not divide "
                         << all;
  if (group != all && samples != 1)
    return emitOpError() << "processes " << group << " of " << all
                         << " key heads at a time, so it must process 1 sample "
                            "at a time, not "
                         << samples << " samples";
  int64_t rows =
      samples * checker.q.getDimSize(1) * checker.q.getDimSize(2) / all * group;
  bool isAll = samples == checker.q.getDimSize(0) && group == all;
  if (isAll || rows % 4 == 0)
    return success();
  InFlightDiagnostic diag = emitOpError() << "processes ";
  if (group == all)
    diag << samples << " samples";
  else
    diag << group << " key heads";
  return diag << " at a time, whose " << rows
              << " stats are not a multiple of 16 bytes";
}
