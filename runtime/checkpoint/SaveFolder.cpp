//===- SaveFolder.cpp - One run owns a folder of checkpoints --------------===//

#include "runtime/checkpoint/SaveFolder.h"

#include "runtime/launch/Machine.h"
#include "runtime/model/CheckpointFolder.h"
#include "runtime/support/Error.h"
#include "runtime/support/Files.h"
#include "runtime/support/Progress.h"
#include "runtime/support/Thread.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace pcc;
using json = nlohmann::ordered_json;

static const int heartbeatSeconds = 10, deadSeconds = 60;

namespace {
struct Owner {
  std::string host, boot, job, token;
  int64_t pid = 0;

  std::string text() const;
  bool isEmpty() const { return token.empty(); }
  /// Returns "pid 12 on host a".
  std::string name() const {
    return format("pid %lld on host %s", static_cast<long long>(pid),
                  host.c_str());
  }
};

/// The ownership that this process holds; `file` is negative without one.
struct Held {
  std::string dir, path;
  Owner self;
  int file = -1;
  std::thread heartbeatThread;
  std::mutex mutex;
  std::condition_variable wake;
  bool ends = false;
  bool wasKilled = false; ///< whether the owner before it ended without leaving
};
} // namespace

static Held held;

std::string Owner::text() const {
  json entry = {{"host", host},
                {"boot", boot},
                {"pid", pid},
                {"job", job},
                {"token", token}};
  return entry.dump() + "\n";
}

static Owner thisProcess() {
  Owner self;
  self.host = hostName();
  self.boot = bootId();
  const char *job = getenv("SLURM_JOB_ID");
  self.job = job ? job : "";
  self.pid = getpid();
  uint64_t random[2];
  fillRandom(random, sizeof(random));
  self.token = format("%016llx%016llx", static_cast<long long>(random[0]),
                      static_cast<long long>(random[1]));
  return self;
}

/// Returns the owner that the file names; empty if it names none.
static Owner readOwner(int file) {
  char text[4096];
  ssize_t bytes = pread(file, text, sizeof(text), 0);
  json entry = json::parse(text, text + std::max<ssize_t>(bytes, 0), nullptr,
                           /*allow_exceptions=*/false);
  Owner owner;
  auto get = [&](const char *key, std::string &value) {
    if (entry.is_object() && entry.contains(key) && entry[key].is_string())
      value = entry[key].get<std::string>();
  };
  get("host", owner.host);
  get("boot", owner.boot);
  get("job", owner.job);
  get("token", owner.token);
  if (entry.is_object() && entry.contains("pid") &&
      entry["pid"].is_number_integer())
    owner.pid = entry["pid"].get<int64_t>();
  return owner;
}

static bool writeOwner(int file, const Owner &owner) {
  Operation operation("flush", held.path, Activity::Flushes);
  std::string text = owner.text();
  return pwrite(file, text.data(), text.size(), 0) ==
             static_cast<ssize_t>(text.size()) &&
         ftruncate(file, text.size()) == 0 && fsync(file) == 0;
}

[[noreturn]] static void cannotOwn(const std::string &path) {
  fail(ExitOutput, cannotWrite(path));
}

