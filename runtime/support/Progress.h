//===- Progress.h - Current operation of this rank --------------*- C++ -*-===//
//
// When a job hangs, its ranks report which rank causes it, and the operation of
// that rank. For this purpose the main thread records its current operation, at
// the cost of a few stores per operation. A thread of the heartbeat connection
// reads these notes.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_PROGRESS_H
#define PCC_RUNTIME_SUPPORT_PROGRESS_H

#include <atomic>
#include <cstdint>
#include <string>

namespace pcc {

/// The activity of a rank, which decides whether it can be the cause of a hang.
enum class Activity : int32_t {
  Works,
  Waits,   ///< waits for other ranks, in a call of the communication library
  Flushes, ///< waits for a disk, which reports no progress
};

/// The notes on a rank's progress. Only the main thread writes them, except
/// those of the communication thread and of a device. Strings live as long as
/// the program.
struct ProgressNotes {
  std::atomic<uint64_t> finished{0}; ///< finished operations
  /// The number of requests of a device to the host, counted by threads of its
  /// driver. Meanwhile the main thread may wait for a whole step.
  std::atomic<uint64_t> deviceRequests{0};
  /// Finished phases of requests and pieces of messages over TCP.
  std::atomic<uint64_t> communicated{0};
  /// The id of the communication thread; 0: there is none.
  std::atomic<int> communicator{0};
  std::atomic<const char *> operation{""}, detail{""};
  std::atomic<Activity> doing{Activity::Works};
  std::atomic<const char *> phase{"the start"};
  std::atomic<int64_t> step{-1}; ///< -1: the phase is no step
};
/// The notes of this process.
extern ProgressNotes progressNotes;

/// Counts a finished operation, or a finished piece of a long one.
inline void advance() {
  // Only one thread writes, so an atomic addition, which costs more, is not
  // needed.
  uint64_t finished = progressNotes.finished.load(std::memory_order_relaxed);
  progressNotes.finished.store(finished + 1, std::memory_order_relaxed);
}

/// The same, for a phase of a request or a piece of a message, on any thread.
inline void advanceCommunication() {
  progressNotes.communicated.fetch_add(1, std::memory_order_relaxed);
}

/// The same, for any thread of a device's driver.
inline void advanceDevice() {
  progressNotes.deviceRequests.fetch_add(1, std::memory_order_relaxed);
}

/// Records an operation from construction to destruction. `detail` continues
/// the name: " over tp".
class Operation {
public:
  /// `name` and `detail` live as long as the program.
  explicit Operation(const char *name, Activity doing = Activity::Works,
                     const char *detail = "")
      : outerName(get(progressNotes.operation)),
        outerDetail(get(progressNotes.detail)),
        outerDoing(get(progressNotes.doing)) {
    set(name, detail, doing);
  }
  /// An operation on a file, whose name without the folder is the detail.
  Operation(const char *name, const std::string &path,
            Activity doing = Activity::Works);
  ~Operation() {
    set(outerName, outerDetail, outerDoing);
    advance();
  }
  Operation(const Operation &) = delete;
  Operation &operator=(const Operation &) = delete;

private:
  template <typename T>
  static T get(const std::atomic<T> &from) {
    return from.load(std::memory_order_relaxed);
  }
  static void set(const char *name, const char *detail, Activity doing) {
    progressNotes.operation.store(name, std::memory_order_relaxed);
    progressNotes.detail.store(detail, std::memory_order_relaxed);
    progressNotes.doing.store(doing, std::memory_order_relaxed);
  }

  const char *outerName, *outerDetail;
  Activity outerDoing;
};

/// Sets the phase of the run that operations belong to from here on, such as
/// "step" 12 or "the export". Counts as a finished operation.
void setPhase(const char *phase, int64_t step = -1);

/// A snapshot of this rank's progress.
struct Progress {
  uint64_t sum = 0; ///< changes with every finished operation, read or write
  Activity doing = Activity::Works;
  std::string text; ///< "'all_reduce over tp' of step 12"
  std::string last; ///< lastOperations(); not set by readProgress()
};

/// Reads the notes. May be called from one thread other than the main one.
Progress readProgress();

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_PROGRESS_H
