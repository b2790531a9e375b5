//===- Progress.cpp - What this rank does at present ----------------------===//
//
// Bytes are counted by the system. What a rank reads from a mapped file shows
// as page faults; those of a rank that waits for others say nothing, since a
// waiting rank spins and the system moves its memory about.
//
//===----------------------------------------------------------------------===//

#include "runtime/common/Progress.h"

#include "runtime/common/Error.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <set>
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

/// A file of /proc of the main thread; empty if it cannot be read.
static std::string procText(const char *name) {
  char path[64], text[1024];
  snprintf(path, sizeof(path), "/proc/self/task/%d/%s", getpid(), name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return "";
  ssize_t length = read(file, text, sizeof(text));
  close(file);
  return std::string(text, length > 0 ? length : 0);
}

/// The sum of the lines "name: number" of the main thread's io file.
static uint64_t bytesMoved() {
  std::string text = procText("io");
  uint64_t sum = 0;
  for (size_t at = text.find(':'); at != std::string::npos;
       at = text.find(':', at + 1))
    sum += strtoull(text.c_str() + at + 1, nullptr, 10);
  return sum;
}

static uint64_t pageFaults() {
  std::string text = procText("stat");
  // "id (name) state ppid pgrp session tty tpgid flags minflt cminflt majflt",
  // where the name may hold anything.
  size_t name = text.rfind(')');
  unsigned long long minor = 0, major = 0;
  if (name == std::string::npos ||
      sscanf(text.c_str() + name + 1,
             " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major) != 2)
    return 0;
  return minor + major;
}

Progress pcc::readProgress() {
  static uint64_t faults = 0;
  Progress progress;
  const ProgressNotes &notes = progressNotes;
  progress.doing = notes.doing.load(std::memory_order_relaxed);
  if (progress.doing != Doing::Waits)
    faults = pageFaults();
  progress.sum =
      notes.finished.load(std::memory_order_relaxed) + bytesMoved() + faults;
  int64_t step = notes.step.load(std::memory_order_relaxed);
  std::string phase = notes.phase.load(std::memory_order_relaxed);
  if (step >= 0)
    phase += format(" %lld", static_cast<long long>(step));
  std::string operation = notes.operation.load(std::memory_order_relaxed);
  operation += notes.detail.load(std::memory_order_relaxed);
  progress.text = operation.empty() ? phase : "'" + operation + "' of " + phase;
  return progress;
}
