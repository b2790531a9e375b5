//===- Dropout.cpp - Dropout ----------------------------------------------===//

#include "dialects/NN/Random.h"
#include "interpreter/Kernels.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

static LogicalResult runDropout(nn::DropoutOp op, const Args &in, Results out) {
  const Tensor &x = in[op.getInput()], &samples = in[op.getSamples()],
               &positions = in[op.getPositions()];
  const Tensor *origin = in.find(op.getOrigin());
  double p = op.getP().convertToDouble();
  uint32_t threshold = nn::dropThreshold(p);
  int64_t batchDim = op.getBatchDim(), seqDim = op.getSeqDim(), i = 0;
  // The key of an element extends the key of its row by one dim after the
  // other.
  auto walk = [&](auto &&self, int64_t d, uint32_t key) -> void {
    if (d == x.rank()) {
      out[0].real[i] = key < threshold ? 0 : x.real[i] / (1 - p);
      ++i;
      return;
    }
    for (int64_t n = 0; n < x.dim(d); ++n) {
      int64_t coordinate = d == batchDim ? samples.integer[n]
                           : d == seqDim
                               ? positions.integer[n]
                               : n + (origin ? origin->integer[d] : 0);
      self(self, d + 1, nn::randomAdd(key, coordinate));
    }
  };
  walk(walk, 0,
       nn::randomKey(in[op.getSeed()].integer[0], in[op.getStep()].integer[0],
                     op.getId()));
  return success();
}

void pcc::interp::addRandomKernels(KernelTable &table) {
  table.add(runDropout);
}
