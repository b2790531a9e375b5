//===- Checkpoint.cpp - Saves and resumes training ------------------------===//

#include "runtime/common/Checkpoint.h"

#include "runtime/common/Backend.h"
#include "runtime/common/Error.h"
#include "runtime/common/Files.h"
#include "runtime/common/Inputs.h"
#include "runtime/common/ModelFile.h"
#include "runtime/common/OptimizerFile.h"
#include "runtime/common/SaveFolder.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace pcc;
using json = nlohmann::ordered_json;

static const int64_t greatestStep = int64_t{1} << 53;
static const char *const stateName = "/trainer_state.json";

static json planOf(const pcc_program &program) {
  json axes = json::array();
  for (int axis = 0; axis < program.n_axes; ++axis)
    axes.push_back({program.axes[axis].name, program.axes[axis].size});
  return {{"axes", axes}, {"world_size", worldSize(program)}};
}

static std::string trainerState(const TrainingState &state,
                                const Options &options, StepCount count) {
  const pcc_program &program = state.program;
  int64_t samples = count.step * globalBatch(program);
  json flags;
  for (auto &[name, value] : savedOptions(options))
    flags[name] = value;
  json text = {{"format", 1},
               {"model", program.model},
               {"step", count.step},
               {"skipped_steps", count.skipped},
               {"tokens", samples * program.seq},
               {"samples", samples},
               {"global_batch", globalBatch(program)},
               {"sequence", program.seq},
               {"plan", planOf(program)},
               {"rng", {{"kind", "counter"}, {"seed", state.initSeed}}},
               {"options", flags}};
  return text.dump(2) + "\n";
}

static bool isStepFolder(const std::string &name) {
  return name.compare(0, 5, "step-") == 0 &&
         name.find_first_not_of("0123456789", 5) == std::string::npos;
}

/// The names of complete checkpoints, oldest first.
static std::vector<std::string> checkpointsIn(const std::string &dir) {
  std::vector<std::string> steps;
  for (const std::string &name : listFolder(dir))
    if (isStepFolder(name) && exists(dir + "/" + name + stateName))
      steps.push_back(name);
  return steps;
}

/// Deletes what killed runs left, before a new checkpoint needs the space.
static void removeLeftovers(const std::string &dir) {
  for (const std::string &name : listFolder(dir)) {
    if (name.compare(0, 6, ".step-"))
      continue;
    // A kill while it was replaced; its successor is not complete.
    std::string step = name.substr(1, name.rfind('.') - 1);
    if (name == "." + step + ".old" && exists(dir + "/" + name + stateName) &&
        !exists(dir + "/" + step))
      replaceFile(dir + "/" + name, dir + "/" + step);
    else
      removeFolder(dir + "/" + name);
  }
}

/// Deletes all but the newest `keep` checkpoints; 0 keeps all.
static void removeOld(const std::string &dir, int64_t keep,
                      const std::string &newest) {
  std::vector<std::string> steps = checkpointsIn(dir);
  steps.erase(std::remove(steps.begin(), steps.end(), newest), steps.end());
  if (keep == 0)
    return;
  for (int64_t i = 0; i + keep - 1 < static_cast<int64_t>(steps.size()); ++i) {
    // Renamed first: a folder of this name is always complete.
    std::string aside = dir + "/." + steps[i] + ".gone";
    replaceFile(dir + "/" + steps[i], aside);
    removeFolder(aside);
  }
}

namespace {
/// Where a checkpoint goes.
struct Place {
  std::string dir, name;

  std::string folder() const { return dir + "/" + name; }
  std::string temporary() const { return dir + "/." + name + ".tmp"; }
  bool isGone() const { return !exists(temporary()) && !exists(folder()); }
};
} // namespace

/// True if no rank has an error to tell, false if the folder was deleted and
/// `again`. Otherwise ends the run: the first rank that has one tells it, when
/// all have closed their files and the incomplete folder is gone.
static bool agree(const std::string &error, const Place &place, bool again) {
  bool first = backend::rank() == 0;
  int failed = backend::maxOverRanks(
      error.empty() ? 0 : backend::size() - backend::rank());
  if (failed == 0)
    return true;
  if (backend::maxOverRanks(first && again && place.isGone()))
    return false;
  if (first) {
    removeFolder(place.temporary());
    leaveSaveFolder();
  }
  backend::maxOverRanks(0);
  if (backend::rank() == backend::size() - failed)
    fail(ExitOutput, error);
  backend::maxOverRanks(0); // until that rank ends this one
  return true;
}

/// What rank 0 does when all files of a checkpoint but the last are written.
static std::string complete(const TrainingState &state, const Options &options,
                            StepCount count, const Place &place) {
  const std::string &dir = place.dir;
  // A run that came to own the folder meanwhile may write under these names.
  requireSaveFolder();
  std::string error = writeFile(place.temporary() + stateName,
                                trainerState(state, options, count));
  if (error.empty())
    error = syncFolder(place.temporary());
  if (error.empty())
    error = replaceFolder(place.temporary(), place.folder(),
                          dir + "/." + place.name + ".old");
  if (error.empty())
    error = syncFolder(dir);
  if (error.empty())
    error = writeFile(dir + "/.latest.tmp", place.name + "\n");
  if (error.empty()) {
    requireSaveFolder();
    replaceFile(dir + "/.latest.tmp", dir + "/latest");
    error = syncFolder(dir);
  }
  if (error.empty())
    removeOld(dir, options.keep, place.name);
  return error;
}

