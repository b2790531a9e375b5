//===- Files.cpp - Durable files and folders ------------------------------===//

#include "runtime/support/Files.h"

#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace pcc;

/// Bytes per write call, and bytes after which a flush is started.
static const int64_t pieceBytes = 16 << 20, flushedBytes = 64 << 20;

static std::string cannotText(const char *what, const std::string &path) {
  return format("cannot %s '%s': %s", what, path.c_str(), strerror(errno));
}

[[noreturn]] static void cannot(const char *what, const std::string &path) {
  fail(ExitOutput, cannotText(what, path));
}

std::string pcc::cannotWrite(const std::string &path) {
  return cannotText("write", path);
}

/// Returns the sorted names in the folder that is open as `descriptor`; none if
/// it cannot be read.
static std::vector<std::string> entriesOf(int descriptor) {
  std::vector<std::string> names;
  // closedir() closes its descriptor; the caller keeps one.
  int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  DIR *folder = own < 0 ? nullptr : fdopendir(own);
  if (!folder)
    return names;
  while (const dirent *entry = readdir(folder)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(name);
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

int pcc::createDescriptor(const std::string &path) {
  unlink(path.c_str());
  // O_EXCL: fails if a file or a link was created after the unlink.
  return open(path.c_str(),
              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

FILE *pcc::createFile(const std::string &path) {
  int descriptor = createDescriptor(path);
  return descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
}

/// Starts to flush a block of a file to disk, and waits until the block before
/// it, at byte `before` unless negative, is flushed.
static bool startFlush(int file, int64_t begin, int64_t bytes, int64_t before) {
  if (sync_file_range(file, begin, bytes, SYNC_FILE_RANGE_WRITE) == 0 &&
      (before < 0 ||
       sync_file_range(file, before, bytes,
                       SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
                           SYNC_FILE_RANGE_WAIT_AFTER) == 0))
    return true;
  // Any other error is a disk error, which the kernel reports only once.
  return errno == EINVAL || errno == ESPIPE || errno == ENOSYS;
}

bool pcc::writeAt(int file, const std::string &path, const void *data,
                  int64_t bytes, int64_t offset, int64_t before) {
  Operation operation("write", path);
  auto *from = static_cast<const char *>(data);
  for (int64_t at = 0; at < bytes;) {
    ssize_t done =
        pwrite(file, from + at, std::min(pieceBytes, bytes - at), offset + at);
    advance();
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    at += done;
  }
  if (bytes < pieceBytes)
    return true;
  Operation flush("flush", path, Activity::Flushes);
  return startFlush(file, offset, bytes, before);
}

bool pcc::writeBytes(FILE *file, const std::string &path, const void *data,
                     int64_t bytes) {
  Operation operation("write", path);
  auto *from = static_cast<const char *>(data);
  for (int64_t at = 0; at < bytes; at += pieceBytes) {
    size_t n = std::min(pieceBytes, bytes - at);
    if (fwrite(from + at, 1, n, file) != n)
      return false;
    advance();
    int64_t end = ftello(file), block = end / flushedBytes;
    if (block == (end - static_cast<int64_t>(n)) / flushedBytes)
      continue;
    Operation flush("flush", path, Activity::Flushes);
    int64_t begin = (block - 1) * flushedBytes;
    if (fflush(file) ||
        !startFlush(fileno(file), begin, flushedBytes, begin - flushedBytes))
      return false;
  }
  return true;
}

std::string pcc::syncAndClose(FILE *file, const std::string &path) {
  Operation operation("flush", path, Activity::Flushes);
  std::string error;
  // fsync() fails with EINVAL for a pipe or device, which has nothing to flush.
  if (fflush(file) || (fsync(fileno(file)) && errno != EINVAL))
    error = cannotWrite(path);
  if (fclose(file) && error.empty())
    error = cannotWrite(path);
  return error;
}

std::string pcc::syncAndClose(int file, const std::string &path) {
  Operation operation("flush", path, Activity::Flushes);
  bool isFlushed = fsync(file) == 0 || errno == EINVAL;
  std::string error = isFlushed ? "" : cannotWrite(path);
  if (close(file) && error.empty())
    error = cannotWrite(path);
  return error;
}

std::string pcc::writeFile(const std::string &path, const std::string &text) {
  FILE *file = isDevice(path) ? fopen(path.c_str(), "wb") : createFile(path);
  if (!file)
    return cannotWrite(path);
  std::string error;
  if (!writeBytes(file, path, text.data(), text.size()))
    error = cannotWrite(path);
  std::string atEnd = syncAndClose(file, path);
  if (error.empty())
    error = atEnd;
  if (!error.empty() && !isDevice(path))
    unlink(path.c_str());
  return error;
}

std::string pcc::syncFolder(const std::string &path) {
  Operation operation("flush of a folder", Activity::Flushes);
  int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return cannotText("open", path);
  // Some file systems cannot flush a folder and return EINVAL.
  std::string error;
  if (fsync(folder) && errno != EINVAL)
    error = cannotWrite(path);
  close(folder);
  return error;
}

void pcc::makeFolders(const std::string &path) {
  for (size_t slash = 1; slash != std::string::npos;) {
    slash = path.find('/', slash + 1);
    std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0777) && errno != EEXIST)
      cannot("make folder", part);
  }
  if (!isFolder(path)) {
    errno = ENOTDIR;
    cannot("make folder", path);
  }
}

void pcc::makeNewFolder(const std::string &path) {
  if (mkdir(path.c_str(), 0777))
    cannot("make folder", path);
}

/// Deletes an entry of the folder that is open as `parent`, without following
/// links. path: for a message.
static void removeEntry(int parent, const std::string &name,
                        const std::string &path) {
  if (unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT)
    return;
  // For a folder Linux returns EISDIR; POSIX allows EPERM.
  if (errno != EISDIR && errno != EPERM)
    cannot("remove", path);
  int folder = openat(parent, name.c_str(),
                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0)
    cannot("remove", path);
  for (const std::string &inside : entriesOf(folder))
    removeEntry(folder, inside, path + "/" + inside);
  close(folder);
  if (unlinkat(parent, name.c_str(), AT_REMOVEDIR))
    cannot("remove", path);
}

void pcc::removeFolder(const std::string &path) {
  removeEntry(AT_FDCWD, path, path);
}

std::string pcc::replaceFolder(const std::string &from, const std::string &to,
                               const std::string &aside) {
  auto move = [](const std::string &from, const std::string &to) {
    return rename(from.c_str(), to.c_str()) ? cannotText("rename", from) : "";
  };
  if (!exists(to))
    return move(from, to);
  // rename() cannot replace a folder with files. An atomic exchange keeps a
  // complete folder at `to` at all times.
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_EXCHANGE) == 0) {
    removeFolder(from);
    return "";
  }
  std::string error = move(to, aside);
  if (error.empty())
    error = move(from, to);
  if (error.empty())
    removeFolder(aside);
  return error;
}

