//===- GivenData.cpp - Checks of the data given to pcc verify -------------===//

#include "tools/pcc/verify/GivenData.h"
#include "runtime/support/FileNames.h"
#include "runtime/support/Files.h"
#include "tools/pcc/verify/MadeData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace mlir;
using namespace pcc;

namespace fs = llvm::sys::fs;

static LogicalResult refuseData(StringRef input, const Twine &what,
                                const Twine &note) {
  llvm::errs() << input << ": error: " << what << "\n"
               << input << ": note: " << note << "\n";
  return failure();
}

/// The names of the arrays in a folder: "a.npy, b.npy".
static std::string arraysIn(StringRef folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; at != end && !error;
       at.increment(error))
    if (StringRef name = llvm::sys::path::filename(at->path());
        name.ends_with(".npy"))
      names.push_back(name.str());
  llvm::sort(names);
  return llvm::join(names, ", ");
}

LogicalResult pcc::checkReadable(StringRef data, StringRef input) {
  constexpr StringLiteral wanted =
      "--data takes token files, or a folder of arrays";
  if (data.empty())
    return success();
  for (const std::string &path : splitPaths(data.str())) {
    bool isFolder = fs::is_directory(path);
    if (::access(path.c_str(), isFolder ? R_OK | X_OK : R_OK))
      return refuseData(
          input, "cannot read --data '" + path + "': " + std::strerror(errno),
          wanted);
    uint64_t size = 0;
    if (isFolder ? arraysIn(path).empty()
                 : fs::is_regular_file(path) && !fs::file_size(path, size) &&
                       size == 0)
      return refuseData(input,
                        "--data '" + path + "' " +
                            (isFolder ? "has no .npy files" : "is empty"),
                        wanted);
  }
  return success();
}

/// Reports an input whose array is missing in a folder.
static LogicalResult checkArrays(StringRef folder, const Facts &plan,
                                 StringRef input) {
  for (const DataInput &read : plan.inputs) {
    std::string own = arrayFile(read.name), usual = usualArray(read);
    if (fs::exists(folder + "/" + own) || fs::exists(folder + "/" + usual))
      continue;
    return refuseData(input,
                      "--data '" + folder + "' has no '" + usual +
                          "' for input '" + read.name + "'",
                      "it has " + arraysIn(folder));
  }
  return success();
}

LogicalResult pcc::checkSuitable(StringRef data, const Facts &plan,
                                 StringRef input) {
  if (data.empty())
    return success();
  // A token has at least a byte.
  uint64_t bytes = 0;
  bool isKnown = true;
  for (const std::string &path : splitPaths(data.str())) {
    if (fs::is_directory(path)) {
      if (failed(checkArrays(path, plan, input)))
        return failure();
      isKnown = false;
      continue;
    }
    uint64_t size = 0;
    // An index of Megatron names another file.
    isKnown &= StringRef(path).ends_with(".bin") && fs::is_regular_file(path) &&
               !fs::file_size(path, size);
    bytes += size;
  }
  int64_t length = 0; // of a sample
  for (const DataInput &read : plan.inputs)
    if (read.role == "tokens" && read.shape.size() == 1)
      length = read.shape.front();
  int64_t tokens = plan.globalBatch * length + 1;
  if (!isKnown || length == 0 || bytes >= uint64_t(tokens))
    return success();
  return refuseData(
      input,
      "--data '" + data + "' is too short: it has " + Twine(bytes) +
          " bytes, one step needs " + Twine(tokens) + " tokens",
      "give more data, or a smaller --global-batch-size or --seq");
}
