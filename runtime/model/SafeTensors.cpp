//===- SafeTensors.cpp - Reads and writes safetensors files ---------------===//

#include "runtime/model/SafeTensors.h"

#include "runtime/support/DType.h"
#include "runtime/support/Files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

using namespace pcc;
using json = nlohmann::json;

static const int64_t greatestHeader = 100000000;

/// Returns the bytes of an element of a safetensors type; 0: unknown.
static int64_t elementBytes(const std::string &dtype) {
  const ElementInfo *info = findElement(&ElementInfo::safetensors, dtype);
  return info ? info->bytes : 0;
}

/// Parses a header and sets `duplicate` to a key that occurs twice in one
/// object. Values nested deeper than the format allows are dropped, which
/// bounds the memory.
static json parseHeader(const char *text, int64_t bytes,
                        std::string &duplicate) {
  const int deepest = 3;
  std::vector<std::set<std::string>> keys;
  auto onEvent = [&](int depth, json::parse_event_t event, json &parsed) {
    if (depth > deepest)
      return false;
    if (event == json::parse_event_t::object_start)
      keys.emplace_back();
    else if (event == json::parse_event_t::object_end)
      keys.pop_back();
    else if (event == json::parse_event_t::key)
      if (!keys.back().insert(parsed.get<std::string>()).second)
        duplicate = parsed.get<std::string>();
    return true;
  };
  return json::parse(text, text + bytes, onEvent, /*allow_exceptions=*/false);
}

/// Reads a list of non-negative integers, such as shape and offsets.
static bool readNumbers(const json &list, std::vector<int64_t> &numbers) {
  if (!list.is_array())
    return false;
  for (const json &item : list) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > INT64_MAX)
      return false;
    numbers.push_back(item.get<int64_t>());
  }
  return true;
}

/// Returns the step in the metadata of a file that may be damaged; empty: none.
static std::string stepIn(const MappedFile &file) {
  uint64_t length = 0;
  if (file.size() >= 8)
    memcpy(&length, file.data(), 8);
  if (length > static_cast<uint64_t>(greatestHeader) ||
      static_cast<int64_t>(length) > file.size() - 8)
    return "";
  std::string duplicate;
  json header = parseHeader(file.data() + 8, length, duplicate);
  if (header.is_object() && header.contains("__metadata__") &&
      header["__metadata__"].is_object() &&
      header["__metadata__"].contains("step") &&
      header["__metadata__"]["step"].is_string())
    return header["__metadata__"]["step"].get<std::string>();
  return "";
}

/// Requires that size and header are as they were saved.
static void requireHeader(const MappedFile &file, const BlockCheck &check) {
  if (check.hasSavedHeader())
    return;
  const SavedFile &saved = check.saved();
  std::string step = stepIn(file), own = std::to_string(saved.step);
  bool isStep = step.find_first_not_of("0123456789") == std::string::npos;
  if (!step.empty() && isStep && step != own)
    check.refuse("is of step " + step + ", the checkpoint is of step " + own);
  if (file.size() != saved.hashes.bytes)
    check.refuse(format("has %lld bytes, but had %lld when it was saved",
                        static_cast<long long>(file.size()),
                        static_cast<long long>(saved.hashes.bytes)));
  check.refuse(format("is damaged: its bytes 0 to %lld, the header, are not "
                      "those that were saved",
                      static_cast<long long>(saved.hashes.headerBytes - 1)));
}

