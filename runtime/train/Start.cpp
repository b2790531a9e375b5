//===- Start.cpp - What comes before the first step -----------------------===//

#include "runtime/train/Run.h"

#include "runtime/data/Roles.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Console.h"
#include "runtime/telemetry/Trace.h"
#include "runtime/train/Destinations.h"
#include "runtime/train/Info.h"

#include <algorithm>

using namespace pcc;

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
  arena = backend::allocateArena(stage.arena_bytes, stage.kept_bytes);
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
  steps = std::make_unique<Steps>(
      StepMachine{program, stage, coordinates, context, arena}, *data, *order,
      !options.report.empty());
  ahead = mayBeAhead() ? backend::stepsAhead() : 0;
  if (first())
    log = std::make_unique<Log>(options, done, last, program.seq > 0,
                                findColumns(launch));
}

/// Whether the program's steps are told which update they are.
static bool countsUpdates(const pcc_program &program) {
  for (int i = 0; i < program.n_stages; ++i)
    for (int j = 0; j < program.stages[i].n_inputs; ++j)
      if (roleOf(program.stages[i].inputs[j]) == Role::Step)
        return true;
  return false;
}

bool Run::mayBeAhead() const {
  bool maySkip = options.skipEmpty || hasLossScale(program);
  return !maySkip || !countsUpdates(program);
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

bool Run::begin() {
  if (stopsEarly())
    return false;
  load();
  describe();
  return !stopsEarly();
}