/// Opens the owner file; fails if it is a symbolic link.
static int openOwnerFile(const std::string &path, int flags) {
  return open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/// Returns whether `path` still names the open `file`.
static bool isAt(int file, const std::string &path) {
  struct stat open, there;
  return fstat(file, &open) == 0 && lstat(path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

/// Returns the seconds since `file` was last touched, by the file server's
/// clock: compares with the time stamp of a new file.
static int64_t secondsSinceTouch(int file, const std::string &path) {
  std::string now = path + "." + held.self.token;
  int other = createDescriptor(now);
  struct stat status, stamp;
  if (other < 0 || fstat(file, &status) || futimens(other, nullptr) ||
      fstat(other, &stamp))
    cannotOwn(now);
  close(other);
  unlink(now.c_str());
  return stamp.st_mtime - status.st_mtime;
}

[[noreturn]] static void refuse(const Owner &owner, const std::string &note) {
  std::string who = owner.isEmpty() ? "" : " (" + owner.name() + ")";
  fail(ExitOutput,
       format("another run%s saves into '%s'", who.c_str(), held.dir.c_str()),
       note);
}

/// Ends this run if `owner`, another run, may still be running. isLocked: its
/// file is locked; hasLocks: the file system supports locks.
static void requireDead(int file, const Owner &owner, bool isLocked,
                        bool hasLocks) {
  if (owner.isEmpty() && !isLocked)
    return;
  if (owner.boot == held.self.boot && hasLocks) {
    if (isLocked)
      refuse(owner, "give --save another folder, or end that run first");
    return;
  }
  if (!owner.job.empty() && owner.job == held.self.job)
    return;
  int64_t idleSeconds = secondsSinceTouch(file, held.path);
  if (idleSeconds < deadSeconds)
    refuse(owner,
           format("it last updated its .owner file %lld s ago; after %d s it "
                  "is taken to have ended",
                  static_cast<long long>(idleSeconds), deadSeconds));
}

static void sendHeartbeats() {
  std::unique_lock<std::mutex> lock(held.mutex);
  while (!held.wake.wait_for(lock, std::chrono::seconds(heartbeatSeconds),
                             [] { return held.ends; }))
    // A null time means the file server's clock.
    futimens(held.file, nullptr);
}

/// Tries to become the owner. Returns false if the caller has to try again,
/// because the file was replaced or removed.
static bool tryOwn() {
  int file = openOwnerFile(held.path, O_RDWR | O_CREAT);
  if (file < 0)
    cannotOwn(held.path);
  bool locked = flock(file, LOCK_EX | LOCK_NB) == 0;
  bool taken = !locked && errno == EWOULDBLOCK;
  if (!isAt(file, held.path)) {
    close(file);
    return false;
  }
  Owner before = readOwner(file);
  requireDead(file, before, taken, locked || taken);
  held.wasKilled = held.wasKilled || !before.isEmpty();
  if (taken) {
    // The file server may hold the lock of a dead host for a long time.
    unlink(held.path.c_str());
    close(file);
    return false;
  }
  if (!writeOwner(file, held.self))
    cannotOwn(held.path);
  held.file = file;
  return true;
}

/// Makes this process the owner of `dir`.
static void takeOver(const std::string &dir) {
  held.dir = dir;
  held.path = dir + "/.owner";
  held.self = thisProcess();
  held.ends = held.wasKilled = false;
  while (!tryOwn())
    usleep(10000);
  held.heartbeatThread = startThread(sendHeartbeats);
}

/// Whether `checkpoint` is in `dir`, or a link there leads to it.
static bool isIn(const std::string &checkpoint, const std::string &dir,
                 const std::vector<std::string> &steps) {
  if (checkpoint.empty())
    return false;
  auto isSame = [](const std::string &a, const std::string &b) {
    std::error_code isMissing;
    return std::filesystem::equivalent(a, b, isMissing);
  };
  std::string parent = folderOf(checkpoint);
  return isSame(parent.empty() ? "." : parent, dir) ||
         std::any_of(steps.begin(), steps.end(), [&](const std::string &step) {
           return isSame(checkpoint, dir + "/" + step);
         });
}

/// Ends this run if the folder has checkpoints that it does not continue from:
/// it would replace them, and --keep would delete them.
static void requireOwnCheckpoints(const std::string &resumed) {
  const std::string &dir = held.dir;
  std::vector<std::string> steps = checkpointsIn(dir);
  if (steps.empty() || isIn(resumed, dir, steps))
    return;
  auto newest = static_cast<long long>(stepOfFolder(steps.back()));
  // A script that resumes if there is a 'latest' starts again after such a
  // kill.
  if (steps.size() == 1 && held.wasKilled && !exists(dir + "/latest")) {
    warn(format("'%s' has the checkpoint of step %lld, of a run that was "
                "killed before it wrote 'latest': --resume %s continues from "
                "it, this run does not",
                dir.c_str(), newest, dir.c_str()));
    return;
  }
  leaveSaveFolder();
  fail(ExitOutput,
       format("'%s' has checkpoints of another run, the newest of step %lld",
              dir.c_str(), newest),
       "--resume " + dir +
           " continues that run; a new one needs another folder for --save");
}

void pcc::ownSaveFolder(const std::string &dir, const std::string &resumed) {
  takeOver(dir);
  requireOwnCheckpoints(resumed);
}

void pcc::requireSaveFolder() {
  if (held.file < 0)
    return;
  // Opened again: this refreshes a network file system's cache of the file.
  int file = openOwnerFile(held.path, O_RDONLY);
  if (file < 0 && errno == ENOENT) {
    // The folder was deleted.
    leaveSaveFolder();
    makeFolders(held.dir);
    takeOver(held.dir);
    return;
  }
  Owner owner;
  if (file >= 0) {
    owner = readOwner(file);
    close(file);
  }
  if (owner.token != held.self.token)
    refuse(owner, "it took the folder over because this run seemed to have "
                  "ended");
}

void pcc::leaveSaveFolder() {
  if (held.file < 0)
    return;
  {
    std::lock_guard<std::mutex> lock(held.mutex);
    held.ends = true;
  }
  held.wake.notify_all();
  held.heartbeatThread.join();
  if (isAt(held.file, held.path))
    unlink(held.path.c_str());
  close(held.file);
  held.file = -1;
}
