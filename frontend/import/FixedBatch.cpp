//===- FixedBatch.cpp - Losses of files with a fixed batch ----------------===//
//
// A file for 8 samples does not show how its loss scales to 16, but its
// operators do: ReduceMean is a mean over samples, ReduceSum a sum. A number in
// the text may or may not be the batch size:
//
//   ReduceMean(x)           a mean over samples
//   ReduceSum(x) / 3        a sum over them, by a number
//   ReduceSum(x) / 8        most likely a mean: assumed, with a warning
//
//===----------------------------------------------------------------------===//

#include "frontend/import/FixedBatch.h"
#include "analysis/Axes.h"
#include "analysis/Dependence.h"
#include "dialects/NN/Location.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::frontend;
using namespace pcc::nn;

/// The file's batch size; 0 if no input has samples.
static int64_t fixedBatch(func::FuncOp forward) {
  BlockArgument rows = findModelData(forward);
  return rows && tensorType(rows).getRank() ? tensorType(rows).getDimSize(0)
                                            : 0;
}

/// Whether a number may count samples or elements of samples: it is a multiple
/// of the batch, and the batch or the size of some value.
static bool isCount(func::FuncOp forward, double number, int64_t batch) {
  auto count = static_cast<int64_t>(std::round(number));
  if (std::abs(number - count) > 1e-4 * number || count < 2 || count % batch)
    return false;
  auto has = [&](Value value) {
    return tensorType(value).getNumElements() == count;
  };
  if (count == batch || llvm::any_of(forward.getArguments(), has))
    return true;
  return llvm::any_of(forward.getBody().front(), [&](Operation &op) {
    return llvm::any_of(op.getResults(), has);
  });
}

FixedBatchTerm pcc::frontend::readFixedBatch(func::FuncOp forward,
                                             const Term &term) {
  FixedBatchTerm result;
  int64_t batch = fixedBatch(forward);
  if (!batch || !dependsOn(term.sum, [](Value source) {
        return isa<BlockArgument>(source);
      }))
    return result;
  int means = 0;
  for (auto [reductions, sign] :
       {std::pair(&term.means, 1), std::pair(&term.meansOver, -1)})
    for (ReduceOp reduce : *reductions) {
      auto isOverBatch = runsOverBatch(reduce.getInput(), reduce.getDims());
      if (!isOverBatch) {
        result.unclear = "the file fixes its batch, and whether '" +
                         sourceNode(reduce.getLoc()).str() +
                         "' is a mean over samples cannot be told";
        return result;
      }
      means += *isOverBatch ? sign : 0;
    }
  std::string number = std::to_string(batch);
  std::string node =
      term.writtenBy ? "'" + sourceNode(term.writtenBy->getLoc()).str() + "'"
                     : "";
  double written = std::abs(term.written);
  result.means = means;
  if (means == 1 && isCount(forward, written, batch)) {
    result.means = 0;
    result.assumed = node + " multiplies a mean by " +
                     std::to_string(std::llround(written)) +
                     ", which is taken to come from the batch, " + number +
                     ", that the file fixes: the loss is a sum over samples";
  } else if (means == 0 && term.over.empty() &&
             isCount(forward, 1 / written, batch)) {
    result.means = 1;
    result.assumed = node + " divides a sum by " +
                     std::to_string(std::llround(1 / written)) +
                     ", which is taken to come from the batch, " + number +
                     ", that the file fixes: the loss is a mean over samples";
  } else if (means == 0 && term.over.empty() && batch == 1) {
    result.assumed = "the file is for one sample, so that a mean over samples "
                     "looks like a sum, and the loss is taken as a sum";
  }
  return result;
}
