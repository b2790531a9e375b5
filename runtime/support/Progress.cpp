//===- Progress.cpp - Current operation of this rank ----------------------===//
//
// Progress is measured by finished operations and by the system's counters of
// bytes and page faults. Reads of a mapped file show as page faults. Counters
// of all threads are added, because hashing runs on a thread of its own. Two
// threads are left out. The thread that reads the counters causes I/O itself.
// The communication thread polls even when nothing happens, and the system may
// migrate its memory.
//
// While a rank waits for others, the system's counters are used of the
// communication thread alone: its bytes are those of messages. Threads of Open
// MPI have activity of their own and are ignored. A computing device reports
// progress when it requests the inputs of a microbatch.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/Progress.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

using namespace pcc;

ProgressNotes pcc::progressNotes;

static const char *fileName(const std::string &path) {
  // The set stays small: checkpoints use the same few names.
  static std::set<std::string> names;
  size_t end = path.find_last_not_of('/');
  size_t slash = path.rfind('/', end);
  std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  return names.insert(" " + name).first->c_str();
}

Operation::Operation(const char *name, const std::string &path, Activity doing)
    : Operation(name, doing, fileName(path)) {}

void pcc::setPhase(const char *phase, int64_t step) {
  progressNotes.phase.store(phase, std::memory_order_relaxed);
  progressNotes.step.store(step, std::memory_order_relaxed);
  progressNotes.operation.store("", std::memory_order_relaxed);
  progressNotes.detail.store("", std::memory_order_relaxed);
  advance();
}

/// Returns the bytes read and written according to a file /proc/.../io. Sets
/// `length` to the length of the file, because reading it counts, too.
static uint64_t bytesMoved(const char *path, uint64_t &length) {
  char text[1024] = "";
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = file < 0 ? 0 : read(file, text, sizeof(text) - 1);
  close(file);
  length = std::max<ssize_t>(got, 0);
  uint64_t sum = 0;
  for (const char *name :
       {"rchar: ", "wchar: ", "\nread_bytes: ", "\nwrite_bytes: "})
    if (const char *at = strstr(text, name))
      sum += strtoull(at + strlen(name), nullptr, 10);
  return sum;
}

static uint64_t pageFaults(int whose) {
  rusage usage = {};
  getrusage(whose, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

static std::string ofThread(int thread, const char *file) {
  return format("/proc/self/task/%d/%s", thread, file);
}

/// Returns the page faults of a thread of this process.
static uint64_t pageFaultsOf(int thread) {
  FILE *file = fopen(ofThread(thread, "stat").c_str(), "r");
  if (!file)
    return 0;
  unsigned long minor = 0, major = 0;
  // Fields: id (name) state, six numbers, minflt, cminflt, majflt. The name of
  // a thread may contain anything, so the last parenthesis ends it.
  char text[512] = "";
  size_t length = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *at = strrchr(text, ')');
  if (!at || sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minor,
                    &major) != 2)
    return 0;
  return minor + major;
}

/// Returns the bytes that a thread has read and written.
static uint64_t movedBy(int thread) {
  uint64_t length;
  return bytesMoved(ofThread(thread, "io").c_str(), length);
}

/// Returns bytes read and written plus page faults of all threads but this one
/// and the communication thread.
static uint64_t movedByOthers(int communicator) {
  // Reading a thread's counters adds to those of this thread, so this thread's
  // are read after the communication thread's.
  uint64_t left = 0, length, ignored;
  if (communicator)
    left = movedBy(communicator) + pageFaultsOf(communicator);
  left += bytesMoved("/proc/thread-self/io", length) + length;
  left += pageFaults(RUSAGE_THREAD);
  return bytesMoved("/proc/self/io", ignored) + pageFaults(RUSAGE_SELF) - left;
}

Progress pcc::readProgress() {
  Progress progress;
  const ProgressNotes &notes = progressNotes;
  progress.doing = notes.doing.load(std::memory_order_relaxed);
  int communicator = notes.communicator.load(std::memory_order_relaxed);
  progress.sum =
      notes.finished.load(std::memory_order_relaxed) +
      notes.communicated.load(std::memory_order_relaxed) +
      notes.deviceRequests.load(std::memory_order_relaxed) +
      (progress.doing == Activity::Waits ? movedBy(communicator)
                                         : movedByOthers(communicator));
  int64_t step = notes.step.load(std::memory_order_relaxed);
  std::string phase = notes.phase.load(std::memory_order_relaxed);
  if (step >= 0)
    phase += format(" %lld", static_cast<long long>(step));
  std::string operation = notes.operation.load(std::memory_order_relaxed);
  operation += notes.detail.load(std::memory_order_relaxed);
  progress.text = operation.empty() ? phase : "'" + operation + "' of " + phase;
  return progress;
}
