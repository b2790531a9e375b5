//===- Evaluate.cpp - The loss on other data ------------------------------===//

#include "runtime/train/Evaluate.h"

#include "runtime/Backend.h"
#include "runtime/data/Inputs.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"
#include "runtime/train/Outputs.h"
#include "runtime/train/Steps.h"

#include <algorithm>
#include <cmath>

using namespace pcc;

Evaluation::Evaluation(const pcc_program &program,
                       const TrainingOptions &options, const Dataset &data,
                       const DataOrder &order)
    : program(program), options(options), data(data), order(order),
      batches(std::min(options.evalBatches,
                       order.samples() / globalBatch(program))) {
  std::vector<int64_t> all;
  for (int64_t batch = 1; batch <= batches; ++batch)
    for (int64_t sample : order.samplesOf(batch))
      all.push_back(sample);
  if (!data.mayCount(all))
    fail(ExitData,
         format("'%s': nothing counts in the %s samples that are evaluated on",
                data.path().c_str(), grouped(all.size()).c_str()),
         data.findUncounted(all));
}

Evaluation::Result Evaluation::run(pcc_context *context, const pcc_stage &stage,
                                   const Coordinates &coordinates,
                                   char *arena) const {
  Result result;
  result.batches = batches;
  Outputs outputs(program, coordinates, /*evaluation=*/true);
  double sum = 0, targets = 0;
  for (int64_t batch = 1; batch <= batches; ++batch) {
    StepValues values = stepValues(options, batch, /*lr=*/0);
    giveInputs({program, stage, coordinates, context, arena}, data, order,
               values);
    backend::beginEntry(context);
    stage.evaluate(context, arena);
    outputs.request(arena);
    outputs.take();
    float loss = 0, count = 1;
    if (!outputs.read("loss", loss))
      fail(ExitInternal, "evaluation has no output called 'loss'");
    outputs.read("target_count", count);
    // A loss that is no mean by a count may be divided by it all the same.
    bool isEmpty =
        count == 0 || (std::isnan(loss) &&
                       !data.findUncounted(order.samplesOf(batch)).empty());
    if (isEmpty) {
      ++result.empty;
      continue;
    }
    sum += double(loss) * count;
    targets += count;
  }
  result.loss = sum / targets;
  return result;
}
