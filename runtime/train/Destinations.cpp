//===- Destinations.cpp - The files that a run writes ---------------------===//

#include "runtime/train/Destinations.h"

#include "runtime/checkpoint/SaveFolder.h"
#include "runtime/data/Dataset.h"
#include "runtime/model/ExportModel.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <cerrno>
#include <unistd.h>

using namespace pcc;

namespace {
/// A file and its role in the run, such as "--data reads".
struct Named {
  std::string path, role;
};

/// A file that the run writes because of a flag.
struct Destination {
  std::string flag, path;
};
} // namespace

/// All files that the run reads, whether or not they exist.
static std::vector<Named> inputsOf(const TrainingOptions &options,
                                   const SourceFiles &files) {
  std::vector<Named> inputs = {{"/proc/self/exe", "is this program"}};
  for (const std::string &path : files.places())
    inputs.push_back({path, "the model was compiled from"});
  auto add = [&](const std::string &paths, const char *role) {
    if (!paths.empty())
      for (const std::string &path : dataFiles(paths))
        inputs.push_back({path, role});
  };
  add(options.data, "--data reads");
  add(options.valData, "--val-data reads");
  if (options.init != "from-onnx" && options.init != "random" &&
      !options.init.empty())
    inputs.push_back({options.init, "--init reads"});
  return inputs;
}

static std::vector<Destination> destinationsOf(const pcc_program &program,
                                               const TrainingOptions &options) {
  std::vector<Destination> written;
  // A file that is replaced is first written to a temporary file next to it.
  auto add = [&](const char *flag, const std::string &path, bool isReplaced) {
    written.push_back({flag, path});
    if (isReplaced)
      written.push_back({flag, path + ".tmp"});
  };
  if (!options.logJson.empty())
    add("log-json", options.logJson, false);
  if (!options.trace.empty())
    add("trace", options.trace, true);
  if (!options.report.empty())
    add("report", options.report, true);
  if (!options.exportOnnx.empty())
    for (const std::string &path : exportTargets(program, options.exportOnnx))
      add("export-onnx", path, true);
  if (!options.save.empty())
    add("save", options.save + "/latest", false);
  return written;
}

/// Exits with ExitOutput if `path` cannot be written.
static void checkWritable(const std::string &path) {
  if (isDevice(path))
    return;
  std::string folder = folderOf(path).empty() ? "." : folderOf(path);
  int cause = 0;
  if (isFolder(path) || path.back() == '/')
    cause = EISDIR;
  else if (!isFolder(folder))
    cause = exists(folder) ? ENOTDIR : ENOENT;
  else if (access(folder.c_str(), W_OK))
    cause = errno;
  errno = cause;
  if (cause)
    fail(ExitOutput, cannotWrite(path));
}

void pcc::checkDestinations(const pcc_program &program,
                            const TrainingOptions &options,
                            const SourceFiles &files,
                            const std::string &resumed) {
  std::vector<Destination> written = destinationsOf(program, options);
  std::vector<Named> inputs = inputsOf(options, files);
  for (size_t i = 0; i < written.size(); ++i) {
    const Destination &to = written[i];
    for (const Named &input : inputs)
      if (isSameFile(to.path, input.path))
        fail(ExitOutput,
             format("--%s would overwrite '%s', which %s", to.flag.c_str(),
                    to.path.c_str(), input.role.c_str()),
             to.flag == "export-onnx" ? "name a file in another folder"
                                      : "name another file");
    for (size_t j = 0; j < i; ++j)
      if (isSameFile(to.path, written[j].path))
        fail(ExitOutput,
             format("--%s and --%s both write '%s'", written[j].flag.c_str(),
                    to.flag.c_str(), to.path.c_str()),
             "name two files");
  }
  // Errors are reported now, not after hours of training.
  if (!options.save.empty()) {
    makeFolders(options.save);
    ownSaveFolder(options.save, resumed);
  }
  if (!options.exportOnnx.empty())
    checkExport(program, files, options.exportOnnx);
  for (const Destination &to : written)
    if (to.flag != "log-json")
      checkWritable(to.path);
}
