//===- Graphs.cpp - CUDA graphs of compiled code --------------------------===//

#include "runtime/cuda/Graphs.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <optional>

using namespace pcc;
using namespace pcc::cuda;

static bool areUsed = true;
/// The graphs of this process, or null.
static const Graphs *ofRank = nullptr;

bool cuda::usesGraphs() { return areUsed; }

const char *cuda::graphsHint() {
  return ofRank && ofRank->isRecording()
             ? "--no-cuda-graphs issues operations one by one, "
               "with the same results"
             : "";
}

bool backend::chooseGraphs(bool uses) {
  areUsed = uses;
  return true;
}

std::string backend::graphsText() { return ofRank ? ofRank->text() : ""; }

struct Graphs::Recording {
  std::unique_ptr<Graph> made;
  std::vector<char> uses; ///< by stream: whether the capture uses it
  /// By event: the nodes that its last record follows; none without a record.
  std::vector<std::optional<std::vector<CUgraphNode>>> places;
  TrafficCounts before;
};

Graphs::Graphs(Rank &rank, const pcc_stage &stage)
    : rank(rank), compiledEvents(stage.n_events) {
  for (int i : {0, 1}) {
    launchers[i] = makeStream(StreamUse::Computes);
    launched[i] = makeEvent();
    for (int32_t event = 0; event < endOf(stage.n_streams); ++event) {
      sets[i].push_back(makeEvent());
      // Recorded once, as a graph may wait for any of them.
      check(driver().cuEventRecord(sets[i].back(), computeStream()),
            "the start of an event");
    }
  }
  for (CUevent *event : {&begun, &fork, &join, &order})
    *event = makeEvent();
  ofRank = this;
}

