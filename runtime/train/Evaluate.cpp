//===- Evaluate.cpp - The loss on validation data -------------------------===//

#include "runtime/train/Evaluate.h"

#include "runtime/Backend.h"
#include "runtime/data/Inputs.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"
#include "runtime/train/Outputs.h"
#include "runtime/train/Steps.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace pcc;

/// The number of batches to evaluate. The limit `most`, from --eval-batches,
/// counts all pieces of an incomplete last batch as one batch, the result
/// counts each.
static int64_t batchesOf(const DataOrder &order, int64_t batch, int64_t most) {
  int64_t whole = order.samples() / batch;
  return most > whole ? order.steps() : most;
}

Evaluation::Evaluation(const pcc_program &program,
                       const TrainingOptions &options, const Dataset &data)
    : program(program), options(options), data(data),
      order(DataOrder::once(data.samples(), globalBatch(program),
                            !program.whole_batch)),
      batches(batchesOf(order, globalBatch(program), options.evalBatches)) {
  if (batches == 0)
    fail(ExitData,
         format("'%s' is too short: it has %s samples, a batch has %lld",
                data.path().c_str(), grouped(data.samples()).c_str(),
                static_cast<long long>(globalBatch(program))),
         program.whole_batch
             ? format("only whole batches have a loss: %s", program.whole_batch)
             : data.needed(1));
  std::vector<int64_t> all;
  for (int64_t batch = 1; batch <= batches; ++batch)
    for (int64_t sample : order.samplesOf(batch))
      all.push_back(sample);
  if (!data.mayHaveTargets(all))
    fail(ExitData,
         format("'%s': the %s samples of the evaluation have no valid targets",
                data.path().c_str(), grouped(all.size()).c_str()),
         data.findMissingTargets(all));
}

Evaluation::Result Evaluation::run(pcc_context *context, const pcc_stage &stage,
                                   const Coordinates &coordinates,
                                   char *arena) const {
  Result result;
  result.batches = batches;
  Outputs outputs(program, coordinates, /*evaluation=*/true);
  // Only training counts overflows; here they make the loss NaN.
  std::vector<std::string> capacities =
      Outputs(program, coordinates, /*evaluation=*/false)
          .names(PCC_OVERFLOW_PREFIX);
  double sum = 0, targets = 0;
  for (int64_t batch = 1; batch <= batches; ++batch) {
    StepValues values = stepValues(options, batch, /*lr=*/0);
    provideInputs({program, stage, coordinates, context, arena}, data, order,
                  values);
    backend::beginEntry(context, stage.evaluate);
    stage.evaluate(context, arena);
    outputs.request(arena);
    outputs.take();
    float loss = 0, count = 1;
    if (!outputs.read("loss", loss))
      fail(ExitInternal, "evaluation has no output called 'loss'");
    outputs.read("target_count", count);
    if (std::isnan(loss) && !capacities.empty())
      fail(ExitNonFinite,
           format("the loss of the evaluation's batch %lld is nan: tokens may "
                  "have chosen experts of a rank more often than its "
                  "--moe-capacity %s allows",
                  static_cast<long long>(batch),
                  capacities[0].substr(strlen(PCC_OVERFLOW_PREFIX)).c_str()),
           "compile with a larger --moe-capacity, or without it");
    // A loss whose target_count is always 1 may still be divided by a number
    // that is 0.
    bool isEmpty = count == 0 ||
                   (std::isnan(loss) &&
                    !data.findMissingTargets(order.samplesOf(batch)).empty());
    if (isEmpty) {
      ++result.empty;
      continue;
    }
    // A batch may contain its samples several times.
    double weight = double(count) * order.samplesIn(batch);
    sum += loss * weight;
    targets += weight;
  }
  result.loss = sum / targets;
  return result;
}

std::string Evaluation::describe() const {
  int64_t used = order.samplesUpTo(batches), left = order.samples() - used;
  if (left == 0)
    return "all";
  std::string text = "the first " + grouped(used);
  if (batches < order.steps())
    return text + format(", by --eval-batches %lld",
                         static_cast<long long>(options.evalBatches));
  return text +
         (program.whole_batch
              ? format(", in whole batches: %s", program.whole_batch)
              : format(", since the other %lld cannot be repeated to fill a "
                       "batch of %lld",
                       static_cast<long long>(left),
                       static_cast<long long>(globalBatch(program))));
}
