//===- Streams.h - Streams and events of the double -------------*- C++ -*-===//

#ifndef PCC_TEST_CUDA_DOUBLE_STREAMS_H
#define PCC_TEST_CUDA_DOUBLE_STREAMS_H

#include "test/Cuda/Double/Graphs.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

// The driver's opaque types.
struct CUevent_st {
  uint64_t records = 0;       ///< the number of all records
  std::set<uint64_t> pending; ///< the numbers of incomplete records
  /// Whether the record with this number, from 1, and all work before it is
  /// complete.
  bool isOver(uint64_t record) const { return !pending.count(record); }
  /// If the event was recorded during a capture of its stream: the nodes that
  /// it represents.
  std::shared_ptr<fake::Capture> capture;
  std::set<CUgraphNode> places;
};

struct CUstream_st {
  int number = 0;
  int priority = 0; ///< of kernels; smaller numbers go first
  struct Operation {
    std::function<void()> run;
    /// The operation waits for this event's record.
    CUevent event = nullptr;
    uint64_t record = 0;
    /// The operation completes a record of this event.
    CUevent ended = nullptr;
    uint64_t endedRecord = 0;
    /// The launch of a graph.
    std::shared_ptr<fake::Run> graph;
  };
  std::deque<Operation> queue;
  /// The capture that operations are added to, after these nodes; null: not
  /// captured.
  std::shared_ptr<fake::Capture> capture;
  std::set<CUgraphNode> next;
};

namespace fake {

/// All streams, and the thread that executes them.
class Streams {
public:
  Streams();
  CUstream create();
  void check(CUstream stream) const;
  CUresult push(CUstream stream, CUstream_st::Operation operation);
  CUresult record(CUevent event, CUstream stream, bool isExternal);
  CUresult wait(CUstream stream, CUevent event, bool isExternal);
  /// Blocks the host until the event's last record is complete.
  CUresult synchronize(CUevent event);
  /// Blocks the host until all streams are idle.
  CUresult synchronize();
  /// Whether the last record is complete; a host that polls counts as waiting.
  CUresult query(CUevent event);

  CUresult beginCapture(CUstream stream, CUstreamCaptureMode mode);
  CUresult endCapture(CUstream stream, CUgraph *graph);
  CUresult launch(CUgraphExec graph, CUstream stream);
  /// The result of a call that is invalid during a capture, unless the capture
  /// is relaxed.
  CUresult checkUnsafe();

private:
  /// Executable work: the first operation of a stream, or a node of a launch.
  struct Ready {
    CUstream stream;
    std::shared_ptr<Run> run;
    CUgraphNode node;
  };

  [[noreturn]] void run();
  bool choose(Ready &chosen);
  std::vector<Ready> findReady();
  void finish(Run &run, CUgraphNode node);
  void checkLocked(CUstream stream) const;
  CUresult waitInCapture(CUstream stream, CUevent event);
  CUgraphNode addNode(CUstream stream);
  bool isFault(const char *name, int64_t &count);

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::vector<std::shared_ptr<Run>> runs; ///< that have begun
  std::vector<std::shared_ptr<Capture>> captures;
  CUgraphExec lastLaunched = nullptr;
  /// How the device is delayed: not at all, until the host waits, or one stream
  /// runs as far as it can before another starts.
  enum class Late { Nobody, Device, Streams } late;
  std::mt19937_64 chance;
  CUstream favourite = nullptr;
  int waiting = 0;      ///< threads of the host
  bool isAsked = false; ///< query() was last called for an incomplete record
  int64_t pending = 0;  ///< operations
  int64_t waits = 0, externals = 0, joins = 0, launches = 0, operations = 0;
  std::string fault;
  int64_t faultAt = -1;
};

Streams &streams();

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_STREAMS_H
