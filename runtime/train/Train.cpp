//===- Train.cpp - The training loop --------------------------------------===//

#include "runtime/train/Train.h"

#include "runtime/Backend.h"
#include "runtime/checkpoint/Checkpoint.h"
#include "runtime/checkpoint/SaveFolder.h"
#include "runtime/data/Inputs.h"
#include "runtime/launch/Signals.h"
#include "runtime/model/ExportModel.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/support/LearningRate.h"
#include "runtime/telemetry/Console.h"
#include "runtime/telemetry/Log.h"
#include "runtime/telemetry/Trace.h"
#include "runtime/train/Destinations.h"
#include "runtime/train/Evaluate.h"
#include "runtime/train/Info.h"
#include "runtime/train/LossCheck.h"
#include "runtime/train/Outputs.h"
#include "runtime/train/Report.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <memory>

using namespace pcc;

namespace {
/// A training run on this rank, from its start to its end.
class Run {
public:
  Run(const pcc_program &program, const TrainingOptions &options,
      const Launch &launch);

  /// What comes before the first step; false: an end was asked for meanwhile.
  bool begin();
  void loop();
  /// What follows the last step, however the loop ended.
  void finish();

private:
  /// What the options of a resumed run mean for its learning rate, given those
  /// that the checkpoint was trained with.
  void checkRates(const TrainingOptions &before);
  void chooseTrace();
  void load();
  void describe() const;
  /// The signal that asks this run for an end, or 0; SIGPIPE also where nobody
  /// reads its lines and it leaves nothing else. All ranks call it, and agree.
  int findRequest();
  bool stopsEarly();
  StepResult runStep(int64_t step);
  void requireFinite(const StepResult &result) const;
  /// Whether nothing counted in a step and nothing was updated.
  bool isEmpty(const StepResult &result) const;
  /// Says no to what only programs with a scale of the loss take.
  void checkLossScale() const;
  /// The program's numbers as this run begins.
  Numbers firstNumbers() const;
  void noteSkipped(int64_t step);
  /// What tells why a step has no loss.
  LossCheck lossCheck() const {
    return {program, coordinates, arena, *data, *order};
  }
  /// Why there is no loss to tell; empty: it was told.
  std::string evaluate(int64_t step);
  void save(int64_t step);
  TrainingState state() {
    return {program, stage, coordinates,
            arena,   files, static_cast<uint64_t>(options.seed)};
  }
  bool first() const { return backend::rank() == 0; }

  const pcc_program &program;
  TrainingOptions options;
  const Launch &launch;
  Coordinates coordinates;
  const pcc_stage &stage;
  std::unique_ptr<SavedFiles> checkpoint; ///< resumed from; null: none
  std::vector<std::string> changes;       ///< of its options
  int64_t done = 0;                       ///< steps that the checkpoint holds
  int64_t skipped = 0;                    ///< steps that updated nothing, ever
  int64_t skippedBefore = 0;          ///< of those that the checkpoint holds
  int64_t overflowed = 0;             ///< of those, in this run
  Numbers numbers;                    ///< that the checkpoint holds
  bool leftOut = false;               ///< of an evaluation, and said so
  int64_t last = 0;                   ///< the step that this run ends with
  int64_t traceFrom = 0, traceTo = 0; ///< 0: none
  int64_t savedStep = -1;
  std::unique_ptr<Dataset> data, valData;
  bool saidClosed = false;
  bool allChecked = true; ///< else some ids only when they are read
  std::unique_ptr<DataOrder> order, valOrder;
  std::unique_ptr<Evaluation> evaluation;
  Schedule schedule;
  SourceFiles files;
  std::string resources;
  pcc_context *context;
  char *arena;
  std::unique_ptr<SafeTensors> initFile;
  std::unique_ptr<Log> log;
  std::vector<backend::Traffic> ofStep; ///< of the last one, for --report
};
} // namespace

/// Ids of each data set that are checked at the start: about a second of work.
static const int64_t checkedBytes = int64_t{1} << 30;