void Graphs::beginEntry() {
  hasGraphs = false;
  set = 0;
  hasOthers = false;
  check(driver().cuEventRecord(begun, computeStream()),
        "the begin of an entry");
  for (CUstream launcher : launchers)
    check(driver().cuStreamWaitEvent(launcher, begun, CU_EVENT_WAIT_DEFAULT),
          "the begin of an entry");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void Graphs::launch(Graph &graph) {
  // The next launch, on the other launcher, thus begins after all launches
  // before this one: this event covers the last but one, stream order the last.
  check(driver().cuStreamWaitEvent(launchers[1 - set], launched[set],
                                   CU_EVENT_WAIT_DEFAULT),
        "the wait for a graph");
  check(driver().cuGraphLaunch(graph.graph, launchers[set]), "the launch of ",
        graph.name);
  // Work of the runtime itself follows the graph.
  check(driver().cuEventRecord(launched[set], launchers[set]),
        "the record of an event");
  check(driver().cuStreamWaitEvent(computeStream(), launched[set],
                                   CU_EVENT_WAIT_DEFAULT),
        "the wait for a graph");
  hasGraphs = true;
  set = 1 - set;
}

bool Graphs::begin(int32_t number, int64_t turn, const char *name) {
  if (hasOthers || recording)
    fail(ExitInternal, "the program has work outside its graphs");
  for (const auto &graph : graphs) {
    if (graph->number != number || graph->set != set)
      continue;
    for (const auto &action : graph->actions)
      action(turn - graph->turn);
    countTraffic(graph->traffic);
    launch(*graph);
    return false;
  }
  recording = std::make_unique<Recording>();
  recording->made =
      std::make_unique<Graph>(Graph{number, name, set, turn, nullptr, {}, {}});
  recording->uses.resize(rank.streams.size());
  recording->places.resize(sets[set].size());
  recording->before = trafficCounts();
  // Libraries may initialize themselves during the capture.
  check(driver().cuStreamBeginCapture(launchers[set],
                                      CU_STREAM_CAPTURE_MODE_RELAXED),
        "the capture of ", name);
  check(driver().cuEventRecord(fork, launchers[set]), "the capture of ", name);
  return true;
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

void Graphs::use(int32_t stream) {
  if (!recording) {
    if (hasGraphs)
      fail(ExitInternal, "the program has work outside its graphs");
    hasOthers = true;
    return;
  }
  if (recording->uses[stream])
    return;
  recording->uses[stream] = 1;
  check(driver().cuStreamWaitEvent(rank.streams[stream], fork,
                                   CU_EVENT_WAIT_DEFAULT),
        "the fork of a graph");
  waitForLast(stream, endOf(stream));
}

/// Waits for the record of an event by the launch before, if there was one.
void Graphs::waitForLast(int32_t stream, int32_t event) {
  check(driver().cuStreamWaitEvent(rank.streams[stream], sets[1 - set][event],
                                   CU_EVENT_WAIT_EXTERNAL),
        "the wait for a graph");
}

bool Graphs::hasRecorded(int32_t event) const {
  return recording->places[event].has_value();
}

/// Saves the position of a stream, as an event's record that other graphs see.
void Graphs::savePosition(int32_t stream, int32_t event) {
  CUstreamCaptureStatus status;
  const CUgraphNode *nodes = nullptr;
  size_t count = 0;
  check(driver().cuStreamGetCaptureInfo(rank.streams[stream], &status, nullptr,
                                        nullptr, &nodes, nullptr, &count),
        "the record of an event");
  if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    fail(ExitDevice, "the driver has aborted the capture of a graph",
         graphsHint());
  recording->places[event].emplace(nodes, nodes + count);
}

void Graphs::record(int32_t stream, int32_t event) {
  use(stream);
  CUevent inner = event == communication() ? order : rank.events[event];
  check(driver().cuEventRecord(inner, rank.streams[stream]),
        "the record of an event");
  savePosition(stream, event);
}

void Graphs::wait(int32_t stream, int32_t event) {
  use(stream);
  if (!hasRecorded(event))
    return waitForLast(stream, event);
  CUevent inner = event == communication() ? order : rank.events[event];
  check(driver().cuStreamWaitEvent(rank.streams[stream], inner,
                                   CU_EVENT_WAIT_DEFAULT),
        "the wait for an event");
}

void Graphs::atLaunch(std::function<void(int64_t)> action) {
  recording->made->actions.push_back(std::move(action));
}

void Graphs::end(int32_t number) {
  if (!recording || recording->made->number != number)
    fail(ExitInternal, "the program ends a graph that it has not begun");
  Graph &made = *recording->made;
  const char *name = made.name;
  CUstream launcher = launchers[set];
  auto streams = static_cast<int32_t>(rank.streams.size());
  for (int32_t stream = 0; stream < streams; ++stream)
    if (recording->uses[stream])
      savePosition(stream, endOf(stream));
  CUgraph graph = nullptr;
  CUstreamCaptureStatus status;
  check(driver().cuStreamGetCaptureInfo(launcher, &status, nullptr, &graph,
                                        nullptr, nullptr, nullptr),
        "the capture of ", name);
  // Added here instead of by the streams, as only now the last record of each
  // event is known.
  for (size_t event = 0; event < recording->places.size(); ++event) {
    CUgraphNode node;
    if (const auto &place = recording->places[event])
      check(driver().cuGraphAddEventRecordNode(&node, graph, place->data(),
                                               place->size(), sets[set][event]),
            "the record of an event");
  }
  for (int32_t stream = 0; stream < streams; ++stream) {
    if (!recording->uses[stream])
      continue;
    check(driver().cuEventRecord(join, rank.streams[stream]),
          "the join of a graph");
    check(driver().cuStreamWaitEvent(launcher, join, CU_EVENT_WAIT_DEFAULT),
          "the join of a graph");
  }
  check(driver().cuStreamEndCapture(launcher, &graph), "the capture of ", name);
  size_t count = 0;
  check(driver().cuGraphGetNodes(graph, nullptr, &count), "the capture of ",
        name);
  int64_t before = bytesInUse();
  // With this flag each node keeps the priority of the stream that it was
  // captured on; otherwise all have the launcher's.
  check(driver().cuGraphInstantiate(
            &made.graph, graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY),
        "the instantiation of ", name);
  check(driver().cuGraphDestroy(graph), "the instantiation of ", name);
  made.traffic = countedSince(recording->before);
  graphs.push_back(std::move(recording->made));
  recording.reset();
  for (const auto &action : made.actions)
    action(0);
  launch(made);
  nodes += count;
  bytes += std::max<int64_t>(bytesInUse() - before, 0);
}

std::string Graphs::text() const {
  return graphs.empty()
             ? ""
             : format("%zu, of %zu nodes, %s of the device's memory",
                      graphs.size(), nodes, bytesText(bytes).c_str());
}

//===----------------------------------------------------------------------===//
// Calls of compiled code
//===----------------------------------------------------------------------===//

int32_t pcc_graph_begin(pcc_context *ctx, int32_t graph, int64_t turn,
                        const char *name) {
  Graphs *graphs = stateOf(ctx).graphs;
  return graphs ? graphs->begin(graph, turn, name) : 1;
}

void pcc_graph_end(pcc_context *ctx, int32_t graph) {
  if (Graphs *graphs = stateOf(ctx).graphs)
    graphs->end(graph);
}
