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

/// Score and value products of an attention over all pairs of positions; a
/// causal mask is not discounted, as is usual when utilisation is reported.
static double pairFlops(Value q, Value v) {
  auto qShape = tensorType(q).getShape();
  auto vShape = tensorType(v).getShape();
  double pairs = double(qShape[0]) * qShape[1] * qShape[2] * vShape[1];
  return 2 * pairs * (qShape[3] + vShape[3]);
}

double AttentionOp::getFlops() { return pairFlops(getQ(), getV()); }

/// Five products instead of two: scores again, dP, dV, dQ and dK.
double AttentionGradOp::getFlops() { return 2.5 * pairFlops(getQ(), getV()); }
