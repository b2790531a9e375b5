//===- Progress.h - What this rank does at present --------------*- C++ -*-===//
//
// When a job stands still, its ranks say which of them is to blame, and what it
// was doing. For that the main thread notes what it does, at the cost of a few
// stores for each operation; a thread of the lifeline reads the notes.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_PROGRESS_H
#define PCC_RUNTIME_SUPPORT_PROGRESS_H

#include <atomic>
#include <cstdint>
#include <string>

namespace pcc {

/// Whether a rank can be to blame for a job that stands still.
enum class Doing : int32_t {
  Works,
  Waits,   ///< for other ranks, in a call of the communication library
  Flushes, ///< waits for a disk, which does not tell how far it is
};

/// The notes. Only the main thread writes them, but those of the one that
/// communicates and of a device; texts live as long as the program.
struct ProgressNotes {
  std::atomic<uint64_t> finished{0}; ///< operations
  /// By threads of a device's driver: how often it came so far that it asked
  /// the host for something. The main thread may wait for a whole step.
  std::atomic<uint64_t> ofDevice{0};
  /// By the thread that communicates, of pieces of operations, and its id; 0:
  /// there is none.
  std::atomic<uint64_t> communicated{0};
  std::atomic<int> communicator{0};
  std::atomic<const char *> operation{""}, detail{""};
  std::atomic<Doing> doing{Doing::Works};
  std::atomic<const char *> phase{"the start"};
  std::atomic<int64_t> step{-1}; ///< -1: the phase has none
};
/// The notes of this process.
extern ProgressNotes progressNotes;

/// Notes that something was finished: an operation, or a part of one that may
/// take long.
inline void advance() {
  // One thread writes: no need of an atomic addition, which costs more.
  uint64_t finished = progressNotes.finished.load(std::memory_order_relaxed);
  progressNotes.finished.store(finished + 1, std::memory_order_relaxed);
}

/// The same, for the thread that communicates.
inline void advanceCommunication() {
  uint64_t done = progressNotes.communicated.load(std::memory_order_relaxed);
  progressNotes.communicated.store(done + 1, std::memory_order_relaxed);
}

/// The same, for any thread of a device's driver.
inline void advanceDevice() {
  progressNotes.ofDevice.fetch_add(1, std::memory_order_relaxed);
}

/// An operation, from the construction to the destruction. `detail` continues
/// the name: " over tp".
class Operation {
public:
  /// `name` and `detail` live as long as the program.
  explicit Operation(const char *name, Doing doing = Doing::Works,
                     const char *detail = "")
      : outerName(get(progressNotes.operation)),
        outerDetail(get(progressNotes.detail)),
        outerDoing(get(progressNotes.doing)) {
    set(name, detail, doing);
  }
  /// One on a file, called by the last part of its path.
  Operation(const char *name, const std::string &path,
            Doing doing = Doing::Works);
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
  static void set(const char *name, const char *detail, Doing doing) {
    progressNotes.operation.store(name, std::memory_order_relaxed);
    progressNotes.detail.store(detail, std::memory_order_relaxed);
    progressNotes.doing.store(doing, std::memory_order_relaxed);
  }

  const char *outerName, *outerDetail;
  Doing outerDoing;
};

/// The part of the run that operations belong to from here on, such as "step"
/// 12 or "the export". It stands for an operation of its own.
void setPhase(const char *phase, int64_t step = -1);

/// How far this rank is.
struct Progress {
  uint64_t sum = 0; ///< changes with what is finished, read or written
  Doing doing = Doing::Works;
  std::string text; ///< "'all_reduce over tp' of step 12"
  std::string last; ///< as lastOperations() has it
};

/// Reads the notes; one thread beside the main one may call it.
Progress readProgress();

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_PROGRESS_H
