//===- ExportFolder.cpp - Folders of exported models ----------------------===//

#include "tools/pcc/Directory/ExportFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace pcc;

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
namespace json = llvm::json;

/// The version of the record's format.
static constexpr int64_t kFormat = 1;

static json::Array toJson(ArrayRef<FileStamp> files) {
  json::Array array;
  for (const FileStamp &file : files)
    array.push_back(json::Object{
        {"name", file.name}, {"size", file.size}, {"time", file.time}});
  return array;
}

static json::Object toJson(const std::map<std::string, std::string> &entries) {
  json::Object object;
  for (const auto &[name, value] : entries)
    object[name] = value;
  return object;
}

static std::optional<std::vector<FileStamp>>
stampsFrom(const json::Array *array) {
  if (!array)
    return std::nullopt;
  std::vector<FileStamp> files;
  for (const json::Value &value : *array) {
    const json::Object *entry = value.getAsObject();
    if (!entry)
      return std::nullopt;
    auto name = entry->getString("name");
    auto size = entry->getInteger("size"), time = entry->getInteger("time");
    if (!name || !size || !time)
      return std::nullopt;
    files.push_back({name->str(), *size, *time});
  }
  return files;
}

static std::map<std::string, std::string>
entriesFrom(const json::Object *from) {
  std::map<std::string, std::string> entries;
  if (from)
    for (const auto &[name, value] : *from)
      if (auto text = value.getAsString())
        entries[name.str()] = text->str();
  return entries;
}

std::optional<ExportRecord> pcc::readRecord(StringRef folder) {
  auto text = llvm::MemoryBuffer::getFile(joined(folder, kRecordFile));
  if (!text)
    return std::nullopt;
  auto parsed = json::parse((*text)->getBuffer());
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  const json::Object *root = parsed->getAsObject();
  if (!root || root->getInteger("format") != kFormat)
    return std::nullopt;
  const json::Object *source = root->getObject("source");
  auto files = stampsFrom(root->getArray("files"));
  auto sourceFiles = stampsFrom(source ? source->getArray("files") : nullptr);
  if (!files || !sourceFiles)
    return std::nullopt;
  return ExportRecord{source->getString("folder").value_or("").str(),
                      *sourceFiles, entriesFrom(root->getObject("options")),
                      entriesFrom(root->getObject("versions")), *files};
}

std::string pcc::writeRecord(StringRef folder, const ExportRecord &record) {
  std::error_code error;
  llvm::raw_fd_ostream os(joined(folder, kRecordFile), error);
  if (error)
    return error.message();
  json::Object root{
      {"format", kFormat},
      {"source", json::Object{{"folder", record.source},
                              {"files", toJson(record.sourceFiles)}}},
      {"options", toJson(record.options)},
      {"versions", toJson(record.versions)},
      {"files", toJson(record.files)}};
  os << llvm::formatv("{0:2}\n", json::Value(std::move(root)));
  os.close();
  error = os.error();
  os.clear_error();
  return error ? error.message() : "";
}

/// The first file in which two lists differ, and how; empty if they are equal.
static std::string difference(ArrayRef<FileStamp> before,
                              ArrayRef<FileStamp> now, StringRef folder) {
  auto find = [](ArrayRef<FileStamp> files, StringRef name) {
    return llvm::find_if(files,
                         [&](const auto &file) { return file.name == name; });
  };
  for (const FileStamp &file : now) {
    const auto *old = find(before, file.name);
    if (old == before.end())
      return joined(folder, file.name) + " is new";
    if (!(*old == file))
      return joined(folder, file.name) + " has changed";
  }
  for (const FileStamp &file : before)
    if (find(now, file.name) == now.end())
      return joined(folder, file.name) + " is gone";
  return "";
}

/// The first entry in which two maps differ, and how; empty if they are equal.
static std::string difference(const std::map<std::string, std::string> &before,
                              const std::map<std::string, std::string> &now) {
  std::map<std::string, std::string> all = now;
  all.insert(before.begin(), before.end());
  auto valueIn = [](const std::map<std::string, std::string> &map,
                    const std::string &name) {
    auto it = map.find(name);
    return it == map.end() ? "none" : it->second;
  };
  for (const auto &[name, value] : all) {
    std::string old = valueIn(before, name), wanted = valueIn(now, name);
    if (old != wanted)
      return name + " was " + old + ", and is " + wanted;
  }
  return "";
}

