//===- ExportDirectory.cpp - From a directory to an ONNX file -------------===//
//
// The export of DIR for the output `train` is the folder
//
//   train.model/model.onnx        and model.onnx.data, of pcc-export
//   train.model/config.json       and the tokenizer's files, copies of DIR's
//   train.model/export.json       what the export was made from
//
// An export is made in a folder with another name, which is then renamed.
//
//===----------------------------------------------------------------------===//

#include "tools/pcc/Directory/ExportDirectory.h"
#include "runtime/Version.h"
#include "tools/pcc/Child.h"
#include "tools/pcc/Directory/ExportFolder.h"
#include "tools/pcc/Directory/Exporter.h"
#include "tools/pcc/Directory/ModelDirectory.h"
#include "tools/pcc/Directory/Python.h"
#include "tools/pcc/Output.h"
#include "tools/pcc/Summary.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <csignal>
#include <cstring>

using namespace mlir;
using namespace pcc;

namespace fs = llvm::sys::fs;

static int refuseExport(const Twine &what, ArrayRef<std::string> notes = {}) {
  llvm::errs() << "pcc: error: " << what << "\n";
  for (const std::string &note : notes)
    llvm::errs() << "pcc: note: " << note << "\n";
  return 1;
}

namespace {
/// One export, or its reuse.
class Export {
public:
  Export(Arguments &arguments, ModelDirectory model)
      : arguments(arguments), model(std::move(model)),
        own(fs::getMainExecutable(nullptr, nullptr)) {}
  /// Makes the export, or finds it. Returns 0 or an exit code.
  int run();
  /// Makes the ONNX file the input.
  void adopt();

private:
  int chooseFolder();
  int reuse(StringRef remark);
  int exportNow();
  int runScript(const std::string &file);
  int finish(UnfinishedFolder &unfinished, double seconds);
  std::string bytes() const;
  bool isQuiet() const { return arguments.options.verbosity == 0; }

  Arguments &arguments;
  ModelDirectory model;
  std::string source; ///< the model's absolute path
  std::string own;    ///< this executable
  std::string script; ///< pcc-export
  std::string folder; ///< the export's
  Python python;
  ExportRecord wanted;
};
} // namespace

/// Whether a path is of a file that pcc writes: not of a pipe or device.
static bool isWritten(StringRef file) {
  fs::file_status status;
  return fs::status(file, status) || !fs::exists(status) ||
         fs::is_regular_file(status);
}

/// Chooses the output, checks it before the export takes its time, and derives
/// the export's folder.
int Export::chooseFolder() {
  bool isProgram = arguments.emit == "exe" || arguments.emit == "obj";
  std::string &output = arguments.output;
  // The model's name is often that of the directory, in the same folder.
  if (output.empty() && isProgram && !arguments.check &&
      !arguments.listParams && !arguments.verification)
    output = std::string(arguments.options.forward ? "forward" : "train") +
             (arguments.emit == "obj" ? ".o" : "");
  StringRef stem = model.name;
  if (!output.empty() && output != "-" && !arguments.check) {
    std::vector<std::string> inputs = {model.path};
    for (const FileStamp &file : model.files)
      inputs.push_back(joined(model.path, file.name));
    if (failed(checkDestination(output, inputs)))
      return 1;
    if (isWritten(output))
      stem = output;
    if (!stem.consume_back(".mlir"))
      stem.consume_back(".o");
  }
  folder = arguments.verification
               ? joined(arguments.verification->exports, model.name + ".model")
               : (stem + ".model").str();
  if (fs::exists(folder) && !readRecord(folder)) {
    std::error_code error;
    if (!fs::is_directory(folder) ||
        fs::directory_iterator(folder, error) != fs::directory_iterator())
      return refuseExport("'" + folder + "', where the export of " +
                              model.path +
                              " goes, exists, and is no export of pcc",
                          {"remove it, or name another output with -o"});
  }
  return 0;
}

int Export::run() {
  if (int code = chooseFolder())
    return code;
  script = findExporter(own);
  if (script.empty())
    return refuseExport("there is no pcc-export next to " + own,
                        {"install pcc as a whole"});
  SmallString<128> absolute;
  if (fs::real_path(model.path, absolute))
    absolute = model.path;
  bool isRandom = !model.hasWeights;
  source = absolute.str().str();
  wanted.source = llvm::json::fixUTF8(source);
  wanted.sourceFiles = model.files;
  wanted.options = {
      {"task", model.task},
      {"trust-remote-code", arguments.directory.trustsCode ? "yes" : "no"},
      {"random-weights", isRandom ? "yes" : "no"}};
  wanted.versions["pcc"] = PCC_VERSION;
  if (std::string digest = exporterDigest(script); !digest.empty())
    wanted.versions["pcc-export"] = digest;

  auto found = readRecord(folder);
  std::vector<std::string> problem;
  auto chosen = findPython(arguments.directory.python, problem);
  if (CaughtSignals::caught())
    return 1;
  if (failed(chosen)) {
    // The export may serve without a Python, whose versions are then unknown.
    if (arguments.directory.python.empty() && found &&
        whyOutdated(folder, *found, wanted, /*withVersions=*/false).empty())
      return reuse("; no Python is here to compare its versions");
    StringRef first = problem.front();
    return refuseExport(arguments.directory.python.empty()
                            ? first + ", to export " + model.path
                            : "cannot export " + model.path + ": " + first,
                        ArrayRef<std::string>(problem).drop_front());
  }
  python = *chosen;
  wanted.versions.insert(python.versions.begin(), python.versions.end());
  if (found) {
    std::string why = whyOutdated(folder, *found, wanted, true);
    if (why.empty())
      return reuse("");
    if (!isQuiet())
      llvm::errs() << "export:   " << folder << " is exported again: " << why
                   << "\n";
  }
  return exportNow();
}

