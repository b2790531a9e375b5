//===- Graphs.h - CUDA graphs of compiled code ------------------*- C++ -*-===//
//
// A graph of compiled code (rt.graph) is captured at its first execution and
// launched. From then on the host skips its ops and launches it. All arguments
// of its ops are the same in each launch: addresses in the arena, constants,
// pinned memory.
//
// A launch must not wait for all of the launch before, as it would on the same
// stream. So two streams that do nothing else, the launchers, alternate:
//
//   launch      0 prologue   1 iterations  2 iterations  3 epilogue
//   launcher    0            1             0             1
//   records     events 0     events 1      events 0      events 1
//   waits for   -            events 0      events 1      events 0
//
// Each launch begins when all launches but the last one are complete. Within
// it, event nodes wait for the last launch: each stream waits for the end of
// its part there and, where compiled code waits for an event, for the event's
// last record. An event that the last launch did not record was recorded
// earlier and is complete, so its node does not wait. A graph records one set
// of events and waits for the other set, so that "the last record" cannot be
// its own. A loop therefore has two graphs, one per set.
//
// Launches are counted from 0 in each entry, so that all executions of an entry
// use the same graphs.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CUDA_GRAPHS_H
#define PCC_RUNTIME_CUDA_GRAPHS_H

#include "runtime/cuda/Context.h"
#include "runtime/host/Traffic.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pcc::cuda {

/// The graphs of a rank.
class Graphs {
public:
  /// Creates the events and streams that the graphs of a stage need.
  Graphs(Rank &rank, const pcc_stage &stage);

  /// Begins an entry, after all work of the compute stream so far.
  void beginEntry();
  /// Begins a graph, for a loop at iteration `turn`. Returns true if its ops
  /// must be issued, to be captured; false if it was launched. `name` is for
  /// messages and must outlive this.
  bool begin(int32_t graph, int64_t turn, const char *name);
  /// Ends the capture of a graph, and launches it.
  void end(int32_t graph);

  /// Whether a graph is being captured.
  bool isRecording() const { return recording != nullptr; }
  /// Adds a stream to the graph being captured, if there is one. Must be called
  /// before work is issued on the stream.
  void use(int32_t stream);
  /// As pcc_record and pcc_wait, while a graph is captured.
  void record(int32_t stream, int32_t event);
  void wait(int32_t stream, int32_t event);
  /// Whether the graph being captured has recorded an event.
  bool hasRecorded(int32_t event) const;
  /// The number of an event that orders communication.
  int32_t communication() const { return compiledEvents; }
  /// Registers an action to run before each launch of the graph being captured.
  /// `past` is the distance in iterations from the captured ones to those of
  /// the launch.
  void atLaunch(std::function<void(int64_t past)> action);

  /// The number of graphs, their nodes, and the device memory that their
  /// creation took, as far as the driver tells.
  std::string text() const;

private:
  struct Graph {
    int32_t number;
    const char *name;
    int set;           ///< of events that it records, and its launcher
    int64_t turn;      ///< the loop's iteration when it was captured
    CUgraphExec graph; ///< null while it is captured
    std::vector<std::function<void(int64_t)>> actions;
    TrafficCounts traffic; ///< of one launch
  };
  /// The state of a capture.
  struct Recording;

  void waitForLast(int32_t stream, int32_t event);
  void savePosition(int32_t stream, int32_t event);
  void launch(Graph &graph);
  int32_t endOf(int32_t stream) const { return compiledEvents + 1 + stream; }

  Rank &rank;
  int32_t compiledEvents;
  CUstream launchers[2];
  CUevent launched[2]; ///< after the work of each launcher
  CUevent begun;       ///< after which an entry begins
  CUevent fork, join;  ///< of the streams in a capture
  CUevent order;       ///< communication(), within a graph
  /// By event, the driver's events between graphs.
  std::vector<CUevent> sets[2];

  std::vector<std::unique_ptr<Graph>> graphs;
  std::unique_ptr<Recording> recording;
  // Of the current entry.
  int set = 0;            ///< of the next launch
  bool hasGraphs = false; ///< whether there was a launch
  bool hasOthers = false; ///< whether ops were issued outside graphs

  size_t nodes = 0;
  int64_t bytes = 0;
};

/// Whether the graphs of compiled code are captured and launched; valid once
/// backend::prepare() is called.
bool usesGraphs();
/// A hint for errors; empty unless a graph is being captured.
const char *graphsHint();

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_GRAPHS_H