void pcc::replaceFile(const std::string &from, const std::string &to) {
  if (rename(from.c_str(), to.c_str()))
    cannot("rename", from);
}

std::string pcc::folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

bool pcc::exists(const std::string &path) {
  struct stat status;
  return lstat(path.c_str(), &status) == 0;
}

bool pcc::isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool pcc::isDevice(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
         !S_ISDIR(status.st_mode);
}

bool pcc::isSameFile(const std::string &a, const std::string &b) {
  auto isSame = [](const struct stat &one, const struct stat &other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  };
  struct stat ofA, ofB;
  bool isA = stat(a.c_str(), &ofA) == 0, isB = stat(b.c_str(), &ofB) == 0;
  if (isA && isB)
    return isSame(ofA, ofB) && S_ISREG(ofA.st_mode);
  auto inFolder = [](const std::string &path, struct stat &status) {
    std::string folder = folderOf(path);
    return stat(folder.empty() ? "." : folder.c_str(), &status) == 0;
  };
  return !isA && !isB &&
         a.substr(folderOf(a).size()) == b.substr(folderOf(b).size()) &&
         inFolder(a, ofA) && inFolder(b, ofB) && isSame(ofA, ofB);
}

std::vector<std::string> pcc::splitPaths(const std::string &paths) {
  if (exists(paths))
    return {paths};
  std::vector<std::string> parts;
  for (size_t at = 0; at <= paths.size();) {
    size_t comma = std::min(paths.find(',', at), paths.size());
    parts.push_back(paths.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

std::vector<std::string> pcc::listFolder(const std::string &path) {
  int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return {};
  std::vector<std::string> names = entriesOf(folder);
  close(folder);
  return names;
}
