//===- JobFolder.cpp - Shared memory of ranks started here ----------------===//

#include "runtime/common/JobFolder.h"
#include "runtime/common/Error.h"
#include "runtime/common/Files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace pcc;

static const char *const prefix = "pcc-job-";

/// The parent holds this file of the folder locked as long as it lives.
static std::string lockOf(const std::string &folder) {
  return folder + "/lock";
}

static int removeEntry(const char *path, const struct stat *, int, FTW *) {
  remove(path);
  return 0;
}

void pcc::removeJobFolder(const std::string &path) {
  // What cannot be removed lies in memory and is found by the next job.
  nftw(path.c_str(), removeEntry, 8, FTW_DEPTH | FTW_PHYS);
}

/// Removes the folders of jobs whose parent was killed. One without a lock
/// file is being made this moment.
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

/// A new folder with its lock held, or "" with errno set.
static std::string makeLocked(const std::string &parent) {
  std::string path = parent + "/" + prefix + "XXXXXX";
  if (!mkdtemp(path.data()))
    return "";
  // Locked before it has its name: nobody finds it unlocked. Closed by what
  // this process starts, and never by itself.
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

std::string pcc::createJobFolder() {
  const char *temporary = getenv("TMPDIR");
  for (const char *parent :
       {"/dev/shm", temporary && *temporary ? temporary : "/tmp"}) {
    removeAbandoned(parent);
    std::string path = makeLocked(parent);
    if (!path.empty())
      return path;
  }
  fail(ExitWorld,
       format("cannot make a folder in /dev/shm or $TMPDIR for what the ranks "
              "share: %s",
              strerror(errno)),
       "set TMPDIR to a folder that can be written");
}