static const pcc_stage &ownStage(const pcc_program &program,
                                 const Coordinates &coordinates) {
  return program.stages[stageOf(program, coordinates)];
}

/// The order of a data set's samples, which must fill one step.
static std::unique_ptr<DataOrder> orderOf(const pcc_program &program,
                                          const Dataset &data, bool shuffle,
                                          uint64_t seed) {
  int64_t batch = globalBatch(program);
  if (data.samples() < batch)
    fail(ExitData,
         format("'%s' is too short: it has %s samples, one step needs %lld",
                data.path().c_str(), grouped(data.samples()).c_str(),
                static_cast<long long>(batch)),
         data.needed(batch));
  return std::make_unique<DataOrder>(data.samples(), batch, shuffle, seed);
}

Run::Run(const pcc_program &program, const TrainingOptions &given,
         const Launch &launch)
    : program(program), options(given), launch(launch),
      coordinates(coordinatesOf(program, backend::rank())),
      stage(ownStage(program, coordinates)), files(program, given.model) {
  checkInputs(stage);
  TrainingOptions before;
  if (!options.resume.empty()) {
    checkpoint = std::make_unique<SavedFiles>(findCheckpoint(options.resume));
    StepCount count = readTrainerState(program, *checkpoint, options, before);
    done = savedStep = count.step;
    skipped = skippedBefore = count.skipped;
    numbers = count.numbers;
  }
  if (options.data.empty())
    fail(ExitUsage, "--data PATH is missing", "--help lists all flags");
  if (!options.valData.empty() && !stage.evaluate)
    fail(ExitUsage, "--val-data: this program was compiled without evaluation");

  if (first())
    checkDestinations(program, options, files);
  data = openDataset(program, options.data, "data");
  order = orderOf(program, *data, options.shuffle, options.seed);
  if (!options.valData.empty()) {
    valData = openDataset(program, options.valData, "val-data");
    valOrder = orderOf(program, *valData, false, 0);
    evaluation =
        std::make_unique<Evaluation>(program, options, *valData, *valOrder);
  }
  checkLossScale();
  if (options.steps == 0)
    options.steps =
        std::max<int64_t>(1, order->samples() / globalBatch(program));
  schedule = scheduleOf(options);
  if (checkpoint)
    checkRates(before);
  last = options.steps;
  if (options.stopAfter)
    last = std::min(last, options.stopAfter);
  chooseTrace();
}

void Run::load() {
  context = backend::prepare(program, coordinates, resources);
  arena = backend::allocateArena(stage.arena_bytes);
  // What is wrong with the data is said now, not when a step reaches it.
  if (first()) {
    Operation check("check of the data");
    allChecked = data->check(checkedBytes);
    if (valData)
      allChecked = valData->check(checkedBytes) && allChecked;
  }
  Operation loading("load of the weights");
  if (!checkpoint)
    fillParameters(program, stage, coordinates, arena,
                   initialValues(program, options.init, options.seed, initFile),
                   files);
  else
    loadCheckpoint(state(), *checkpoint);
  roundCopies(program, stage, coordinates, arena);
  writeNumbers(stage, arena, firstNumbers());
  initFile.reset();
  if (first())
    log = std::make_unique<Log>(options, done, last, program.seq > 0,
                                findColumns(launch));
}

void Run::checkLossScale() const {
  for (const char *name : {"initial-loss-scale", "loss-scale-window"})
    if (options.given.count(name) && !hasLossScale(program))
      fail(ExitUsage,
           format("--%s: this program has no scale of the loss", name),
           "--precision fp16 of pcc gives it one");
  auto known = numbers.find(lossScaleName);
  if (options.given.count("initial-loss-scale") && known != numbers.end())
    fail(ExitUsage,
         format("--initial-loss-scale: the checkpoint goes on with a scale of "
                "%lld",
                static_cast<long long>(known->second)));
}

