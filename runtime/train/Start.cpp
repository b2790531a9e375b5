//===- Start.cpp - The preparation of a training run ----------------------===//

#include "runtime/train/Run.h"

#include "runtime/data/Roles.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"
#include "runtime/telemetry/Console.h"
#include "runtime/telemetry/Trace.h"
#include "runtime/train/Destinations.h"
#include "runtime/train/Info.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace pcc;

/// The bytes of ids of each data set that are checked at the start, about a
/// second of work.
static const int64_t checkedBytes = int64_t{1} << 30;

static const pcc_stage &ownStage(const pcc_program &program,
                                 const Coordinates &coordinates) {
  return program.stages[stageOf(program, coordinates)];
}

/// Whether an input of any stage has this role.
static bool hasRole(const pcc_program &program, Role role) {
  for (int i = 0; i < program.n_stages; ++i)
    for (int j = 0; j < program.stages[i].n_inputs; ++j)
      if (roleOf(program.stages[i].inputs[j]) == role)
        return true;
  return false;
}

/// Warns of hyperparameters that the program's optimizer does not have.
static void warnOfScalars(const pcc_program &program,
                          const TrainingOptions &options) {
  const std::pair<const char *, Role> flags[] = {
      {"weight-decay", Role::WeightDecay},
      {"beta1", Role::Beta1},
      {"beta2", Role::Beta2},
      {"eps", Role::Epsilon},
      {"clip-grad", Role::ClipGrad}};
  for (auto [name, role] : flags)
    if (options.given.count(name) && !hasRole(program, role))
      warn(format("--%s changes nothing: the optimizer that this program was "
                  "compiled with does not have it",
                  name));
}

Run::Run(const pcc_program &program, const TrainingOptions &given,
         const Launch &launch)
    : program(program), options(given), launch(launch),
      coordinates(coordinatesOf(program, backend::rank())),
      stage(ownStage(program, coordinates)), files(program, given.model) {
  checkInputs(stage);
  if (first())
    warnOfScalars(program, options);
  // Not every run reads this file.
  if (std::string path = files.modelPath();
      !options.model.empty() && !exists(path))
    fail(ExitData, format("cannot read model file '%s': %s", path.c_str(),
                          strerror(ENOENT)));
  TrainingOptions earlier;
  if (!options.resume.empty()) {
    checkpoint = std::make_unique<SavedFiles>(findCheckpoint(options.resume));
    before = readTrainerState(program, *checkpoint, options, earlier);
    done = savedStep = before.step;
    nonfiniteInRow = before.nonfiniteInRow;
  }
  if (options.data.empty())
    fail(ExitUsage, "--data PATH is missing", "--help lists all flags");
  if (!options.valData.empty() && !stage.evaluate)
    fail(ExitUsage, "--val-data: this program was compiled without evaluation");

  if (first())
    checkDestinations(program, options, files,
                      checkpoint ? checkpoint->folder() : "");
  readFolderFiles();
  data = std::make_unique<TrainingData>(program, options, before.data);
  if (!options.valData.empty()) {
    valData = openDataset(program, options.valData, "val-data");
    evaluation = std::make_unique<Evaluation>(program, options, *valData);
  }
  checkLossScale();
  isOnePass = options.steps == 0;
  if (isOnePass)
    options.steps =
        std::max<int64_t>(1, data->dataset().samples() / globalBatch(program));
  schedule = scheduleOf(options);
  if (checkpoint)
    checkRates(earlier);
  last = options.steps;
  if (options.stopAfter)
    last = std::min(last, options.stopAfter);
  chooseTrace();
  if (first())
    warnOfUnused();
}

void Run::load() {
  context = backend::prepare(program, coordinates, resources);
  arena = backend::allocateArena(stage.arena_bytes, stage.kept_bytes,
                                 offloadOf(program, stage, options));
  communication = backend::communicationText();
  // Errors in the data are reported now, not when a step reaches them.
  if (first()) {
    Operation check("check of the data");
    int64_t budget = checkedBytes, valBudget = checkedBytes;
    allChecked = data->dataset().check(budget);
    if (valData)
      allChecked = valData->check(valBudget) && allChecked;
  }
  Operation loading("load of the weights");
  if (!checkpoint)
    fillParameters(
        program, stage, coordinates, arena,
        initialValues(program, options.init, options.seed, initFiles), files);
  else
    loadCheckpoint(state(), *checkpoint);
  roundWorkingCopies(program, stage, coordinates, arena);
  writeNumbers(stage, arena, firstNumbers());
  initFiles.reset();
  steps = std::make_unique<Steps>(
      StepMachine{program, stage, coordinates, context, arena}, data->dataset(),
      data->order(), !options.report.empty());
  ahead = mayBeAhead() ? backend::stepsAhead() : 0;
  if (first())
    log = std::make_unique<Log>(options, done, last, program.seq > 0,
                                findColumns(launch));
}

bool Run::mayBeAhead() const {
  bool maySkip =
      options.skipEmpty || options.skipNonfinite || hasLossScale(program);
  // With the role Step the host passes the number of the update, which depends
  // on the steps before.
  return !maySkip || !hasRole(program, Role::Step);
}