SafeTensors::SafeTensors(const std::string &path, ExitCode code,
                         const char *what,
                         const std::optional<SavedFile> &saved)
    : file(path, code, what, saved ? saved->note : "") {
  if (saved) {
    check = std::make_unique<BlockCheck>(file, *saved, code);
    requireHeader(file, *check);
  }
  auto refuse = [&](const std::string &reason) {
    fail(code, format("%s '%s' is not a valid safetensors file: ", what,
                      path.c_str()) +
                   reason);
  };
  if (file.size() < 8)
    refuse("it is shorter than 8 bytes");
  uint64_t length;
  memcpy(&length, file.data(), 8);
  if (length > static_cast<uint64_t>(greatestHeader))
    refuse("its header is longer than 100,000,000 bytes");
  if (static_cast<int64_t>(length) > file.size() - 8)
    refuse("it ends within its header");
  std::string duplicate;
  json header = parseHeader(file.data() + 8, length, duplicate);
  if (header.is_discarded() || !header.is_object())
    refuse("its header is not a JSON object");
  if (!duplicate.empty())
    refuse("key '" + duplicate + "' occurs twice");

  int64_t buffer = 8 + static_cast<int64_t>(length);
  int64_t bufferBytes = file.size() - buffer;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (auto &[name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object())
        refuse("__metadata__ is not an object");
      for (auto &[key, value] : entry.items()) {
        if (!value.is_string())
          refuse("__metadata__ has a value that is not a string");
        notes[key] = value.get<std::string>();
      }
      continue;
    }
    Tensor tensor;
    std::vector<int64_t> offsets;
    if (!entry.is_object() || !entry.contains("dtype") ||
        !entry["dtype"].is_string() || !entry.contains("shape") ||
        !readNumbers(entry["shape"], tensor.shape) ||
        !entry.contains("data_offsets") ||
        !readNumbers(entry["data_offsets"], offsets) || offsets.size() != 2)
      refuse("tensor '" + name + "' lacks its type, shape or offsets");
    tensor.dtype = entry["dtype"].get<std::string>();
    int64_t expected = elementBytes(tensor.dtype);
    if (expected == 0)
      refuse("tensor '" + name + "' has unknown type " + tensor.dtype);
    for (int64_t size : tensor.shape)
      if (__builtin_mul_overflow(expected, size, &expected))
        refuse("tensor '" + name + "' is too large");
    if (offsets[0] > offsets[1] || offsets[1] > bufferBytes)
      refuse("tensor '" + name + "' is outside the file");
    tensor.bytes = offsets[1] - offsets[0];
    if (tensor.bytes != expected)
      refuse(format("tensor '%s' has %lld bytes, its shape and type need %lld",
                    name.c_str(), static_cast<long long>(tensor.bytes),
                    static_cast<long long>(expected)));
    tensor.place = buffer + offsets[0];
    ranges.push_back({offsets[0], offsets[1]});
    tensors[name] = tensor;
  }
  std::sort(ranges.begin(), ranges.end());
  int64_t end = 0;
  for (auto [from, to] : ranges) {
    if (from != end)
      refuse(from < end ? "tensors overlap"
                        : "there is a hole between tensors");
    end = to;
  }
  if (end != bufferBytes)
    refuse("bytes follow its last tensor");
}

const SafeTensors::Tensor *SafeTensors::find(const std::string &name) const {
  auto it = tensors.find(name);
  return it == tensors.end() ? nullptr : &it->second;
}

const char *SafeTensors::read(const Tensor &tensor, int64_t begin,
                              int64_t end) const {
  if (check && begin < end)
    check->reading(tensor.place + begin, tensor.place + end);
  return file.data() + tensor.place + begin;
}

void SafeTensors::requireWhole() const {
  if (check)
    check->finish();
}

std::string
pcc::safeTensorsHeader(const std::vector<SafeTensorsEntry> &entries,
                       const std::map<std::string, std::string> &metadata) {
  nlohmann::ordered_json header;
  // Hugging Face's loaders require the format.
  header["__metadata__"] = {{"format", "pt"}};
  for (auto &[key, value] : metadata)
    header["__metadata__"][key] = value;
  int64_t offset = 0;
  std::set<std::string> names = {"__metadata__"};
  for (const SafeTensorsEntry &entry : entries) {
    // The compiler refuses such names: readers would reject the file.
    if (!names.insert(entry.name).second)
      fail(ExitInternal, format("two tensors of a file would be called '%s'",
                                entry.name.c_str()));
    header[entry.name] = {{"dtype", entry.dtype},
                          {"shape", entry.shape},
                          {"data_offsets", {offset, offset + entry.bytes}}};
    offset += entry.bytes;
  }
  // Names and metadata may not be UTF-8.
  std::string text =
      header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  uint64_t length = text.size();
  text.insert(0, reinterpret_cast<const char *>(&length), 8);
  return text;
}

SafeTensorsWriter::SafeTensorsWriter(
    const std::string &path, const std::vector<SafeTensorsEntry> &entries,
    const std::map<std::string, std::string> &metadata)
    : path(path), file(createFile(path)) {
  if (!file)
    error = cannotWrite(path);
  std::string text = safeTensorsHeader(entries, metadata);
  headerBytes = text.size();
  headerHash = hashText(text.data(), headerBytes);
  write(text.data(), headerBytes);
}

SafeTensorsWriter::~SafeTensorsWriter() {
  if (file)
    fclose(file);
}

void SafeTensorsWriter::write(const void *data, int64_t bytes) {
  auto *from = static_cast<const char *>(data);
  HashThread *hashThread = bytes > cachedPiece ? HashThread::find() : nullptr;
  if (hashThread)
    hashThread->add([&] { hasher.add(from, bytes); });
  int64_t most = hashThread ? bytes : cachedPiece;
  for (int64_t at = 0; at < bytes && error.empty(); at += most) {
    int64_t piece = std::min(most, bytes - at);
    if (!writeBytes(file, path, from + at, piece))
      error = cannotWrite(path);
    if (!hashThread)
      hasher.add(from + at, piece);
  }
  if (hashThread)
    hashThread->wait();
}

std::string SafeTensorsWriter::finish(FileHashes &written) {
  if (!file)
    return error;
  std::string atEnd = syncAndClose(file, path);
  file = nullptr;
  written = hasher.finish();
  written.headerBytes = headerBytes;
  written.header = headerHash;
  return error.empty() ? atEnd : error;
}