Numbers Run::firstNumbers() const {
  Numbers first = {{lossScaleName, options.initialLossScale},
                   {goodStepsName, 0},
                   {updatesName, done - skipped}};
  // Those of a checkpoint are all there or, of another precision, none.
  for (auto &[name, value] : numbers)
    first[name] = value;
  return first;
}

void Run::checkRates(const TrainingOptions &before) {
  if (options.minLr > options.lr)
    fail(ExitUsage,
         format("--lr %g is less than the checkpoint's --min-lr %g", options.lr,
                options.minLr),
         "give --min-lr, too");
  changes = changedOptions(before, options);
  // After warm-up, a rate that rises is a schedule that begins anew.
  double was = scheduleOf(before).at(done), is = schedule.at(done + 1);
  if (first() && done >= options.warmupSteps && is > was * (1 + 1e-9) &&
      done < options.steps)
    warn(format("the learning rate rises from %g of step %lld to %g of step "
                "%lld",
                was, static_cast<long long>(done), is,
                static_cast<long long>(done + 1)));
}

void Run::describe() const {
  if (!first())
    return;
  std::string text = launchLine(launch, resources) + "\n";
  text += format("model      %s, %s parameters, %s on this rank\n",
                 program.model, grouped(program.parameters).c_str(),
                 bytesText(stage.arena_bytes).c_str());
  text += format("mesh       %s\n", meshText(program).c_str());
  if (std::string products = productsText(program); !products.empty())
    text += "products   " + products + "\n";
  std::string ofSeq =
      program.seq ? format(" of %lld", static_cast<long long>(program.seq))
                  : "";
  text += format("data       %s, %s samples%s%s%s\n", data->describe().c_str(),
                 grouped(data->samples()).c_str(), ofSeq.c_str(),
                 options.shuffle ? ", shuffled" : "",
                 allChecked
                     ? ""
                     : format("; %s of ids were checked, the rest will be when "
                              "it is read",
                              bytesText(checkedBytes).c_str())
                           .c_str());
  std::string tokens =
      program.seq ? ", " + grouped(globalBatch(program) * program.seq) +
                        " tokens a step"
                  : "";
  text +=
      format("batch      %s%s\n", batchText(program).c_str(), tokens.c_str());
  text += format("schedule   %s, lr %g to %g, %s steps, %s of them warm-up\n",
                 options.lrSchedule.c_str(), options.lr,
                 options.lrSchedule == "constant" ? options.lr : schedule.least,
                 grouped(options.steps).c_str(),
                 grouped(options.warmupSteps).c_str());
  if (hasLossScale(program))
    text += format("scale      %s of the loss, doubled after %s good steps\n",
                   grouped(readNumbers(stage, arena).at(lossScaleName)).c_str(),
                   grouped(options.lossScaleWindow).c_str());
  if (checkpoint)
    text += format("resumed    %s, %lld steps done\n",
                   checkpoint->folder().c_str(), static_cast<long long>(done));
  for (const std::string &change : changes)
    text += format("changed    %s\n", change.c_str());
  print(text);
}

/// The steps of --trace, which must be among those of this run.
void Run::chooseTrace() {
  if (options.trace.empty() || done >= last)
    return;
  traceFrom = std::min(done + 2, last);
  traceTo = std::min(done + 3, last);
  if (options.traceSteps.empty())
    return;
  parseTraceSteps(options.traceSteps, traceFrom, traceTo);
  if (traceFrom <= done || traceTo > last)
    fail(ExitUsage,
         format("--trace-steps %s: this run has steps %lld to %lld",
                options.traceSteps.c_str(), static_cast<long long>(done + 1),
                static_cast<long long>(last)));
}