void Run::checkLossScale() const {
  for (const char *name : {"initial-loss-scale", "loss-scale-window"})
    if (options.given.count(name) && !hasLossScale(program))
      fail(ExitUsage, format("--%s: this program has no loss scale", name),
           "programs compiled with pcc --precision fp16 have one");
  auto known = before.numbers.find(lossScaleName);
  if (options.given.count("initial-loss-scale") &&
      known != before.numbers.end())
    fail(ExitUsage,
         format("--initial-loss-scale: the checkpoint has a loss scale of "
                "%lld",
                static_cast<long long>(known->second)));
}

Numbers Run::firstNumbers() const {
  Numbers first = {{lossScaleName, options.initialLossScale},
                   {goodStepsName, 0},
                   {updatesName, done - before.skipped}};
  // A checkpoint has all of them, or none if it has another precision.
  for (auto &[name, value] : before.numbers)
    first[name] = value;
  return first;
}

void Run::checkRates(const TrainingOptions &earlier) {
  if (options.minLr > options.lr)
    fail(ExitUsage,
         format("--lr %g is less than the checkpoint's --min-lr %g", options.lr,
                options.minLr),
         "give --min-lr, too");
  changes = changedOptions(earlier, options);
  // After warm-up, a rising rate means that the schedule restarts.
  double was = scheduleOf(earlier).at(done), is = schedule.at(done + 1);
  if (first() && done >= options.warmupSteps && is > was * (1 + 1e-9) &&
      done < options.steps)
    warn(format("the learning rate rises from %g of step %lld to %g of step "
                "%lld",
                was, static_cast<long long>(done), is,
                static_cast<long long>(done + 1)));
}

void Run::readFolderFiles() {
  if (!first() || options.save.empty() || options.weightsOnly)
    return;
  folderFiles =
      FolderFiles::read(program, files, checkpoint ? checkpoint->folder() : "");
  if (folderFiles && modelForm(options).types == SavedTypes::F32)
    folderFiles->setF32();
}

void Run::describe() const {
  if (!first())
    return;
  std::string text = launchLine(launch, resources) + "\n";
  backend::Offload offload = offloadOf(program, stage, options);
  text += format("model      %s, %s parameters, %s on this rank%s\n",
                 program.model, grouped(program.parameters).c_str(),
                 bytesText(stage.arena_bytes - offload.bytes).c_str(),
                 offloadText(offload).c_str());
  text += format("mesh       %s\n", meshText(program).c_str());
  if (std::string gemms = gemmText(program); !gemms.empty())
    text += "GEMMs      " + gemms + "\n";
  if (!communication.empty())
    text += "comm       " + communication + "\n";
  std::string rest =
      allChecked
          ? ""
          : format("; %s of ids were checked, the rest will be when they "
                   "are read",
                   bytesText(checkedBytes).c_str());
  text += data->describe(isOnePass, rest);
  if (valData)
    text += "validation " + dataText(program, *valData) + ", " +
            evaluation->describe() + "\n";
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
    text += format("loss scale %s, doubled after %s steps without overflow\n",
                   grouped(readNumbers(stage, arena).at(lossScaleName)).c_str(),
                   grouped(options.lossScaleWindow).c_str());
  if (folderFiles)
    text += format("saves      model directories, with %zu file%s of '%s'\n",
                   folderFiles->count(), folderFiles->count() == 1 ? "" : "s",
                   folderFiles->folder().c_str());
  if (checkpoint)
    text += format("resumed    %s, %lld steps done\n",
                   checkpoint->folder().c_str(), static_cast<long long>(done));
  for (const std::string &change : changes)
    text += format("changed    %s\n", change.c_str());
  for (const std::string &line : data->changes())
    text += line + "\n";
  print(text);
}

bool Run::evaluatesAfter(int64_t step) const {
  return valData && (options.evalEvery > 0 ? step % options.evalEvery == 0
                                           : step == options.steps);
}

void Run::warnOfUnused() const {
  auto text = [](int64_t number) {
    return format("%lld", static_cast<long long>(number));
  };
  if (options.given.count("min-lr") && options.lrSchedule == "constant")
    warn("--min-lr changes nothing: the schedule 'constant' stays at --lr");
  if (options.warmupSteps >= options.steps)
    warn("--warmup-steps " + text(options.warmupSteps) +
         ": the learning rate rises up to the last step, " +
         text(options.steps) + ", so that --lr-schedule changes nothing");
  if (options.stopAfter > options.steps)
    warn("--stop-after " + text(options.stopAfter) +
         " changes nothing: the last step is " + text(options.steps));
  int64_t every = options.evalEvery > 0 ? options.evalEvery : options.steps;
  bool evaluates = evaluatesAfter(last) || last / every > done / every;
  if (valData && !evaluates && done < last)
    warn("--val-data is not evaluated on: this run ends with step " +
         text(last) +
         (options.evalEvery > 0
              ? ", --eval-every is " + text(options.evalEvery)
              : ", the evaluation is after step " + text(options.steps)));
}

/// Chooses the steps of --trace, which must be among those of this run.
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
