//===- Cost.cpp - Floating-point operations of nn ops ---------------------===//

#include "dialects/NN/NN.h"
#include "dialects/NN/VisibleKeys.h"

using namespace mlir;
using namespace pcc::nn;

double ContractOp::getFlops() {
  double flops = 2;
  llvm::SmallDenseSet<char> seen;
  for (StringRef labels : {getLhsLabels(), getRhsLabels(), getResultLabels()})
    for (char label : labels)
      if (seen.insert(label).second)
        flops *= getLabelSize(label);
  return flops;
}

/// The flops of attention's two GEMMs (scores and values). Each query has all
/// keys, or as many as its window or chunk has. A causal mask is not
/// discounted, as usual for model FLOPs utilization.
template <typename Op>
static double pairFlops(Op op) {
  auto q = tensorType(op.getQ()).getShape();
  auto v = tensorType(op.getV()).getShape();
  double pairs = double(q[0]) * q[1] * q[2] * VisibleKeys(op).most(v[1]);
  return 2 * pairs * (q[3] + v[3]);
}

double AttentionOp::getFlops() { return pairFlops(*this); }

/// Five GEMMs instead of two: recomputed scores, dP, dV, dQ and dK.
double AttentionGradOp::getFlops() { return 2.5 * pairFlops(*this); }

/// The flops of one matrix of [f, h] for each choice of a token. Choices of
/// other ranks' experts count, too.
template <typename Op>
static double choiceFlops(Op op) {
  ArrayRef<int64_t> w2 = tensorType(op.getW2()).getShape();
  return 2 * double(tensorType(op.getIds()).getNumElements()) * w2[1] * w2[2];
}

/// The active experts: one matrix for each part of w1, and w2.
double ExpertsOp::getFlops() { return (getParts() + 1) * choiceFlops(*this); }

/// Recomputed w1 x, dy w2, dw2, and for each part of w1 dx and dw1.
double ExpertsGradOp::getFlops() {
  return (3 * getParts() + 2) * choiceFlops(*this);
}

double GroupedContractOp::getFlops() {
  auto dims = tensorType(sumsRows() ? getResult() : getRhs()).getShape();
  return 2 * double(tensorType(getLhs()).getDimSize(0)) * dims[1] * dims[2];
}
