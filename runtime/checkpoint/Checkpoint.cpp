//===- Checkpoint.cpp - Saves and resumes training ------------------------===//

#include "runtime/checkpoint/Checkpoint.h"

#include "runtime/Backend.h"
#include "runtime/Version.h"
#include "runtime/checkpoint/DataState.h"
#include "runtime/checkpoint/OptimizerFile.h"
#include "runtime/checkpoint/SaveFolder.h"
#include "runtime/checkpoint/Writers.h"
#include "runtime/data/Inputs.h"
#include "runtime/model/ModelFolder.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <algorithm>

using namespace pcc;
using json = nlohmann::ordered_json;

static json planOf(const pcc_program &program) {
  json axes = json::array();
  for (int axis = 0; axis < program.n_axes; ++axis)
    axes.push_back({program.axes[axis].name, program.axes[axis].size});
  return {{"axes", axes}, {"world_size", worldSize(program)}};
}

static json trainerState(const TrainingState &state,
                         const TrainingOptions &options, StepCount count) {
  const pcc_program &program = state.program;
  int64_t samples = count.step * globalBatch(program);
  json flags;
  for (auto &[name, value] : savedOptions(options))
    flags[name] = value;
  json all = {{"format", 1},
              {"pcc_version", PCC_VERSION},
              {"model", program.model},
              {"step", count.step},
              {"skipped_steps", count.skipped},
              {"skipped_nonfinite", count.nonfinite},
              {"skipped_nonfinite_in_row", count.nonfiniteInRow},
              {"tokens", samples * program.seq},
              {"samples", samples},
              {"global_batch", globalBatch(program)},
              {"sequence", program.seq},
              {"data", dataState(count.data)},
              {"plan", planOf(program)},
              {"rng", {{"kind", "counter"}, {"seed", state.initSeed}}},
              {"options", flags}};
  if (!count.numbers.empty())
    all["numbers"] = count.numbers;
  return all;
}

/// Deletes the temporary folders of killed runs, before a new checkpoint needs
/// the space.
static void removeLeftovers(const std::string &dir) {
  for (const std::string &name : listFolder(dir)) {
    if (name.compare(0, 6, ".step-"))
      continue;
    // The run was killed between the two renames of replaceFolder(): this is
    // the last complete checkpoint of the step.
    std::string step = name.substr(1, name.rfind('.') - 1);
    if (name == "." + step + ".old" &&
        exists(dir + "/" + name + "/" + stateFile) && !exists(dir + "/" + step))
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
    // Renamed before deletion: a folder named step-* is always complete.
    std::string aside = dir + "/." + steps[i] + ".gone";
    replaceFile(dir + "/" + steps[i], aside);
    removeFolder(aside);
  }
}

namespace {
/// The paths of a checkpoint: DIR/step-* and its temporary name.
struct CheckpointPath {
  std::string dir, name;

  std::string folder() const { return dir + "/" + name; }
  std::string temporary() const { return dir + "/." + name + ".tmp"; }
  bool isGone() const { return !exists(temporary()) && !exists(folder()); }
};
} // namespace

/// Combines the errors of all ranks. Returns true if no rank has one, and false
/// if `again` is set and the folder was deleted meanwhile. Otherwise ends the
/// run: once all ranks have closed their files and the incomplete folder is
/// deleted, the lowest failed rank reports its error.
static bool agree(const std::string &error, const CheckpointPath &place,
                  bool again) {
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
  backend::maxOverRanks(0); // waits until that rank ends this one
  return true;
}

/// Gathers the "files" entries of trainer_state.json on rank 0: the model's
/// files and the optimizer file of each rank. Other ranks return null.
static json gatherFiles(const WrittenShards &model,
                        const WrittenFile &optimizer) {
  std::string own;
  // Names come from models and may not be UTF-8.
  if (optimizer.hashes.bytes)
    own = entryOf(optimizer.hashes, optimizer.pieces)
              .dump(-1, ' ', false, json::error_handler_t::replace);
  int64_t size = own.size();
  if (backend::rank() != 0) {
    backend::send(&size, sizeof(size), 0);
    backend::send(own.data(), size, 0);
    return {};
  }
  json files;
  for (auto &[name, hashes] : model)
    files[name] = entryOf(hashes);
  for (int rank = 0; rank < backend::size(); ++rank) {
    if (rank > 0) {
      backend::receive(&size, sizeof(size), rank);
      own.resize(size);
      backend::receive(own.data(), size, rank);
    }
    if (size > 0)
      files[optimizerFile(rank)] = json::parse(own);
  }
  return files;
}

