//===- Train.cpp - Training steps in the interpreter ----------------------===//

#include "interpreter/Training.h"
#include "interpreter/ValueCheck.h"
#include "runtime/common/Log.h"
#include "runtime/common/Schedule.h"
#include "tools/pcc-run/Session.h"
#include "llvm/Support/Format.h"
#include <chrono>
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

/// What the runtime's binary would give the program in this step.
static StepValues valuesOf(const Options &options, int64_t step, double lr) {
  StepValues values;
  values.step = step;
  values.seed = options.seed;
  values.lr = lr;
  values.weightDecay = options.weightDecay;
  values.beta1 = options.beta1;
  values.beta2 = options.beta2;
  values.eps = options.eps;
  values.clipGrad = options.clipGrad > 0 ? options.clipGrad : INFINITY;
  return values;
}

/// Fills parameters as the runtime's binary does, but those that are given on
/// the command line or made up by --fill.
static void initialize(Training &training, Machine &machine,
                       const Options &options) {
  RuntimeProgram &program = training.getProgram();
  InitialValues values;
  values.seed = options.seed;
  std::unique_ptr<SafeTensors> file;
  if (options.init == "random" ||
      (options.init.empty() && !hasSourceFiles(program.get()))) {
    values.kind = InitialValues::Random;
  } else if (!options.init.empty() && options.init != "from-onnx") {
    file = std::make_unique<SafeTensors>(options.init, ExitData,
                                         "initial weights");
    values.kind = InitialValues::FromTensors;
    values.tensors = file.get();
  }
  program.fillParameters(machine, values, options.model);
}

int Session::train() {
  Options &settings = options.training;
  auto makeData = [&](const InputInfo &info, int64_t microbatch) {
    return makeInput(module, info, -1, microbatch);
  };
  auto training = Training::create(machine, options.microbatches, makeData);
  if (failed(training))
    return kFailed;
  RuntimeProgram &program = (*training)->getProgram();
  int64_t batch = globalBatch(program.get()), seq = program.get().seq;

  std::unique_ptr<Training> reference;
  std::optional<ValueCheck> check;
  if (other) {
    auto created =
        Training::create(*other, program.get().microbatches, makeData);
    if (failed(created))
      return kFailed;
    reference = std::move(*created);
    if (globalBatch(reference->getProgram().get()) != batch)
      return usage("the reference has another global batch");
    check.emplace(*other, machine, options.rtol);
  }
  if (!fills()) {
    initialize(**training, machine, settings);
    if (other)
      initialize(*reference, *other, settings);
    if (failed(setSymbols(machine)) || (other && failed(setSymbols(*other))))
      return kFailed;
  }

  TokenFile data(settings.data);
  DataOrder order(data.size(), seq, batch, settings.shuffle, settings.seed);
  if (order.samples() < batch)
    return usage("'" + Twine(settings.data) + "' has " +
                 Twine(order.samples()) + " samples, one step needs " +
                 Twine(batch));
  if (settings.steps == 0)
    settings.steps = std::max<int64_t>(1, order.samples() / batch);
  Schedule schedule;
  if (!parseDecay(settings.lrSchedule, schedule.decay))
    return usage("--lr-schedule " + Twine(settings.lrSchedule) +
                 " is not known");
  schedule.peak = settings.lr;
  schedule.least = settings.minLr < 0 ? 0.1 * settings.lr : settings.minLr;
  schedule.warmup = settings.warmupSteps;
  schedule.steps = settings.steps;

  Log log(settings.logJson, /*append=*/false, settings.steps,
          settings.logEvery);
  int64_t last = settings.stopAfter
                     ? std::min(settings.stopAfter, settings.steps)
                     : settings.steps;
  for (int64_t step = 1; step <= last; ++step) {
    StepResult result;
    result.step = step;
    result.lr = schedule.at(step);
    StepValues values = valuesOf(settings, step, result.lr);
    FailureOr<StepOutputs> wanted;
    if (other) {
      check->clear();
      reference->getProgram().fillInputs(data, order, values);
      wanted = reference->step();
      if (failed(wanted))
        return kFailed;
    }
    auto begin = std::chrono::steady_clock::now();
    program.fillInputs(data, order, values);
    FailureOr<StepOutputs> found = (*training)->step();
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
    result.tokens = batch * seq;
    result.seconds = time.count();
    log.step(result);
  }
  if (check)
    llvm::outs() << check->summary();
  return report();
}
