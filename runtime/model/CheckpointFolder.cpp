//===- CheckpointFolder.cpp - Finds checkpoints ---------------------------===//

#include "runtime/model/CheckpointFolder.h"

#include "runtime/Backend.h"
#include "runtime/model/SavedFiles.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"
#include "runtime/support/MappedFile.h"

#include <cstdlib>

using namespace pcc;

static bool isComplete(const std::string &folder) {
  return exists(folder + "/" + stateFile);
}

static bool isStepFolder(const std::string &name) {
  return name.compare(0, 5, "step-") == 0 &&
         name.find_first_not_of("0123456789", 5) == std::string::npos;
}

std::vector<std::string> pcc::checkpointsIn(const std::string &dir) {
  std::vector<std::string> steps;
  for (const std::string &name : listFolder(dir))
    if (isStepFolder(name) && isComplete(dir + "/" + name))
      steps.push_back(name);
  return steps;
}

/// Returns the checkpoint that DIR/latest names; empty if there is none.
static std::string readLatest(const std::string &dir) {
  std::string latest = dir + "/latest";
  if (!exists(latest))
    return "";
  MappedFile file(latest, ExitOutput, "file", "");
  std::string name(file.data(), file.size());
  name.erase(name.find_last_not_of("\n") + 1);
  std::vector<std::string> steps = checkpointsIn(dir);
  if (!isStepFolder(name))
    fail(ExitOutput, format("'%s' does not name a checkpoint", latest.c_str()),
         steps.empty() ? ""
                       : "--resume " + dir + "/" + steps.back() +
                             " continues from the newest one");
  // The run was killed before it renamed 'latest', or the file is damaged.
  if (!steps.empty() && stepOfFolder(steps.back()) > stepOfFolder(name) &&
      backend::rank() == 0)
    warn(format("'%s' names %s, but %s in the same folder is complete and "
                "newer: --resume %s/%s continues from it",
                latest.c_str(), name.c_str(), steps.back().c_str(), dir.c_str(),
                steps.back().c_str()));
  // The second name exists if a kill interrupted the replacement of the
  // folder, see removeLeftovers().
  for (const std::string &place : {name, "." + name + ".old"})
    if (isComplete(dir + "/" + place))
      return dir + "/" + place;
  std::string folder = dir + "/" + name;
  if (exists(folder))
    fail(ExitOutput,
         format("checkpoint '%s' has no %s", folder.c_str(), stateFile),
         olderNote(folder));
  if (!steps.empty() && backend::rank() == 0)
    warn(format("'%s' names %s, which is missing: the run continues from %s",
                latest.c_str(), name.c_str(), steps.back().c_str()));
  return "";
}

std::string pcc::findCheckpoint(const std::string &dir) {
  if (isComplete(dir))
    return dir;
  std::string latest = readLatest(dir);
  if (!latest.empty())
    return latest;
  // The run was killed before it wrote 'latest', or its checkpoint was deleted.
  std::vector<std::string> steps = checkpointsIn(dir);
  if (!steps.empty())
    return dir + "/" + steps.back();
  fail(ExitOutput,
       format("'%s' is not a checkpoint and holds none", dir.c_str()),
       "--resume takes the folder given to --save, or one step-* folder in it");
}

namespace {
/// The path of a checkpoint folder, split into parent folder and name.
struct Parts {
  std::string dir; ///< with a slash at its end, or empty
  std::string name;
};
} // namespace

static Parts partsOf(std::string folder) {
  folder.erase(folder.find_last_not_of('/') + 1);
  std::string dir = folderOf(folder);
  return {dir, folder.substr(dir.size())};
}

int64_t pcc::stepOfFolder(const std::string &folder) {
  std::string name = partsOf(folder).name;
  if (name.size() > 5 && name.front() == '.' &&
      name.compare(name.size() - 4, 4, ".old") == 0)
    name = name.substr(1, name.size() - 5);
  return isStepFolder(name) && name.size() > 5 && name.size() < 23
             ? strtoll(name.c_str() + 5, nullptr, 10)
             : -1;
}

std::string pcc::olderNote(const std::string &folder) {
  int64_t step = stepOfFolder(folder), found = -1;
  std::string dir = partsOf(folder).dir, older;
  for (const std::string &name : checkpointsIn(dir.empty() ? "." : dir)) {
    int64_t other = stepOfFolder(name);
    if (other >= 0 && other < step && other > found) {
      found = other;
      older = dir + name;
    }
  }
  if (step < 0)
    return "";
  if (older.empty())
    return "there is no older checkpoint in its folder";
  return "--resume " + older + " continues from the one before";
}
