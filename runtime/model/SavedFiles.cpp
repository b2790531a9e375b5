//===- SavedFiles.cpp - The files of a checkpoint -------------------------===//

#include "runtime/model/SavedFiles.h"

#include "runtime/Backend.h"
#include "runtime/model/CheckpointFolder.h"
#include "runtime/support/Files.h"

#include <algorithm>

using namespace pcc;
using json = nlohmann::ordered_json;

const char *const pcc::stateFile = "trainer_state.json";
const char *const pcc::modelFile = "model.safetensors";
const char *const pcc::indexFile = "model.safetensors.index.json";
const char *const pcc::optimizerFolder = "optimizer";

static const char *const kind = "xxh128";
static const std::string optimizerPrefix = "optim-rank-";
static const int64_t greatestStep = int64_t{1} << 53;

std::string pcc::optimizerFile(int rank) {
  return std::string(optimizerFolder) + "/" + optimizerPrefix +
         format("%05d.safetensors", rank);
}

std::string pcc::shardFile(size_t index, size_t count) {
  return count == 1
             ? modelFile
             : format("model-%05zu-of-%05zu.safetensors", index + 1, count);
}

static bool isOptimizerFile(const std::string &name) {
  std::string folder = std::string(optimizerFolder) + "/";
  size_t at = name.compare(0, folder.size(), folder) ? 0 : folder.size();
  return name.compare(at, optimizerPrefix.size(), optimizerPrefix) == 0 &&
         name.find('/', at) == std::string::npos;
}

