//===- Contraction.cpp - Matrix products ----------------------------------===//

#include "frontend/binding/Arithmetic.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// Labels of batch dims.
static constexpr StringLiteral kLabels = "abcdefghij";

/// Numpy's matmul: the last two dims are matrices, the others broadcast.
static FailureOr<Value> multiply(Binder &b, Value left, Value right) {
  Shape l(tensorType(left).getShape()), r(tensorType(right).getShape());
  if (l.empty() || r.empty())
    return b.error() << "takes tensors of at least one dim";
  // A vector is a matrix with a dim of 1 that disappears.
  bool rowVector = l.size() == 1, columnVector = r.size() == 1;
  int64_t k = l.back(), rk = columnVector ? r[0] : r[r.size() - 2];
  if (k != rk)
    return b.error() << "contracts a dim of " << k << " with one of " << rk
                     << " elements";
  Shape lBatch(l.begin(), l.end() - (rowVector ? 1 : 2));
  Shape rBatch(r.begin(), r.end() - (columnVector ? 1 : 2));
  auto batch = broadcastShapes({lBatch, rBatch});
  if (!batch || batch->size() > kLabels.size())
    return b.error() << "the shapes of its operands do not fit";

  // Batch dims that one operand lacks are not broadcast: their label occurs in
  // the other operand and the result only.
  Shape shape = *batch;
  std::string labels = kLabels.take_front(batch->size()).str();
  auto operand = [&](Value value, const Shape &own, StringRef tail) {
    ArrayRef<int64_t> full = tensorType(value).getShape();
    Shape kept;
    std::string mine;
    size_t lead = batch->size() - own.size();
    for (auto [d, extent] : llvm::enumerate(own))
      if (extent == (*batch)[lead + d]) {
        mine.push_back(labels[lead + d]);
        kept.push_back(extent);
      }
    llvm::append_range(kept, full.drop_front(own.size()));
    return std::pair(b.reshape(value, kept), mine + tail.str());
  };
  auto [lhs, lLabels] = operand(left, lBatch, rowVector ? "k" : "mk");
  auto [rhs, rLabels] = operand(right, rBatch, columnVector ? "k" : "kn");
  std::string out = labels;
  if (!rowVector) {
    out += "m";
    shape.push_back(l[l.size() - 2]);
  }
  if (!columnVector) {
    out += "n";
    shape.push_back(r.back());
  }
  return b.contract(lLabels + "," + rLabels + "->" + out, lhs, rhs, shape);
}

static LogicalResult buildMatMul(Binder &b) {
  if (b.element(0).isInteger(1) || b.element(0) != b.element(1))
    return b.error() << "takes numbers of one type";
  Arithmetic a(b);
  // Integers are multiplied and added as f64, which is exact up to 2^53.
  auto operand = [&](unsigned i) {
    return isa<FloatType>(b.element(0))
               ? b.value(i)
               : a.cast(b.value(i), b.builder.getF64Type());
  };
  FailureOr<Value> product = multiply(b, operand(0), operand(1));
  if (failed(product))
    return failure();
  b.set(0, a.cast(*product, b.element(0)));
  return success();
}

/// ONNX Runtime's matmul with operators that its optimizer fused into it: a
/// scale factor, and for each operand a transposition of its last two dims.
/// With transBatchA or transBatchB, the first dim first moves before the last
/// one.
static LogicalResult buildFusedMatMul(Binder &b) {
  auto operand = [&](unsigned i, StringRef swap, StringRef swapBatch) {
    Value value = b.value(i);
    int64_t rank = b.rank(i);
    if (rank < 2)
      return value;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    if (b.intAttr(swapBatch, 0))
      std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
    if (b.intAttr(swap, 0))
      std::swap(order[rank - 2], order[rank - 1]);
    return llvm::is_sorted(order) ? value : b.transpose(value, order);
  };
  if (!isa<FloatType>(b.element(0)) || b.element(0) != b.element(1))
    return b.error() << "takes floats of one type";
  FailureOr<Value> product = multiply(b, operand(0, "transA", "transBatchA"),
                                      operand(1, "transB", "transBatchB"));
  if (failed(product))
    return failure();
  b.set(0, b.scale(*product, b.floatAttr("alpha", 1.0)));
  return success();
}

static LogicalResult buildGemm(Binder &b) {
  if (b.rank(0) != 2 || b.rank(1) != 2 || !isa<FloatType>(b.element(0)))
    return b.error() << "takes matrices of floats";
  bool transA = b.intAttr("transA", 0), transB = b.intAttr("transB", 0);
  Shape l = b.shape(0), r = b.shape(1);
  int64_t m = l[transA], n = r[!transB];
  if (l[!transA] != r[transB])
    return b.error() << "contracts a dim of " << l[!transA] << " with one of "
                     << r[transB] << " elements";
  Value y =
      b.contract(Twine(transA ? "km," : "mk,") + (transB ? "nk->mn" : "kn->mn"),
                 b.value(0), b.value(1), {m, n});
  y = b.scale(y, b.floatAttr("alpha", 1.0));
  double beta = b.floatAttr("beta", 1.0);
  if (b.has(2) && beta != 0) {
    if (!broadcastShapes({b.shape(2), Shape({m, n})}))
      return b.error() << "the shapes of its operands do not fit";
    Value bias = b.broadcast(b.scale(b.value(2), beta), {m, n});
    y = SumOp::create(b.builder, b.loc, y.getType(), ValueRange{y, bias});
  }
  b.set(0, y);
  return success();
}

ArrayRef<OpEntry> pcc::frontend::contractionOps() {
  static const OpEntry table[] = {
      {"Gemm", 1, kAnyOpset, between(2, 3), nullptr, buildGemm,
       attributes(floatAttr("alpha"), floatAttr("beta"),
                  flagAttr("broadcast").until(6), flagAttr("transA"),
                  flagAttr("transB"))},
      {"MatMul", 1, kAnyOpset, 2, nullptr, buildMatMul},
      {"com.microsoft.FusedMatMul", 1, 1, 2, nullptr, buildFusedMatMul,
       attributes(floatAttr("alpha"), flagAttr("transA"), flagAttr("transB"),
                  flagAttr("transBatchA"), flagAttr("transBatchB"))},
  };
  return table;
}
