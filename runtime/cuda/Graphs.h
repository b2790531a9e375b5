//===- Graphs.h - What a device is given as a whole -------------*- C++ -*-===//
//
// A graph of compiled code (rt.graph) is recorded by the driver as it is met
// first, and launched. From then on the host skips its ops and launches it. All
// that ops are given is the same in each launch: places of the arena,
// constants, pinned memory.
//
// A launch must not wait for all of the one before, as launches on one stream
// would. So two streams that do nothing else, the launchers, take turns:
//
//   launch      0 prologue   1 turns      2 turns      3 epilogue
//   launcher    0            1            0            1
//   records     events 0     events 1     events 0     events 1
//   waits for   -            events 0     events 1     events 0
//
// Each launch begins when all but the last one are over, and of the last one
// its ops wait for what they need, by nodes for events: each stream for the end
// of its own part there, and where compiled code waits for an event, for the
// last record of it. What the last launch did not record was recorded earlier,
// and is over: then the node waits for nothing. A graph records in one set of
// events and waits for the other one, so that "the last record" cannot mean one
// of its own; so a loop has two graphs, for launches of either set.
//
// Launches of an entry are counted from 0, so that each entry is like the one
// before.
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
  /// Makes the events and streams that all graphs of a stage need.
  Graphs(Rank &rank, const pcc_stage &stage);

  /// Begins an entry behind what the compute stream was given.
  void beginEntry();
  /// Begins a graph, of a loop that is at `turn`. True: its ops are to be
  /// issued, which records them; false: it was launched. `name` is what a
  /// message calls it, and lives as long as the program.
  bool begin(int32_t graph, int64_t turn, const char *name);
  /// Ends the graph that is recorded, and launches it.
  void end(int32_t graph);

  /// Whether what is issued is recorded.
  bool isRecording() const { return recording != nullptr; }
  /// Called ahead of what a stream is given.
  void use(int32_t stream);
  /// As pcc_record and pcc_wait, while a graph is recorded.
  void record(int32_t stream, int32_t event);
  void wait(int32_t stream, int32_t event);
  /// Whether the graph that is recorded has recorded an event.
  bool hasRecorded(int32_t event) const;
  /// An event for the order of what ranks communicate.
  int32_t communication() const { return compiledEvents; }
  /// Has something done ahead of each launch of the graph that is recorded:
  /// `past` is how many turns after those that are recorded its own are.
  void atLaunch(std::function<void(int64_t past)> action);

  /// How many there are, how many nodes they have, and how many bytes of the
  /// device became used as they were made, as far as the driver tells.
  std::string text() const;

private:
  struct Graph {
    int32_t number;
    const char *name;
    int set;           ///< of events that it records, and its launcher
    int64_t turn;      ///< of its loop, as it was recorded
    CUgraphExec graph; ///< null while it is recorded
    std::vector<std::function<void(int64_t)>> actions;
    TrafficCounts traffic; ///< of one launch
  };
  /// What is known of a graph while it is recorded.
  struct Recording;

  void waitForLast(int32_t stream, int32_t event);
  void keepPlace(int32_t stream, int32_t event);
  void launch(Graph &graph);
  int32_t endOf(int32_t stream) const { return compiledEvents + 1 + stream; }

  Rank &rank;
  int32_t compiledEvents;
  CUstream launchers[2];
  CUevent launched[2]; ///< what a launcher was given
  CUevent begun;       ///< what an entry begins behind
  CUevent fork, join;  ///< of the streams of a graph, as it is recorded
  CUevent order;       ///< communication(), within a graph
  /// By event: that which stands for it between graphs.
  std::vector<CUevent> sets[2];

  std::vector<std::unique_ptr<Graph>> graphs;
  std::unique_ptr<Recording> recording;
  // Of the entry at hand.
  int set = 0;            ///< of the next launch
  bool hasGraphs = false; ///< whether there was a launch
  bool hasOthers = false; ///< whether ops were issued in no graph

  size_t nodes = 0;
  int64_t bytes = 0;
};

/// Whether compiled code that has graphs is launched as such; known once
/// backend::prepare() is called.
bool usesGraphs();
/// What helps if something goes wrong; empty unless a graph is recorded.
const char *graphsWayOut();

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_GRAPHS_H