/// Returns whether a file of a checkpoint holds weights.
static bool isModelFile(const std::string &name) {
  size_t index = 0, count = 0;
  return name == modelFile ||
         (sscanf(name.c_str(), "model-%zu-of-%zu", &index, &count) == 2 &&
          index > 0 && index <= count && name == shardFile(index - 1, count));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Returns the last lines, which contain the hash of the text before them.
static std::string endOf(const std::string &text) {
  return "  \"hash\": \"" + hashText(text.data(), text.size()) + "\"\n}\n";
}

json pcc::entryOf(const FileHashes &hashes) {
  return {{"bytes", hashes.bytes},
          {"header_bytes", hashes.headerBytes},
          {"header", hashes.header},
          {"blocks", hashes.blocks}};
}

json pcc::entryOf(const FileHashes &hashes, const OptimizerIndex &pieces) {
  json entry = entryOf(hashes);
  entry["pieces"] = pieces;
  return entry;
}

std::string pcc::stateText(json fields, const json &files) {
  fields["hashes"] = {
      {"kind", kind}, {"block_bytes", hashedBlock}, {"files", files}};
  // Paths may not be UTF-8.
  std::string text = fields.dump(2, ' ', false, json::error_handler_t::replace);
  text.replace(text.size() - 2, 2, ",\n"); // in place of "\n}"
  return text + endOf(text);
}

/// Returns whether the hash in the last lines is that of the text before them.
static bool isWhole(const std::string &text) {
  size_t end = endOf("").size();
  if (text.size() < end)
    return false;
  std::string before = text.substr(0, text.size() - end);
  return before + endOf(before) == text;
}

static bool readCount(const json &entry, const char *key, int64_t &count) {
  if (!entry.contains(key) || !entry[key].is_number_unsigned() ||
      entry[key].get<uint64_t>() > INT64_MAX)
    return false;
  count = entry[key].get<int64_t>();
  return true;
}

/// Reads the hashes of an entry of "files". Returns false if it is invalid.
static bool readHashes(const json &entry, FileHashes &hashes) {
  if (!entry.is_object() || !readCount(entry, "bytes", hashes.bytes) ||
      !readCount(entry, "header_bytes", hashes.headerBytes) ||
      !entry.contains("header") || !entry["header"].is_string() ||
      !entry.contains("blocks") || !entry["blocks"].is_array())
    return false;
  hashes.header = entry["header"].get<std::string>();
  for (const json &block : entry["blocks"]) {
    if (!block.is_string())
      return false;
    hashes.blocks.push_back(block.get<std::string>());
  }
  int64_t blocks =
      hashes.bytes / hashedBlock + (hashes.bytes % hashedBlock > 0);
  return static_cast<int64_t>(hashes.blocks.size()) == blocks;
}

/// Reads the index of an entry of "files". Returns false if it is invalid.
static bool readIndex(const json &entry, OptimizerIndex &pieces) {
  if (!entry["pieces"].is_object())
    return false;
  for (auto &[name, text] : entry["pieces"].items()) {
    if (!text.is_string())
      return false;
    pieces[name] = text.get<std::string>();
  }
  return true;
}

namespace {
/// A parsed trainer_state.json.
struct StateText {
  json fields; ///< discarded if the text is not JSON
  bool isHashed = false;
  std::string error; ///< of the hashes; empty: none
  std::map<std::string, FileHashes> files;
  std::map<std::string, OptimizerIndex> pieces;

  explicit StateText(const std::string &text);
};
} // namespace

StateText::StateText(const std::string &text)
    : fields(json::parse(text, nullptr, /*allow_exceptions=*/false)) {
  if (!fields.is_object())
    return;
  isHashed = fields.contains("hash") || fields.contains("hashes");
  if (!isHashed)
    return;
  if (!isWhole(text)) {
    error = "was changed or damaged since it was saved";
    return;
  }
  json hashes = fields.value("hashes", json());
  int64_t block = 0;
  if (!hashes.is_object() || hashes.value("kind", json()) != kind ||
      !readCount(hashes, "block_bytes", block) || block != hashedBlock ||
      !hashes.contains("files") || !hashes["files"].is_object()) {
    error = "was written by a newer version";
    return;
  }
  size_t shards = 0;
  for (auto &[name, entry] : hashes["files"].items()) {
    if ((!isModelFile(name) && !isOptimizerFile(name)) ||
        !readHashes(entry, files[name]) ||
        (entry.contains("pieces") && !readIndex(entry, pieces[name])))
      error = "is not a trainer state";
    shards += isModelFile(name);
  }
  for (size_t i = 0; i < std::max<size_t>(shards, 1); ++i)
    if (!files.count(shardFile(i, shards)))
      error = "is not a trainer state";
}

static std::string readText(const std::string &path, ExitCode code) {
  MappedFile file(path, code, "checkpoint", "");
  return std::string(file.data(), file.size());
}

//===----------------------------------------------------------------------===//
// SavedFiles
//===----------------------------------------------------------------------===//

SavedFiles::SavedFiles(const std::string &folder)
    : path(folder), note(olderNote(folder)) {
  std::string name = folder + "/" + stateFile;
  StateText text(readText(name, ExitOutput));
  auto refuse = [&](const std::string &what) {
    fail(ExitOutput, "'" + name + "' " + what, note);
  };
  state = std::move(text.fields);
  if (!state.is_object())
    refuse("is not a trainer state");
  if (!text.error.empty())
    refuse(text.error);
  int64_t done = 0;
  if (!readCount(state, "step", done) || done > greatestStep)
    refuse("is not a trainer state");
  int64_t named = stepOfFolder(folder);
  if (named >= 0 && named != done)
    fail(ExitOutput,
         format("'%s' holds the checkpoint of step %lld", folder.c_str(),
                static_cast<long long>(done)),
         note);
  files = std::move(text.files);
  pieces = std::move(text.pieces);
}

std::unique_ptr<SafeTensors> SavedFiles::open(const std::string &name,
                                              const char *what) const {
  std::string file = path + "/" + name;
  std::optional<SavedFile> saved;
  if (isHashed()) {
    saved = SavedFile{files.at(name), step(), note};
    if (!exists(file))
      fail(ExitOutput,
           "'" + file + "' is missing: the checkpoint was saved with it", note);
  }
  return std::make_unique<SafeTensors>(file, ExitOutput, what, saved);
}

std::unique_ptr<WeightFiles> SavedFiles::openModel() const {
  std::vector<std::unique_ptr<SafeTensors>> opened;
  for (auto &[name, hashes] : files)
    if (isModelFile(name))
      opened.push_back(open(name, "checkpoint"));
  if (opened.empty()) // without hashes
    opened.push_back(open(modelFile, "checkpoint"));
  return std::make_unique<WeightFiles>(std::move(opened), ExitOutput);
}

std::vector<std::string> SavedFiles::optimizerFiles() const {
  std::vector<std::string> names;
  if (isHashed()) {
    for (auto &[name, hashes] : files)
      names.push_back(name);
  } else {
    names = listFolder(path); // of an older version
    for (const std::string &name : listFolder(path + "/" + optimizerFolder))
      names.push_back(std::string(optimizerFolder) + "/" + name);
  }
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string &name) {
                               return !isOptimizerFile(name);
                             }),
              names.end());
  return names;
}

const OptimizerIndex *SavedFiles::piecesOf(const std::string &file) const {
  auto found = pieces.find(file);
  return found == pieces.end() ? nullptr : &found->second;
}

std::optional<SavedFile> pcc::savedModelFile(const std::string &path) {
  std::string folder = folderOf(path), name = path.substr(folder.size());
  std::string state = folder + stateFile;
  // Other tools, too, write a file of this name into the folder of a model.
  if (!isModelFile(name) || !exists(state))
    return std::nullopt;
  StateText text(readText(state, ExitData));
  if (!text.isHashed) {
    if (!text.fields.is_object() && backend::rank() == 0)
      warn("'" + path + "' was not verified: '" + state +
           "' is not a trainer state");
    return std::nullopt;
  }
  std::string note = "a copy in a folder without " + std::string(stateFile) +
                     " is not verified";
  int64_t step = 0;
  if (!readCount(text.fields, "step", step))
    text.error = "is not a trainer state";
  if (text.error.empty() && !text.files.count(name))
    text.error = "is of a checkpoint without '" + name + "'";
  if (!text.error.empty())
    fail(ExitData, "'" + state + "' " + text.error, note);
  return SavedFile{text.files.at(name), step, note};
}
