//===- JobFolder.cpp - The shared files of a self-started job -------------===//

#include "runtime/launch/JobFolder.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"
#include "runtime/telemetry/Log.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace pcc;

static const char *const prefix = "pcc-job-";

/// The parent holds a lock on this file of the folder while it runs.
static std::string lockOf(const std::string &folder) {
  return folder + "/lock";
}

static int removeEntry(const char *path, const struct stat *, int, FTW *) {
  remove(path);
  return 0;
}

void pcc::removeJobFolder(const std::string &path) {
  if (path.empty())
    return;
  // The next job removes leftovers.
  nftw(path.c_str(), removeEntry, 8, FTW_DEPTH | FTW_PHYS);
}

/// Removes the folders of jobs whose parent was killed. A folder without a lock
/// file is just being created.
static void removeAbandoned(const std::string &parent) {
  for (const std::string &name : listFolder(parent)) {
    std::string path = parent + "/" + name;
    struct stat status;
    if (name.rfind(prefix, 0) != 0 || lstat(path.c_str(), &status) ||
        !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
      continue;
    int file = open(lockOf(path).c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0)
      continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0)
      removeJobFolder(path);
    close(file);
  }
}

/// Creates a folder and locks it; returns "" with errno set on failure.
static std::string makeLocked(const std::string &parent) {
  std::string path = parent + "/" + prefix + "XXXXXX";
  if (!mkdtemp(path.data()))
    return "";
  // The file gets its name after it is locked, so no other process sees it
  // unlocked. The descriptor stays open in this process and is closed by exec.
  std::string unlocked = path + "/new";
  int file = open(unlocked.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0 &&
      rename(unlocked.c_str(), lockOf(path).c_str()) == 0)
    return path;
  int error = errno;
  removeJobFolder(path);
  errno = error;
  return "";
}

/// Whether the folder's file system has room for `bytes` more; `free` is set to
/// its free bytes. Shared files are mapped: without room, ranks would hang or
/// crash later. So the bytes are allocated once, and freed again.
static bool hasRoom(const std::string &folder, int64_t bytes, int64_t &free) {
  struct statvfs status;
  free = statvfs(folder.c_str(), &status)
             ? 0
             : static_cast<int64_t>(status.f_bavail) * status.f_frsize;
  if (free < bytes)
    return false;
  std::string path = folder + "/room";
  int file = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  // If the file system cannot preallocate, the free bytes decide.
  bool taken = file >= 0 && (fallocate(file, 0, 0, bytes) == 0 ||
                             errno == EOPNOTSUPP || errno == ENOSYS);
  close(file);
  unlink(path.c_str());
  if (!taken)
    free = 0; // limited by a quota that statvfs does not report
  return taken;
}

/// mpirun interprets a relative path as one below the root.
static std::string absolute(const char *path) {
  char *found = realpath(path, nullptr);
  std::string result = found ? found : path;
  free(found);
  return result;
}

std::string pcc::createJobFolder(int64_t bytes) {
  const char *temporary = getenv("TMPDIR");
  std::string parents[] = {
      "/dev/shm", absolute(temporary && *temporary ? temporary : "/tmp")};
  std::string found;
  for (const std::string &parent : parents) {
    removeAbandoned(parent);
    std::string path = makeLocked(parent), cause = strerror(errno);
    int64_t free = 0;
    if (!path.empty() && hasRoom(path, bytes, free))
      return path;
    found += found.empty() ? "" : ", ";
    if (path.empty())
      found += "in " + parent + " no folder can be made: " + cause;
    else
      found += parent + " has " + (free ? bytesText(free) : "no") + " room";
    removeJobFolder(path);
  }
  fail(ExitWorld,
       format("the ranks share %s of memory or disk: %s",
              bytesText(bytes).c_str(), found.c_str()),
       "set TMPDIR to a folder on a disk of this host");
}