/// The bytes of the export's ONNX file and its weights.
std::string Export::bytes() const {
  int64_t sum = 0;
  for (const FileStamp &file : stampsIn(folder))
    if (StringRef(file.name).starts_with(kModelFile))
      sum += file.size;
  return formatBytes(double(sum));
}

int Export::reuse(StringRef remark) {
  if (!isQuiet())
    llvm::errs() << "reused:   " << folder << ", " << bytes()
                 << ", the export of " << model.path << remark << "\n";
  return 0;
}

/// Runs pcc-export. Its lines are indented below the first of this export; its
/// errors are left as they are.
int Export::runScript(const std::string &file) {
  std::vector<std::string> command = {python.path, script,     "--hf", source,
                                      "--task",    model.task, "-o",   file,
                                      "--pcc",     own};
  if (arguments.directory.trustsCode)
    command.push_back("--trust-remote-code");
  if (!model.hasWeights)
    command.push_back("--random-weights");
  command.push_back("--copy-files");
  std::string all;
  bool isTold = false;
  auto show = [&](StringRef line) {
    bool isProblem = line.starts_with("pcc-export: ");
    isTold |= line.starts_with("pcc-export: error: ");
    all += (line + "\n").str();
    if (isProblem)
      llvm::errs() << line << "\n";
    else if (!isQuiet() && !line.starts_with("wrote: "))
      llvm::errs() << "          " << line << "\n";
  };
  // A directory needs nothing from the hub.
  Ended ended = Child::run(command, {"HF_HUB_OFFLINE=1"}, show);
  if (CaughtSignals::caught())
    return 1;
  std::string byHand = "the same by hand: " + python.path + " " + script +
                       " --hf " + model.path + " --task " + model.task +
                       " -o model.onnx";
  if (!ended.error.empty())
    return refuseExport("cannot start " + python.path + ": " + ended.error);
  if (ended.signal)
    return refuseExport(
        "pcc-export was ended by signal " + Twine(ended.signal) + " (" +
            ::strsignal(ended.signal) + ")",
        {ended.signal == SIGKILL
             ? "Linux ends processes so when memory is exhausted; pcc "
               "also compiles the .onnx file that pcc-export writes on "
               "another machine"
             : byHand});
  if (!ended.code)
    return 0;
  if (isTold)
    return 1;
  if (isQuiet())
    llvm::errs() << all;
  return refuseExport("pcc-export ended with exit code " + Twine(ended.code),
                      {byHand});
}

int Export::exportNow() {
  auto begin = std::chrono::steady_clock::now();
  if (!isQuiet())
    llvm::errs() << "export:   " << model.path << " as " << model.task
                 << ", by torch " << python.versions["torch"]
                 << " and transformers " << python.versions["transformers"]
                 << " of " << python.path << "\n";
  UnfinishedFolder unfinished(folder);
  if (!unfinished.error().empty())
    return refuseExport("cannot write '" + folder + "': " + unfinished.error(),
                        {"name another output with -o"});
  if (int code = runScript(joined(unfinished.path(), kModelFile)))
    return code;
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return finish(unfinished, took.count());
}

int Export::finish(UnfinishedFolder &unfinished, double seconds) {
  if (!fs::is_regular_file(joined(unfinished.path(), kModelFile)))
    return refuseExport("pcc-export ended without an error, but wrote no " +
                        kModelFile);
  wanted.files = stampsIn(unfinished.path());
  std::string error = writeRecord(unfinished.path(), wanted);
  if (error.empty())
    error = unfinished.finish();
  if (!error.empty())
    return refuseExport("cannot write '" + folder + "': " + error,
                        {"name another output with -o"});
  if (!isQuiet())
    llvm::errs() << "exported: " << folder << ", " << bytes() << ", in "
                 << llvm::format("%.0f", seconds) << " s\n";
  return 0;
}

void Export::adopt() {
  arguments.input = joined(folder, kModelFile);
  arguments.modelName = model.name;
  // The file of another task ends in scores whose loss does not follow from it.
  Options &options = arguments.options;
  if (options.loss.empty() && !options.forward && model.task != "causal-lm")
    options.loss = "cross-entropy";
}

int pcc::exportDirectory(Arguments &arguments) {
  bool isDirectory =
      arguments.input != "-" && fs::is_directory(arguments.input);
  if (!isDirectory) {
    if (failed(checkModelPath(arguments.input)))
      return 1;
    for (StringRef flag : arguments.directory.given) {
      refuseExport("--" + flag + ": the model is no directory",
                   {"only the export of a directory of transformers takes --" +
                    flag.str()});
      return 2;
    }
    return 0;
  }
  // It does not depend on the model, and an export takes long.
  if (!checkTarget(arguments))
    return 2;
  StringRef given = StringRef(arguments.input).rtrim('/');
  auto model =
      readModelDirectory(given.empty() ? "/" : given, arguments.directory.task,
                         arguments.options.randomInit);
  if (failed(model))
    return 1;
  if (arguments.directory.trustsCode && !model->hasCode)
    llvm::errs() << "pcc: warning: --trust-remote-code changes nothing: "
                    "config.json names no code\n";
  Export job(arguments, *model);
  CaughtSignals signals;
  int code = job.run();
  if (int signal = CaughtSignals::caught())
    return 128 + signal;
  if (code)
    return code;
  job.adopt();
  return 0;
}
