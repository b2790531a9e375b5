//===- ModelFolder.cpp - The files of a model directory -------------------===//

#include "runtime/model/ModelFolder.h"

#include "runtime/support/Error.h"
#include "runtime/support/Files.h"

#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/stat.h>

using namespace pcc;
using json = nlohmann::ordered_json;

static const char *const configFile = "config.json";

/// Returns the names of the files that a folder lacks.
static std::vector<std::string> missingIn(const std::string &folder,
                                          const pcc_model_folder &wanted) {
  std::vector<std::string> missing;
  for (int i = 0; i < wanted.n_files; ++i) {
    std::string path = folder + "/" + wanted.files[i];
    if (!exists(path) || isFolder(path) || isDevice(path))
      missing.push_back(wanted.files[i]);
  }
  return missing;
}

[[noreturn]] static void cannotFind(const std::vector<std::string> &folders,
                                    const std::vector<std::string> &missing) {
  std::string where, what;
  for (const std::string &folder : folders)
    where += (where.empty() ? "'" : ", '") + folder + "'";
  for (size_t i = 0; i < std::min<size_t>(missing.size(), 3); ++i)
    what += (i ? ", '" : "'") + missing[i] + "'";
  if (missing.size() > 3)
    what += format(" and %zu more", missing.size() - 3);
  fail(ExitData,
       format("cannot find %s of the model directory, looked for in %s",
              what.c_str(), where.c_str()),
       "checkpoints would not load without: copy them there, or save with "
       "--weights-only");
}

std::unique_ptr<FolderFiles> FolderFiles::read(const pcc_program &program,
                                               const SourceFiles &files,
                                               const std::string &checkpoint) {
  const pcc_model_folder *wanted = program.model_folder;
  if (!wanted || wanted->n_files == 0)
    return nullptr;
  std::vector<std::string> folders;
  if (std::string model = files.modelPath(); !model.empty()) {
    std::string folder = folderOf(model);
    folders.push_back(folder.empty() ? "."
                                     : folder.substr(0, folder.size() - 1));
  }
  for (const std::string &folder : {std::string(wanted->path), checkpoint})
    if (!folder.empty())
      folders.push_back(folder);
  std::vector<std::string> missing;
  auto made = std::make_unique<FolderFiles>();
  for (const std::string &folder : folders) {
    std::vector<std::string> lacks = missingIn(folder, *wanted);
    if (lacks.empty()) {
      made->from = folder;
      break;
    }
    if (missing.empty() || lacks.size() < missing.size())
      missing = lacks;
  }
  if (made->from.empty())
    cannotFind(folders, missing);
  for (int i = 0; i < wanted->n_files; ++i) {
    MappedFile file(made->from + "/" + wanted->files[i], ExitData,
                    "file of the model directory", "");
    made->texts[wanted->files[i]] = std::string(file.data(), file.size());
  }
  return made;
}

/// Sets the types of a configuration and of those within it.
static void widenTypes(json &config) {
  for (auto &[key, value] : config.items()) {
    bool isType = key == "dtype" || key == "torch_dtype";
    if (isType && (value == "bfloat16" || value == "float16"))
      value = "float32";
    else if (value.is_object() && key.size() > 7 &&
             !key.compare(key.size() - 7, 7, "_config"))
      widenTypes(value);
  }
}

void FolderFiles::setF32() {
  auto text = texts.find(configFile);
  if (text == texts.end())
    return;
  json config = json::parse(text->second, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object())
    fail(ExitData, format("'%s/%s' is not JSON", from.c_str(), configFile),
         "--save-dtype source copies it as it is");
  widenTypes(config);
  text->second =
      config.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string FolderFiles::write(const std::string &folder) const {
  std::set<std::string>
      inner; // folders of files such as "templates/tool.jinja"
  for (auto &[name, text] : texts) {
    for (size_t at = name.find('/'); at != std::string::npos;
         at = name.find('/', at + 1)) {
      std::string path = folder + "/" + name.substr(0, at);
      if (inner.insert(path).second && mkdir(path.c_str(), 0777))
        return cannotWrite(path);
    }
    if (std::string error = writeFile(folder + "/" + name, text);
        !error.empty())
      return error;
  }
  for (const std::string &path : inner)
    if (std::string error = syncFolder(path); !error.empty())
      return error;
  return "";
}