std::string pcc::whyOutdated(StringRef folder, const ExportRecord &found,
                             const ExportRecord &wanted, bool withVersions) {
  if (found.source != wanted.source)
    return "it is the export of " + found.source;
  std::string why =
      difference(found.sourceFiles, wanted.sourceFiles, wanted.source);
  if (why.empty())
    why = difference(found.options, wanted.options);
  if (why.empty()) {
    std::map<std::string, std::string> versions;
    for (const auto &[name, version] : found.versions)
      if (withVersions || wanted.versions.count(name))
        versions[name] = version;
    why = difference(versions, wanted.versions);
  }
  if (why.empty())
    why = difference(found.files, stampsIn(folder), folder);
  return why;
}

std::vector<FileStamp> pcc::stampsIn(StringRef folder) {
  std::vector<FileStamp> files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    StringRef name = StringRef(it->path()).drop_front(folder.size()).ltrim('/');
    if (fs::is_directory(it->path()) || name == kRecordFile)
      continue;
    if (auto stamp = stampOf(folder, name))
      files.push_back(*stamp);
  }
  llvm::sort(files, [](const FileStamp &a, const FileStamp &b) {
    return a.name < b.name;
  });
  return files;
}

/// Locks a folder, which ends with the process. Returns its descriptor, or -1
/// with errno.
static int lockFolder(const std::string &folder) {
  int lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || !::flock(lock, LOCK_EX | LOCK_NB))
    return lock;
  int error = errno;
  ::close(lock);
  errno = error;
  return -1;
}

/// The names of unfinished folders begin with it.
static std::string prefixFor(StringRef destination) {
  return (destination + ".tmp-").str();
}

/// Removes the unfinished folders of processes that are gone: no one holds
/// their locks.
static void removeLeftovers(StringRef destination) {
  std::string prefix = prefixFor(path::filename(destination));
  StringRef parent = path::parent_path(destination);
  std::vector<std::string> leftovers;
  std::error_code error;
  for (fs::directory_iterator it(parent.empty() ? "." : parent, error), end;
       !error && it != end; it.increment(error))
    if (path::filename(it->path()).starts_with(prefix))
      leftovers.push_back(it->path());
  for (const std::string &folder : leftovers)
    if (int lock = lockFolder(folder); lock >= 0) {
      fs::remove_directories(folder);
      ::close(lock);
    }
}

UnfinishedFolder::UnfinishedFolder(StringRef given) : destination(given) {
  // A link stays one: the folder that it names is replaced.
  SmallString<128> real;
  if (fs::is_symlink_file(given) && !fs::real_path(given, real))
    destination = real.str().str();
  removeLeftovers(destination);
  while (true) {
    folder = prefixFor(destination) + "XXXXXX";
    if (!::mkdtemp(folder.data())) {
      problem = std::strerror(errno);
      folder.clear();
      return;
    }
    mode_t mask = ::umask(0);
    ::umask(mask);
    ::chmod(folder.c_str(), 0777 & ~mask);
    lock = lockFolder(folder);
    // A process that removes leftovers may have taken it before it was locked.
    struct stat named = {}, locked = {};
    if (lock < 0 && errno != EWOULDBLOCK && errno != ENOENT)
      return; // This file system has no locks.
    if (lock >= 0 && !::fstat(lock, &locked) &&
        !::stat(folder.c_str(), &named) && named.st_ino == locked.st_ino)
      return;
    if (lock >= 0)
      ::close(lock);
  }
}

UnfinishedFolder::~UnfinishedFolder() {
  if (!folder.empty())
    fs::remove_directories(folder);
  if (lock >= 0)
    ::close(lock);
}

std::string UnfinishedFolder::finish() {
  if (!fs::exists(destination)) {
    if (!::rename(folder.c_str(), destination.c_str())) {
      folder.clear();
      return "";
    }
    return std::strerror(errno);
  }
  // The old folder gets the temporary name, and is removed with it.
  if (!::renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, destination.c_str(),
                   RENAME_EXCHANGE))
    return "";
  if (errno != EINVAL && errno != ENOSYS)
    return std::strerror(errno);
  // This file system cannot exchange names.
  std::string old = folder + ".old";
  if (::rename(destination.c_str(), old.c_str()))
    return std::strerror(errno);
  int failed = ::rename(folder.c_str(), destination.c_str());
  int error = errno;
  if (failed) {
    (void)!::rename(old.c_str(), destination.c_str());
    return std::strerror(error);
  }
  folder = old;
  return "";
}
