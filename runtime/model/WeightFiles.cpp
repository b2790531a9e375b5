//===- WeightFiles.cpp - Weights in one or several files ------------------===//

#include "runtime/model/WeightFiles.h"

#include "runtime/model/CheckpointFolder.h"
#include "runtime/model/SavedFiles.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <cerrno>
#include <cstring>

using namespace pcc;
using json = nlohmann::json;

WeightFiles::Found WeightFiles::find(const std::string &name) const {
  Found found;
  for (const std::unique_ptr<SafeTensors> &file : files) {
    const SafeTensors::Tensor *tensor = file->find(name);
    if (tensor && found.file)
      fail(code, format("'%s' and '%s' both have a tensor '%s'",
                        found.file->path().c_str(), file->path().c_str(),
                        name.c_str()));
    if (tensor)
      found = {file.get(), tensor};
  }
  return found;
}

WeightFiles::Found WeightFiles::find(const SourceMap &map) const {
  Found found = find(map.savedName);
  return found.file || map.savedName == map.name ? found : find(map.name);
}

void WeightFiles::requireWhole() const {
  for (const std::unique_ptr<SafeTensors> &file : files)
    file->requireWhole();
}

std::string WeightFiles::names() const {
  std::string text = "'" + path() + "'";
  if (files.size() == 1)
    return text;
  return text + format(" and its %zu other shard%s", files.size() - 1,
                       files.size() == 2 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// Initial values
//===----------------------------------------------------------------------===//

static const char *const initialWhat = "initial weights";

static std::unique_ptr<SafeTensors> openVerified(const std::string &path) {
  return std::make_unique<SafeTensors>(path, ExitData, initialWhat,
                                       savedModelFile(path));
}

/// Opens the shards that an index names, each of which must have its tensors.
static std::unique_ptr<WeightFiles> openIndexed(const std::string &path) {
  MappedFile text(path, ExitData, initialWhat, "");
  json index = json::parse(text.data(), text.data() + text.size(), nullptr,
                           /*allow_exceptions=*/false);
  auto refuse = [&](const std::string &why) {
    fail(ExitData,
         "'" + path + "' is not an index of safetensors files: " + why);
  };
  if (!index.is_object() || !index.contains("weight_map") ||
      !index["weight_map"].is_object() || index["weight_map"].empty())
    refuse("it has no \"weight_map\"");
  std::map<std::string, std::vector<std::string>> tensors; // by file
  for (auto &[tensor, file] : index["weight_map"].items()) {
    std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || name.find('/') != std::string::npos)
      refuse("the file of tensor '" + tensor + "' is no name");
    tensors[name].push_back(tensor);
  }
  std::vector<std::unique_ptr<SafeTensors>> opened;
  for (auto &[name, held] : tensors) {
    std::string shard = folderOf(path) + name;
    if (!exists(shard))
      fail(ExitData,
           format("cannot read %s '%s': %s", initialWhat, shard.c_str(),
                  strerror(ENOENT)),
           format("'%s' names %zu shards, which must all be in its folder",
                  path.c_str(), tensors.size()));
    opened.push_back(openVerified(shard));
    for (const std::string &tensor : held)
      if (!opened.back()->find(tensor))
        fail(ExitData, "'" + opened.back()->path() + "' has no tensor '" +
                           tensor + "', which '" + path + "' says");
  }
  return std::make_unique<WeightFiles>(std::move(opened), ExitData);
}

std::unique_ptr<WeightFiles> pcc::openInitial(const std::string &path) {
  if (isFolder(path)) {
    // transformers prefers the single file, too.
    for (const char *name : {modelFile, indexFile})
      if (std::string file = path + "/" + name; exists(file))
        return openInitial(file);
    std::vector<std::string> steps = checkpointsIn(path);
    fail(ExitData,
         format("'%s' has no weights: neither %s nor %s", path.c_str(),
                modelFile, indexFile),
         steps.empty()
             ? ""
             : "its newest checkpoint is --init " + path + "/" + steps.back());
  }
  const std::string suffix = ".index.json";
  if (path.size() > suffix.size() &&
      !path.compare(path.size() - suffix.size(), suffix.size(), suffix))
    return openIndexed(path);
  std::vector<std::unique_ptr<SafeTensors>> one;
  one.push_back(openVerified(path));
  return std::make_unique<WeightFiles>(std::move(one), ExitData);
}
