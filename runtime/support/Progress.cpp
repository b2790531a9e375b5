//===- Progress.cpp - What this rank does at present ----------------------===//
//
// Bytes are counted by the system, of all threads, since some hash beside the
// main one. What is read from a mapped file shows as page faults. Of a rank
// that waits for others only bytes of the main thread count: it spins, and the
// system moves its memory about; threads of Open MPI see to themselves.
//
//===----------------------------------------------------------------------===//

#include "runtime/support/Progress.h"

#include "runtime/support/Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

using namespace pcc;

ProgressNotes pcc::progressNotes;

static const char *fileName(const std::string &path) {
  // Checkpoints have the same few names over and over.
  static std::set<std::string> names;
  size_t end = path.find_last_not_of('/');
  size_t slash = path.rfind('/', end);
  std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  return names.insert(" " + name).first->c_str();
}

Operation::Operation(const char *name, const std::string &path, Doing doing)
    : Operation(name, doing, fileName(path)) {}

void pcc::setPhase(const char *phase, int64_t step) {
  progressNotes.phase.store(phase, std::memory_order_relaxed);
  progressNotes.step.store(step, std::memory_order_relaxed);
  progressNotes.operation.store("", std::memory_order_relaxed);
  progressNotes.detail.store("", std::memory_order_relaxed);
  advance();
}

/// Bytes that were read and written by those whose file of /proc this is.
/// `length` becomes that of the file, which is read as well.
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

/// What all threads but this one have read and written, also of mapped files.
static uint64_t movedByOthers() {
  uint64_t length, ignored;
  uint64_t own = bytesMoved("/proc/thread-self/io", length) + length;
  return bytesMoved("/proc/self/io", ignored) - own + pageFaults(RUSAGE_SELF) -
         pageFaults(RUSAGE_THREAD);
}

static uint64_t movedByMainThread() {
  uint64_t length;
  std::string path = format("/proc/self/task/%d/io", getpid());
  return bytesMoved(path.c_str(), length);
}

Progress pcc::readProgress() {
  Progress progress;
  const ProgressNotes &notes = progressNotes;
  progress.doing = notes.doing.load(std::memory_order_relaxed);
  progress.sum =
      notes.finished.load(std::memory_order_relaxed) +
      (progress.doing == Doing::Waits ? movedByMainThread() : movedByOthers());
  int64_t step = notes.step.load(std::memory_order_relaxed);
  std::string phase = notes.phase.load(std::memory_order_relaxed);
  if (step >= 0)
    phase += format(" %lld", static_cast<long long>(step));
  std::string operation = notes.operation.load(std::memory_order_relaxed);
  operation += notes.detail.load(std::memory_order_relaxed);
  progress.text = operation.empty() ? phase : "'" + operation + "' of " + phase;
  return progress;
}