/// Completes a checkpoint on rank 0 once all other files are written: writes
/// trainer_state.json, renames the folder, updates DIR/latest and deletes old
/// checkpoints. Returns the error, or an empty string.
static std::string complete(const std::string &text, const TrainingState &state,
                            const TrainingOptions &options,
                            const CheckpointPath &place) {
  const std::string &dir = place.dir;
  // A run that took the folder over may be writing under the same names.
  requireSaveFolder();
  std::string error;
  if (state.folderFiles)
    error = state.folderFiles->write(place.temporary());
  if (error.empty())
    error = writeFile(place.temporary() + "/" + stateFile, text);
  if (error.empty())
    error = syncFolder(place.temporary() + "/" + optimizerFolder);
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

/// Writes a checkpoint, or ends the run. Returns false if `again` is set and
/// the folder was deleted meanwhile.
static bool tryToSave(const TrainingState &state,
                      const TrainingOptions &options, StepCount count,
                      const CheckpointPath &place, bool again) {
  bool first = backend::rank() == 0;
  if (first) {
    requireSaveFolder();
    makeFolders(place.dir);
    removeLeftovers(place.dir);
    makeNewFolder(place.temporary());
    makeNewFolder(place.temporary() + "/" + optimizerFolder);
  }
  backend::maxOverRanks(0);
  std::string error;
  std::vector<bool> writers = findWriters(place.temporary(), error);
  if (!agree(error, place, again))
    return false;
  ModelForm form = modelForm(options);
  WrittenShards model;
  WrittenFile optimizer;
  error =
      writeModel(state, count.step, place.temporary(), writers, form, model);
  if (error.empty())
    error = writeOptimizer(state, count.step, place.temporary(), writers,
                           form.types, optimizer);
  if (!agree(error, place, again))
    return false;
  json files = gatherFiles(model, optimizer);
  if (first)
    error = complete(stateText(trainerState(state, options, count), files),
                     state, options, place);
  return agree(error, place, again);
}

ModelForm pcc::modelForm(const TrainingOptions &options) {
  return {options.saveDtype == "f32" ? SavedTypes::F32 : SavedTypes::Source,
          parseBytes(options.maxShardSize).value_or(0)};
}

std::string pcc::saveCheckpoint(const TrainingState &state,
                                const TrainingOptions &options,
                                StepCount count) {
  CheckpointPath place = {
      options.save, format("step-%08lld", static_cast<long long>(count.step))};
  if (!tryToSave(state, options, count, place, /*again=*/true))
    tryToSave(state, options, count, place, /*again=*/false);
  return place.folder();
}

StepCount pcc::readTrainerState(const pcc_program &program,
                                const SavedFiles &files,
                                TrainingOptions &options,
                                TrainingOptions &before) {
  const std::string &folder = files.folder();
  const json &state = files.fields();
  auto refuse = [&](const char *what) {
    fail(ExitOutput, format("'%s/%s' %s", folder.c_str(), stateFile, what));
  };
  auto has = [&](const char *name, bool (json::*is)() const) {
    return state.contains(name) && (state[name].*is)();
  };
  if (!has("format", &json::is_number_integer) ||
      !has("options", &json::is_object) ||
      !has("global_batch", &json::is_number_integer) ||
      !has("sequence", &json::is_number_integer))
    refuse("is not a trainer state");
  StepCount count;
  count.step = files.step();
  // Earlier versions, which skipped no steps, did not write these fields.
  auto readCount = [&](const char *name, int64_t most) {
    json value = state.value(name, json(0));
    if (!value.is_number_integer() || value < 0 || value > most)
      refuse("is not a trainer state");
    return value.get<int64_t>();
  };
  count.skipped = readCount("skipped_steps", count.step);
  count.nonfinite = readCount("skipped_nonfinite", count.skipped);
  count.nonfiniteInRow = readCount("skipped_nonfinite_in_row", count.nonfinite);
  // Only checkpoints of programs with a loss scale have this field.
  if (state.contains("numbers")) {
    for (auto &[name, value] : state["numbers"].items()) {
      if (!value.is_number_integer())
        refuse("is not a trainer state");
      count.numbers[name] = value;
    }
    if (!areValid(count.numbers))
      refuse("is not a trainer state");
  }
  if (state["format"] != 1)
    refuse("was written by a newer version");
  if (!files.isHashed() && backend::rank() == 0)
    warn(format("checkpoint '%s' has no hashes: damage cannot be detected",
                folder.c_str()));
  for (auto &[name, value] : state["options"].items()) {
    if (!value.is_string())
      refuse("is not a trainer state");
    restoreOption(options, name, value.get<std::string>());
    restoreOption(before, name, value.get<std::string>());
  }
  if (!readDataState(state, before.data, count.step, count.data))
    refuse("is not a trainer state");
  const std::pair<const char *, int64_t> sizes[] = {
      {"global_batch", globalBatch(program)}, {"sequence", program.seq}};
  for (auto [name, size] : sizes)
    if (backend::rank() == 0 && state[name] != size)
      warn(format("the checkpoint was trained with a %s of %s, this program "
                  "has %lld: the remaining steps see other data",
                  name, state[name].dump().c_str(),
                  static_cast<long long>(size)));
  return count;
}

void pcc::loadCheckpoint(const TrainingState &state, const SavedFiles &files) {
  std::unique_ptr<WeightFiles> model = files.openModel();
  InitialValues values;
  values.kind = InitialValues::FromTensors;
  values.tensors = model.get();
  values.code = ExitOutput;
  fillParameters(state.program, state.stage, state.coordinates, state.arena,
                 values, state.files);
  readOptimizer(state, files, *model);
}