/// Writes a checkpoint, or ends the run; false if the folder was deleted
/// meanwhile and `again`.
static bool tryToSave(const TrainingState &state, const Options &options,
                      StepCount count, const Place &place, bool again) {
  bool first = backend::rank() == 0;
  if (first) {
    requireSaveFolder();
    makeFolders(place.dir);
    removeLeftovers(place.dir);
    makeNewFolder(place.temporary());
  }
  backend::maxOverRanks(0);
  std::string error =
      writeModel(state, place.temporary() + "/model.safetensors");
  if (error.empty())
    error = writeOptimizer(state, place.temporary());
  if (!agree(error, place, again))
    return false;
  if (first)
    error = complete(state, options, count, place);
  return agree(error, place, again);
}

std::string pcc::saveCheckpoint(const TrainingState &state,
                                const Options &options, StepCount count) {
  Place place = {options.save,
                 format("step-%08lld", static_cast<long long>(count.step))};
  if (!tryToSave(state, options, count, place, /*again=*/true))
    tryToSave(state, options, count, place, /*again=*/false);
  return place.folder();
}

/// The checkpoint that DIR/latest names; empty if there is none.
static std::string readLatest(const std::string &dir) {
  std::string latest = dir + "/latest";
  if (!exists(latest))
    return "";
  MappedFile file(latest, ExitOutput, "file", "");
  std::string name(file.data(), file.size());
  name.erase(name.find_last_not_of("\n") + 1);
  if (!isStepFolder(name))
    fail(ExitOutput, format("'%s' does not name a checkpoint", latest.c_str()));
  // See removeLeftovers().
  for (const std::string &place : {name, "." + name + ".old"})
    if (exists(dir + "/" + place + stateName))
      return dir + "/" + place;
  return "";
}

std::string pcc::findCheckpoint(const std::string &dir) {
  if (exists(dir + stateName))
    return dir;
  std::string latest = readLatest(dir);
  if (!latest.empty())
    return latest;
  // A kill before the first 'latest', or a checkpoint that somebody deleted.
  std::vector<std::string> steps = checkpointsIn(dir);
  if (!steps.empty())
    return dir + "/" + steps.back();
  fail(ExitOutput,
       format("'%s' is not a checkpoint and holds none", dir.c_str()),
       "--resume takes the folder given to --save, or one step-* folder in it");
}

StepCount pcc::readTrainerState(const pcc_program &program,
                                const std::string &folder, Options &options,
                                Options &before) {
  std::string path = folder + stateName;
  MappedFile file(path, ExitOutput, "checkpoint", "");
  json state = json::parse(file.data(), file.data() + file.size(), nullptr,
                           /*allow_exceptions=*/false);
  auto refuse = [&](const char *what) {
    fail(ExitOutput, format("'%s' %s", path.c_str(), what));
  };
  if (!state.is_object() || !state["format"].is_number_integer() ||
      !state["step"].is_number_integer() || !state["options"].is_object() ||
      !state["global_batch"].is_number_integer() || state["step"] < 0 ||
      state["step"] > greatestStep)
    refuse("is not a trainer state");
  // Absent in those of earlier versions, which skipped none.
  json skipped = state.value("skipped_steps", json(0));
  if (!skipped.is_number_integer() || skipped < 0 || skipped > state["step"])
    refuse("is not a trainer state");
  if (state["format"] != 1)
    refuse("was written by a newer version");
  for (auto &[name, value] : state["options"].items()) {
    if (!value.is_string())
      refuse("is not a trainer state");
    restoreOption(options, name, value.get<std::string>());
    restoreOption(before, name, value.get<std::string>());
  }
  const std::pair<const char *, int64_t> sizes[] = {
      {"global_batch", globalBatch(program)}, {"sequence", program.seq}};
  for (auto [name, size] : sizes)
    if (backend::rank() == 0 && state[name] != size)
      warn(format("the checkpoint was trained with a %s of %s, this program "
                  "has %lld: the data differ from there on",
                  name, state[name].dump().c_str(),
                  static_cast<long long>(size)));
  return {state["step"].get<int64_t>(), skipped.get<int64_t>()};
}

void pcc::loadCheckpoint(const TrainingState &state,
                         const std::string &folder) {
  SafeTensors model(folder + "/model.safetensors", ExitOutput, "checkpoint");
  InitialValues values;
  values.kind = InitialValues::FromTensors;
  values.tensors = &model;
  values.code = ExitOutput;
  fillParameters(state.program, state.stage, state.coordinates, state.arena,
                 values, state.files);
  readOptimizer(state, folder);
}