StepResult Run::runStep(int64_t step) {
  double begin = steadyNow();
  TraceSpan span(Track::Host, "step");
  setPhase("step", step);
  span.note("step", step);
  StepValues values = stepValues(options, step, schedule.at(step));
  values.update = step - skipped;
  {
    TraceSpan inputs(Track::Host, "inputs");
    checkSamples(program, *data, *order, step);
    fillInputs(program, stage, coordinates, arena, *data, *order, values);
  }
  {
    TraceSpan work(Track::Host, "run");
    std::vector<backend::Traffic> before;
    if (!options.report.empty())
      before = backend::traffic();
    stage.step(context, arena);
    if (!options.report.empty())
      ofStep = trafficSince(before, backend::traffic());
  }
  StepResult result;
  result.step = step;
  result.lr = values.lr;
  result.items = globalBatch(program) * std::max<int64_t>(program.seq, 1);
  if (!readOutput(program, coordinates, arena, false, "loss", result.loss))
    fail(ExitInternal, "the program has no output called 'loss'");
  result.hasNorm =
      readOutput(program, coordinates, arena, false, "norm", result.norm);
  if (readOutput(program, coordinates, arena, false, lossScaleName,
                 result.lossScale))
    result.overflows = std::isfinite(result.loss) && result.hasNorm &&
                       !std::isfinite(result.norm) && result.lossScale > 1;
  result.seconds = steadyNow() - begin;
  return result;
}

bool Run::isEmpty(const StepResult &result) const {
  // Without a norm the program updates nothing.
  return result.hasNorm && std::isnan(result.norm) &&
         !lossCheck().findUncounted(result.step).empty();
}

void Run::noteSkipped(int64_t step) {
  if (skipped++ > skippedBefore + overflowed)
    return;
  std::string why = lossCheck().findUncounted(step);
  if (first())
    warn(format("step %lld updates nothing: ", static_cast<long long>(step)) +
         why);
}

void Run::requireFinite(const StepResult &result) const {
  const char *what = !std::isfinite(result.loss) ? "loss"
                     : result.hasNorm && !std::isfinite(result.norm)
                         ? "gradient norm"
                         : nullptr;
  if (!what)
    return;
  std::string uncounted = lossCheck().findUncounted(result.step);
  std::string note =
      lossCheck().findBadData(result.step, result.step > done + 1);
  if (note.empty() && !uncounted.empty())
    note = uncounted + "; with --skip-empty such a step updates nothing";
  if (note.empty())
    note = result.step == done + 1
               ? "no update came before it: look at the values that training "
                 "began with"
               : "a lower --lr or a longer --warmup-steps often helps";
  bool isLoss = !strcmp(what, "loss");
  if (isLoss && uncounted.empty() && result.lossScale > 0)
    note +=
        "; what fp16 computes ends at 65504, what --precision bf16 does not";
  if (savedStep > 0)
    note += format("; the last checkpoint is of step %lld",
                   static_cast<long long>(savedStep));
  fail(ExitNonFinite,
       format("the %s of step %lld is ", what,
              static_cast<long long>(result.step)) +
           numberText("%g", isLoss ? result.loss : result.norm) +
           (!isLoss && result.lossScale > 0
                ? ", though the loss has a scale of 1"
                : "") +
           (uncounted.empty() ? "" : ": nothing counts in its samples"),
       note);
}

std::string Run::evaluate(int64_t step) {
  TraceSpan span(Track::Host, "evaluate");
  setPhase("the evaluation after step", step);
  Evaluation::Result result =
      evaluation->run(context, stage, coordinates, arena);
  std::string batches =
      format("%lld batches of '%s' that are evaluated on",
             static_cast<long long>(result.batches), valData->path().c_str());
  if (result.empty == result.batches)
    return "nothing counts in the " + batches;
  if (!first())
    return "";
  if (result.empty && !leftOut)
    warn(format("%lld of the %s contribute nothing: nothing counts in them",
                static_cast<long long>(result.empty), batches.c_str()));
  leftOut = leftOut || result.empty;
  log->evaluation(step, result.loss);
  return "";
}

