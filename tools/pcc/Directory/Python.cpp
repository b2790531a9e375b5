//===- Python.cpp - The Python that exports models ------------------------===//

#include "tools/pcc/Directory/Python.h"
#include "tools/pcc/Child.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <unistd.h>

using namespace mlir;
using namespace pcc;

/// Prints the versions of packages as JSON, null for those that are missing.
/// The current folder is no source of packages. Importing PyTorch would take
/// seconds.
static constexpr StringLiteral kProbe = R"(
import sys
sys.path = [p for p in sys.path if p]
import json
from importlib import metadata, util
def version(name):
    if util.find_spec(name) is None:
        return None
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "unknown"
names = "torch transformers numpy onnx onnxruntime onnxscript".split()
print("versions", json.dumps({name: version(name) for name in names}))
)";

/// Packages without which a Python is passed over, and others that an export
/// needs.
static constexpr StringLiteral kRequired[] = {"torch", "transformers"};
static constexpr StringLiteral kAll[] = {"torch", "transformers", "numpy",
                                         "onnx",  "onnxruntime",  "onnxscript"};

static constexpr StringLiteral kInstall =
    "pip install torch transformers numpy onnx onnxruntime onnxscript";

/// Reads the versions of a Python's packages. Returns why they are unknown, or
/// an empty text.
static std::string readVersions(Python &python) {
  std::string answer, last;
  Ended ended =
      Child::run({python.path, "-c", kProbe.str()}, {}, [&](StringRef line) {
        StringRef rest = line;
        if (rest.consume_front("versions "))
          answer = rest.str();
        last = line.str();
      });
  if (!ended.error.empty())
    return "cannot be started: " + ended.error;
  auto parsed = llvm::json::parse(answer);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return "is no Python 3 that works" + (last.empty() ? "" : ": " + last);
  }
  if (const auto *found = parsed->getAsObject())
    for (StringRef name : kAll)
      if (auto version = found->getString(name))
        python.versions[name.str()] = version->str();
  return "";
}

/// The missing packages among `names`.
static std::vector<StringRef> missing(const Python &python,
                                      ArrayRef<StringLiteral> names) {
  std::vector<StringRef> result;
  for (StringRef name : names)
    if (!python.versions.count(name.str()))
      result.push_back(name);
  return result;
}

/// The Pythons to try in order, and why others are not there.
static std::vector<std::string> candidates(std::vector<std::string> &tried) {
  std::vector<std::string> found;
  auto add = [&](StringRef folder, bool isAsked) {
    for (StringRef name : {"python3", "python"}) {
      SmallString<128> path = folder;
      llvm::sys::path::append(path, name);
      if (::access(path.c_str(), X_OK) == 0) {
        if (!llvm::is_contained(found, path))
          found.push_back(path.str().str());
        return;
      }
    }
    if (isAsked)
      tried.push_back("there is no Python in " + folder.str());
  };
  std::string own = llvm::sys::fs::getMainExecutable(nullptr, nullptr);
  add(llvm::sys::path::parent_path(own), false);
  const char *environment = std::getenv("VIRTUAL_ENV");
  if (environment && *environment)
    add((Twine(environment) + "/bin").str(), true);
  else
    tried.push_back("$VIRTUAL_ENV is not set");
  if (auto onPath = llvm::sys::findProgramByName("python3")) {
    if (!llvm::is_contained(found, *onPath))
      found.push_back(*onPath);
  } else {
    tried.push_back("there is no python3 on PATH");
  }
  return found;
}

FailureOr<Python> pcc::findPython(StringRef given,
                                  std::vector<std::string> &problem) {
  std::vector<std::string> tried;
  std::vector<std::string> paths;
  if (given.empty()) {
    paths = candidates(tried);
  } else if (given.contains('/')) {
    paths = {given.str()};
  } else {
    auto onPath = llvm::sys::findProgramByName(given);
    paths = {onPath ? *onPath : given.str()};
  }
  std::string why, wayOut;
  for (const std::string &path : paths) {
    Python python{path, {}};
    why = readVersions(python);
    wayOut = "name the Python of an environment with PyTorch and transformers, "
             "such as .venv/bin/python";
    auto lacked = missing(python, kRequired);
    if (why.empty() && !lacked.empty()) {
      why = "has no " + llvm::join(lacked, " and no ");
      wayOut = kInstall.str() + " installs the packages of an export";
    }
    if (!why.empty()) {
      tried.push_back(path + " " + why);
      continue;
    }
    lacked = missing(python, kAll);
    if (lacked.empty())
      return python;
    problem = {path + " has PyTorch and transformers, but no " +
                   llvm::join(lacked, " and no "),
               path + " -m pip install " + llvm::join(lacked, " ")};
    return failure();
  }
  if (given.empty())
    problem = {"there is no Python with PyTorch and transformers",
               "tried in turn: " + llvm::join(tried, "; "),
               kInstall.str() +
                   " into an environment, and activate it or name its Python "
                   "with --python"};
  else
    problem = {"--python " + given.str() + " " + why, wayOut};
  return failure();
}
