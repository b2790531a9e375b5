//===- Reference.cpp - The runs that a plan is compared with --------------===//

#include "tools/pcc/verify/Reference.h"
#include "runtime/support/Error.h"
#include "tools/pcc/Output.h"
#include "tools/pcc/verify/Digests.h"
#include "tools/pcc/verify/MadeData.h"
#include "tools/pcc/verify/OneRank.h"
#include "tools/pcc/verify/RunLog.h"
#include "tools/pcc/verify/SameModel.h"
#include "tools/pcc/verify/SavedTensors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace pcc;

/// Steps in which a loss scale may become small enough.
static constexpr int64_t kScaleSteps = 16;
static constexpr StringLiteral kDescription = "reference.json";

//===----------------------------------------------------------------------===//
// Making a reference
//===----------------------------------------------------------------------===//

namespace {
class Maker {
public:
  Maker(const Arguments &one, const Facts &plan, StringRef folder,
        Compile compile)
      : one(one), plan(plan), folder(folder), compile(compile) {}

  FailureOr<Reference> make();

private:
  LogicalResult compileBoth();
  LogicalResult findData();
  LogicalResult calibrate();
  RunSettings settingsOf(StringRef name) const;
  LogicalResult refuse(const Twine &message, const Twine &note) const;
  LogicalResult makeFolder(const Twine &path) const;

  const Arguments &one;
  const Facts &plan;
  std::string folder;
  Compile compile;
  Reference made;
  int threads = 0, otherThreads = 0;
  bool hasOther = false; ///< whether the second run has a program of its own
};
} // namespace

LogicalResult Maker::refuse(const Twine &message, const Twine &note) const {
  llvm::errs() << one.input << ": error: " << message << "\n"
               << one.input << ": note: " << note << "\n";
  return failure();
}

LogicalResult Maker::makeFolder(const Twine &path) const {
  std::error_code error = llvm::sys::fs::create_directories(path);
  return error ? refuse("cannot make the folder '" + path +
                            "': " + error.message(),
                        "give another --reference, or another TMPDIR")
               : success();
}

/// Returns another micro batch for one rank; 0: there is none.
static int64_t otherMicroBatch(int64_t micro, int64_t globalBatch) {
  for (int64_t prime = 2; prime <= micro; ++prime)
    if (micro % prime == 0)
      return micro / prime;
  for (int64_t prime = 2; prime <= globalBatch; ++prime)
    if (globalBatch % prime == 0)
      return prime;
  return 0;
}

LogicalResult Maker::compileBoth() {
  for (StringRef part : {"one", "other"})
    if (failed(makeFolder(folder + "/" + part)))
      return failure();
  Compiling first(one, folder + "/one/program", "", compile);
  if (first.facts() && failed(checkSameModel(one, plan, *first.facts()))) {
    first.stop();
    return failure();
  }
  std::optional<Compiling> second;
  int64_t micro =
      otherMicroBatch(one.options.microBatch, one.options.globalBatch);
  if (micro) {
    Arguments other = one;
    other.options.microBatch = micro;
    // A file or a loss may allow only one micro batch.
    second.emplace(other, folder + "/other/program", folder + "/other.txt",
                   compile);
  }
  int code = first.finish();
  hasOther = second && second->finish() == 0;
  if (code)
    return failure();
  if (!first.facts())
    return refuse("is past phase 'rt'",
                  "give the model, and the text of the plan with --plan");
  made.facts = *first.facts();
  if (made.facts.ranks() != 1)
    return refuse("is compiled for " + Twine(made.facts.ranks()) + " ranks",
                  "give the model, and this text with --plan");
  if (made.facts.globalBatch != plan.globalBatch)
    return refuse("one rank trains with " + Twine(made.facts.globalBatch) +
                      " samples per step, the plan with " +
                      Twine(plan.globalBatch),
                  "give --global-batch-size " + Twine(plan.globalBatch));
  if (hasOther) {
    made.other = "micro batch " + std::to_string(micro);
    return success();
  }
  int cores = int(std::max(1u, std::thread::hardware_concurrency()));
  threads = cores;
  otherThreads = cores > 1 ? 1 : 2;
  made.other = std::to_string(otherThreads) +
               (otherThreads == 1 ? " thread" : " threads");
  return success();
}

RunSettings Maker::settingsOf(StringRef name) const {
  bool isOther = name == "other";
  RunSettings settings;
  settings.folder = folder + "/" + name.str();
  settings.program =
      folder + (isOther && hasOther ? "/other" : "/one") + "/program";
  settings.data = made.data;
  settings.hasWeights = made.facts.hasWeights && !one.options.randomInit;
  settings.threads = isOther ? otherThreads : threads;
  return settings;
}

LogicalResult Maker::findData() {
  made.data = one.verification->data;
  if (!made.data.empty())
    return success();
  made.data = folder + "/data";
  if (failed(makeFolder(made.data)))
    return failure();
  int64_t samples = plan.globalBatch * one.verification->steps;
  return makeData(made.facts.inputs, samples, made.data);
}

