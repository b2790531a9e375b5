//===- Train.cpp - Training with the interpreter --------------------------===//

#include "dialects/NN/Names.h"
#include "interpreter/Training.h"
#include "interpreter/ValueCheck.h"
#include "runtime/support/LearningRate.h"
#include "runtime/telemetry/Log.h"
#include "tools/pcc-run/Session.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <chrono>
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

/// Initializes all parameters like a compiled program. Those given on the
/// command line are set afterwards; with --fill it is not called.
static void initialize(Trainable &training, const TrainingOptions &options) {
  std::unique_ptr<WeightFiles> files;
  InitialValues values =
      initialValues(training.getProgram(), options.init, options.seed, files);
  training.fillParameters(values, options.model);
}

/// Whether a step was skipped because its gradients overflowed with the loss
/// scale.
static bool overflows(const StepOutputs &step) {
  return step.lossScale && !std::isfinite(step.norm) &&
         std::isfinite(step.loss);
}

int Session::train() {
  TrainingOptions &settings = options.training;
  auto make = [&](const InputInfo &info, int64_t microbatch) {
    return makeInput(module, info, -1, microbatch);
  };
  // A data folder has an array for every input.
  Training::DataSource makeData;
  if (!llvm::sys::fs::is_directory(settings.data))
    makeData = make;
  std::unique_ptr<Training> created;
  if (!arenas) {
    auto made = Training::create(machine, options.microbatches, makeData);
    if (failed(made))
      return kFailed;
    created = std::move(*made);
  }
  Trainable &training = arenas ? static_cast<Trainable &>(*arenas) : *created;
  const pcc_program &program = training.getProgram();
  int64_t batch = globalBatch(program), seq = program.seq;
  if (arenas && options.microbatches &&
      options.microbatches != program.microbatches)
    return usage("the program has " + Twine(program.microbatches) +
                 " microbatches, not " + Twine(options.microbatches));

  std::unique_ptr<Training> reference;
  std::optional<ValueCheck> check;
  if (other) {
    auto made = Training::create(*other, program.microbatches, makeData);
    if (failed(made))
      return kFailed;
    reference = std::move(*made);
    if (globalBatch(reference->getProgram()) != batch)
      return usage("the reference has another global batch");
    check.emplace(*other, machine, options.rtol);
  }
  for (Trainable *one : {&training, static_cast<Trainable *>(reference.get())})
    if (one)
      one->writeNumber(nn::kLossScale, double(settings.initialLossScale));
  if (!fills()) {
    initialize(training, settings);
    if (other)
      initialize(*reference, settings);
    if (failed(setAllSymbols()))
      return kFailed;
  }

  std::unique_ptr<Dataset> data = openDataset(program, settings.data, "data");
  DataOrder order(data->samples(), batch, settings.shuffle, settings.seed);
  if (data->samples() < batch)
    return usage("'" + Twine(settings.data) + "' has " +
                 Twine(data->samples()) + " samples, one step needs " +
                 Twine(batch));
  if (settings.steps == 0)
    settings.steps = std::max<int64_t>(1, data->samples() / batch);
  Decay decay;
  if (!parseDecay(settings.lrSchedule, decay))
    return usage("--lr-schedule " + Twine(settings.lrSchedule) +
                 " is not known");
  Schedule schedule = scheduleOf(settings);

  Log log(settings, /*done=*/0, settings.steps, /*tokens=*/true, /*columns=*/0);
  int64_t last = settings.stopAfter
                     ? std::min(settings.stopAfter, settings.steps)
                     : settings.steps;
  int64_t skipped = 0; // steps without an update
  for (int64_t step = 1; step <= last; ++step) {
    StepResult result;
    result.step = step;
    result.lr = schedule.at(step);
    StepValues values = stepValues(settings, step, result.lr);
    values.update = step - skipped;
    FailureOr<StepOutputs> wanted;
    if (other) {
      check->clear();
      reference->fillInputs(*data, order, values);
      wanted = reference->step();
      if (failed(wanted))
        return kFailed;
    }
    auto begin = std::chrono::steady_clock::now();
    training.fillInputs(*data, order, values);
    FailureOr<StepOutputs> found = training.step();
    if (failed(found))
      return kFailed;
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    if (other &&
        (failed(check->compareScalar("loss", found->loss, wanted->loss)) ||
         failed(check->compareScalar("norm", found->norm, wanted->norm)) ||
         failed(check->compareSymbols())))
      return kFailed;
    result.loss = found->loss;
    result.norm = found->norm;
    result.hasNorm = true;
    result.lossScale = found->lossScale.value_or(0);
    result.aux = found->aux.value_or(NAN);
    result.load = found->load.value_or(NAN);
    result.overflows = overflows(*found);
    skipped += !std::isfinite(found->loss) || !std::isfinite(found->norm);
    result.items = batch * std::max<int64_t>(seq, 1);
    result.seconds = time.count();
    log.step(result);
  }
  if (check)
    llvm::outs() << check->summary();
  return report();
}