void Run::save(int64_t step) {
  TraceSpan span(Track::Host, "save");
  setPhase("the save after step", step);
  double begin = steadyNow();
  std::string folder = saveCheckpoint(
      state(), options, {step, skipped, readNumbers(stage, arena)});
  savedStep = step;
  if (first())
    log->say(
        format("saved      %s in %.2f s", folder.c_str(), steadyNow() - begin));
}

void Run::finish() {
  int64_t empty = skipped - skippedBefore - overflowed;
  if (empty && first())
    log->say(format("skipped    %lld of the steps, in which nothing counted",
                    static_cast<long long>(empty)));
  if (overflowed && first())
    log->say(format("skipped    %lld of the steps, whose gradients overflowed",
                    static_cast<long long>(overflowed)));
  if (!options.report.empty())
    writeReport(options.report, ofStep);
  if (options.exportOnnx.empty())
    return;
  double begin = steadyNow();
  setPhase("the export");
  exportModel(state(), options.exportOnnx);
  if (first())
    log->say(format("exported   %s in %.2f s", options.exportOnnx.c_str(),
                    steadyNow() - begin));
}

bool Run::begin() {
  if (stopsEarly())
    return false;
  load();
  describe();
  return !stopsEarly();
}

int Run::findRequest() {
  bool leavesFiles = !options.save.empty() || !options.logJson.empty() ||
                     !options.tensorboardDir.empty() ||
                     !options.exportOnnx.empty() || !options.trace.empty() ||
                     !options.report.empty();
  int request = stopSignal();
  if (consoleError() && !leavesFiles && !request)
    request = SIGPIPE;
  if (consoleError() && !saidClosed) {
    saidClosed = true;
    std::string what = isConsoleClosed()
                           ? "standard output was closed"
                           : "cannot write to standard output: " +
                                 std::string(strerror(consoleError()));
    if (leavesFiles)
      warn(what + "; the run goes on without lines");
    else if (!isConsoleClosed())
      fail(ExitOutput, what);
  }
  return backend::maxOverRanks(request);
}

bool Run::stopsEarly() {
  int signal = findRequest();
  if (signal && first())
    print(format("stopped by %s before the first step; nothing to save\n",
                 signalName(signal)));
  return signal != 0;
}

void Run::loop() {
  if (done >= last && first())
    log->say(format("nothing to do: %lld of %lld steps are done",
                    static_cast<long long>(done),
                    static_cast<long long>(last)));
  for (int64_t step = done + 1; step <= last; ++step) {
    if (step == traceFrom)
      startTrace();
    StepResult result = runStep(step);
    result.skipped = options.skipEmpty && isEmpty(result);
    if (first())
      log->step(result);
    // The ranks see a signal at different moments; they stop after one step.
    int signal = findRequest();
    if (result.overflows)
      ++skipped, ++overflowed;
    else if (result.skipped)
      noteSkipped(step);
    else
      requireFinite(result);
    bool evaluates =
        valData && (options.evalEvery > 0 ? step % options.evalEvery == 0
                                          : step == options.steps);
    std::string problem = evaluates ? evaluate(step) : "";
    bool end = step == last || signal || !problem.empty();
    bool saves =
        end || (options.saveEvery > 0 && step % options.saveEvery == 0);
    if (saves && !options.save.empty())
      save(step);
    if (tracing && (step == traceTo || end))
      writeTrace(program, options.trace);
    if (!problem.empty())
      fail(ExitData, problem,
           options.save.empty()
               ? "without --save nothing was written"
               : format("the checkpoint of step %lld is written",
                        static_cast<long long>(step)));
    if (!signal)
      continue;
    if (first())
      log->say(format(
          "stopped by %s after step %lld%s", signalName(signal),
          static_cast<long long>(step),
          options.save.empty() ? "; without --save nothing was written" : ""));
    return;
  }
}

void pcc::train(const pcc_program &program, TrainingOptions options,
                const Launch &launch) {
  Run run(program, options, launch);
  if (run.begin()) {
    run.loop();
    run.finish();
  }
  setPhase("the end");
  leaveSaveFolder();
}
