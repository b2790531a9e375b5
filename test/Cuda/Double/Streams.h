//===- Streams.h - Streams and events of the double -------------*- C++ -*-===//

#ifndef PCC_TEST_CUDA_DOUBLE_STREAMS_H
#define PCC_TEST_CUDA_DOUBLE_STREAMS_H

#include "test/Cuda/Double/Double.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

// The driver's types, of which users have pointers alone.
struct CUevent_st {
  uint64_t records = 0;       ///< how many there were
  std::set<uint64_t> pending; ///< those that are not over
  /// Whether the record of that number, from 1, and all it stands for is over.
  bool isOver(uint64_t record) const { return !pending.count(record); }
};

struct CUstream_st {
  int number = 0;
  struct Operation {
    std::function<void()> run;
    /// It begins after this record.
    CUevent event = nullptr;
    uint64_t record = 0;
    /// It ends this one.
    CUevent ended = nullptr;
    uint64_t endedRecord = 0;
  };
  std::deque<Operation> queue;
};

namespace fake {

/// All streams, and the thread that works them off.
class Streams {
public:
  Streams();
  CUstream create();
  void check(CUstream stream) const;
  void push(CUstream stream, CUstream_st::Operation operation);
  void record(CUevent event, CUstream stream);
  void wait(CUstream stream, CUevent event);
  /// The host waits for the last record of an event.
  void synchronize(CUevent event);
  /// Whether that is over; a host that asks waits for it in its own way.
  bool isOver(CUevent event);

private:
  [[noreturn]] void run();
  CUstream choose();
  void checkLocked(CUstream stream) const;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<CUstream_st>> streams;
  /// How late the device is: not at all, until the host waits, or that one
  /// stream goes as far as it can before another one begins.
  enum class Late { Nobody, Device, Streams } late;
  std::mt19937_64 chance;
  CUstream favourite = nullptr;
  int waiting = 0;      ///< threads of the host
  bool isAsked = false; ///< isOver() was last asked of what is not over
  int64_t pending = 0;  ///< operations
  int64_t waits = 0, operations = 0;
  std::string fault;
  int64_t faultAt = -1;
};

Streams &streams();

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_STREAMS_H
