//===- Cost.cpp - Floating-point operations of nn ops ---------------------===//

#include "dialects/NN/NN.h"

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

/// The flops of attention's two GEMMs (scores and values) over all pairs of
/// positions. A causal mask is not discounted, as usual for model FLOPs
/// utilization.
static double pairFlops(Value q, Value v) {
  auto qShape = tensorType(q).getShape();
  auto vShape = tensorType(v).getShape();
  double pairs = double(qShape[0]) * qShape[1] * qShape[2] * vShape[1];
  return 2 * pairs * (qShape[3] + vShape[3]);
}

double AttentionOp::getFlops() { return pairFlops(getQ(), getV()); }

/// Five GEMMs instead of two: recomputed scores, dP, dV, dQ and dK.
double AttentionGradOp::getFlops() { return 2.5 * pairFlops(getQ(), getV()); }