/// Trains with rate 0, which gives the initial values and the size of the first
/// gradient, and chooses the hyper-parameters by them.
LogicalResult Maker::calibrate() {
  RunSettings settings = settingsOf("one");
  int64_t count = 1, first = 0;
  std::vector<LoggedStep> steps;
  while (!first && count <= kScaleSteps) {
    int code =
        runProgram(settings, "initial",
                   {"--steps=" + std::to_string(count), "--lr=0", "--min-lr=0",
                    "--weight-decay=0", "--clip-grad=0", "--seed=7",
                    "--stop-after=" + std::to_string(count)});
    if (code) {
      reportFailure(settings, "initial", code, "one rank", one.input);
      if (code == ExitData && one.verification->data.empty())
        llvm::errs() << one.input
                     << ": note: the data is made up; give --data PATH\n";
      return failure();
    }
    steps = readLog(logOf(settings.folder, "initial"));
    first = firstUpdate(steps);
    // The data has a batch for each step, and starts again at its end.
    count = first ? count : count * kScaleSteps;
  }
  double norm = first ? steps[first - 1].norm : 0;
  if (!first || !std::isfinite(norm) || norm == 0)
    return refuse("one rank has a first gradient of norm " +
                      Twine(std::to_string(norm)),
                  "with --data PATH the model may have one that can be "
                  "compared");
  if (first > one.verification->steps)
    return refuse("the first " + Twine(first - 1) +
                      " steps overflow in fp16, and update nothing",
                  "give --steps " + Twine(first + 3));
  SavedTensors initial(checkpointOf(settings.folder, "initial", count));
  double squares = 0;
  for (const std::string &name : initial.parameters())
    for (float value : initial.parameter(name).values)
      squares += double(value) * value;
  made.hyperparameters = chooseHyperparameters(
      one.options.optimizer, one.options.precision, one.verification->steps,
      norm, std::sqrt(squares), made.facts.trained);
  made.hyperparameters.firstUpdate = first;
  // Comparisons find it under one name.
  if (count != 1)
    llvm::sys::fs::rename(checkpointOf(settings.folder, "initial", count),
                          checkpointOf(settings.folder, "initial", 1));
  return success();
}

FailureOr<Reference> Maker::make() {
  made.folder = folder;
  if (failed(compileBoth()) ||
      failed(checkFits(made.facts, plan, "one rank", one.input)) ||
      failed(findData()) || failed(calibrate()) ||
      failed(runTwice(settingsOf("one"), "one rank", made.hyperparameters,
                      one.input, false)) ||
      failed(runTwice(settingsOf("other"), "one rank with " + made.other,
                      made.hyperparameters, one.input, false)))
    return failure();
  return made;
}

//===----------------------------------------------------------------------===//
// Reusing a reference
//===----------------------------------------------------------------------===//

/// Returns the first file of a folder that is not as it was recorded, and how;
/// empty if there is none.
static std::string findDamage(StringRef folder,
                              const llvm::json::Object &recorded) {
  Digests now = digestsIn(folder);
  for (const auto &[name, value] : recorded) {
    auto found = now.find(name.str());
    if (found == now.end())
      return "'" + name.str() + "' is missing";
    if (value.getAsString() != StringRef(found->second))
      return "'" + name.str() + "' has changed";
  }
  return "";
}

/// Reads a reference of this key; nullopt if there is none. One with damaged
/// files is none, either, with a warning.
static std::optional<Reference> readReference(StringRef folder, StringRef key,
                                              StringRef input) {
  auto value =
      llvm::json::parse(readWhole((folder + "/" + kDescription).str()));
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *object = value->getAsObject();
  const llvm::json::Object *files =
      object ? object->getObject("files") : nullptr;
  if (!files || object->getString("key") != key || !object->get("facts") ||
      !object->get("hyperparameters"))
    return std::nullopt;
  auto facts = factsFrom(*object->get("facts"));
  auto chosen = hyperparametersFrom(*object->get("hyperparameters"));
  if (!facts || !chosen)
    return std::nullopt;
  if (std::string damage = findDamage(folder, *files); !damage.empty()) {
    llvm::errs() << input << ": warning: the reference in '" << folder
                 << "' is made again: " << damage << "\n";
    return std::nullopt;
  }
  std::string data = object->getString("data").value_or("").str();
  if (data.empty())
    data = (folder + "/data").str();
  return Reference{folder.str(),
                   *facts,
                   *chosen,
                   data,
                   object->getString("other").value_or("").str(),
                   true};
}

static LogicalResult writeReference(const Reference &reference, StringRef key,
                                    StringRef data) {
  llvm::json::Object files;
  for (const auto &[name, digest] : digestsIn(reference.folder))
    files[name] = digest;
  llvm::json::Value value =
      llvm::json::Object{{"key", key},
                         {"files", std::move(files)},
                         {"facts", toJson(reference.facts)},
                         {"hyperparameters", toJson(reference.hyperparameters)},
                         {"data", data},
                         {"other", reference.other}};
  return writeText(reference.folder + "/" + kDescription.str(),
                   [&](llvm::raw_ostream &os) { os << value << "\n"; });
}

FailureOr<Reference> pcc::getReference(const Arguments &arguments,
                                       const Facts &plan, StringRef folder,
                                       Compile compile) {
  Arguments one = oneRank(arguments, plan);
  StringRef references = one.verification->reference;
  if (references.empty())
    return Maker(one, plan, (folder + "/reference").str(), compile).make();
  std::string key = keyOf(one, plan);
  std::string path =
      (references + "/" + llvm::utohexstr(llvm::xxh3_64bits(key), true)).str();
  if (auto known = readReference(path, key, one.input)) {
    if (failed(checkSameModel(one, plan, known->facts)))
      return failure();
    return *known;
  }
  std::string temporary = path + ".tmp-" + std::to_string(::getpid());
  auto made = Maker(one, plan, temporary, compile).make();
  if (succeeded(made))
    if (failed(writeReference(*made, key, one.verification->data)))
      made = failure();
  if (failed(made)) {
    llvm::sys::fs::remove_directories(temporary);
    return failure();
  }
  // Another process may have made the same one; or a stale one is there.
  llvm::sys::fs::remove_directories(path);
  if (llvm::sys::fs::rename(temporary, path)) {
    llvm::errs() << one.input << ": error: cannot write '" << path << "'\n";
    return failure();
  }
  made->folder = path;
  if (one.verification->data.empty())
    made->data = path + "/data";
  return made;
}
