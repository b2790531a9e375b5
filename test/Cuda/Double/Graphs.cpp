//===- Graphs.cpp - Graphs of the double ----------------------------------===//

#include "test/Cuda/Double/Graphs.h"

#include "test/Cuda/Double/Streams.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace fake;

bool CUgraph_st::has(CUgraphNode node) const {
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const auto &known) { return known.get() == node; });
}

std::set<CUgraphNode> fake::pastOf(const std::set<CUgraphNode> &nodes) {
  std::set<CUgraphNode> past;
  std::vector<CUgraphNode> open(nodes.begin(), nodes.end());
  while (!open.empty()) {
    CUgraphNode node = open.back();
    open.pop_back();
    if (past.insert(node).second)
      open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return past;
}

static void checkEvents(const CUgraph_st &graph) {
  std::map<CUevent, std::vector<CUgraphNode>> records, waits;
  for (const auto &node : graph.nodes) {
    if (node->records)
      records[node->records].push_back(node.get());
    if (node->waits)
      waits[node->waits].push_back(node.get());
  }
  for (const auto &[event, nodes] : records) {
    // In the order in which they were added, which is topological.
    for (size_t i = 0; i < nodes.size(); ++i) {
      std::set<CUgraphNode> past = pastOf({nodes[i]});
      if (i && !past.count(nodes[i - 1]))
        refuse("a graph records an event twice, in no order");
      for (CUgraphNode wait : waits[event])
        if (!past.count(wait))
          refuse("a graph waits for an event that it records, in no order");
    }
  }
}

CUgraphExec fake::instantiate(const CUgraph_st &graph) {
  checkEvents(graph);
  auto *made = new CUgraphExec_st;
  std::map<CUgraphNode, CUgraphNode> copies;
  for (const auto &node : graph.nodes) {
    made->graph.nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
    CUgraphNode copy = made->graph.nodes.back().get();
    copies[node.get()] = copy;
    copy->after.clear();
    for (CUgraphNode before : node->after) {
      copy->after.insert(copies.at(before));
      made->users[copies.at(before)].push_back(copy);
    }
  }
  return made;
}

std::shared_ptr<Run> fake::launch(CUgraphExec graph) {
  auto run = std::make_shared<Run>();
  run->graph = graph;
  for (const auto &owned : graph->graph.nodes) {
    CUgraphNode node = owned.get();
    run->missing[node] = node->after.size();
    if (node->after.empty())
      run->ready.push_back(node);
    ++run->left;
    if (node->waits)
      run->records[node] = node->waits->records;
    if (node->records) {
      uint64_t record = ++node->records->records;
      node->records->pending.insert(record);
      run->records[node] = record;
    }
  }
  return run;
}

//===----------------------------------------------------------------------===//
// The driver's functions
//===----------------------------------------------------------------------===//

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
  note("cuStreamBeginCapture");
  // $PCC_DOUBLE_ERROR=capture: a driver without this function.
  const char *given = getenv("PCC_DOUBLE_ERROR");
  if (given && !strcmp(given, "capture"))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return streams().beginCapture(stream, mode);
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  note("cuStreamEndCapture");
  return streams().endCapture(stream, graph);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status,
                                cuuint64_t *number, CUgraph *graph,
                                const CUgraphNode **nodes,
                                const CUgraphEdgeData **edges, size_t *count) {
  streams().check(stream);
  const std::shared_ptr<Capture> &capture = stream->capture;
  *status = !capture           ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture->isValid ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                               : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  if (!capture || !capture->isValid)
    return CUDA_SUCCESS;
  // The result is valid until the next call.
  static std::vector<CUgraphNode> known;
  known.assign(stream->next.begin(), stream->next.end());
  if (edges)
    refuse("a question that it does not know");
  if (number)
    *number = capture->number;
  if (graph)
    *graph = capture->graph.get();
  if (nodes)
    *nodes = known.data();
  if (count)
    *count = known.size();
  return CUDA_SUCCESS;
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *made, CUgraph graph,
                                   const CUgraphNode *after, size_t count,
                                   CUevent event) {
  note("cuGraphAddEventRecordNode");
  auto node = std::make_unique<CUgraphNode_st>();
  for (size_t i = 0; i < count; ++i) {
    if (!graph->has(after[i]))
      return CUDA_ERROR_INVALID_VALUE;
    node->after.insert(after[i]);
  }
  node->records = event;
  *made = node.get();
  graph->nodes.push_back(std::move(node));
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  if (nodes)
    refuse("a question that it does not know");
  *count = graph->nodes.size();
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec *made, CUgraph graph,
                            unsigned long long flags) {
  note("cuGraphInstantiate");
  if (flags & ~CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY)
    refuse("flags that it does not know");
  for (const auto &node : graph->nodes)
    if (!flags && node->lane && node->lane->priority)
      refuse("a graph that loses the priorities of its nodes");
  *made = instantiate(*graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  note("cuGraphLaunch");
  streams().check(stream);
  if (const char *given = getenv("PCC_DOUBLE_PAUSE"))
    enqueue(stream,
            [milliseconds = atoi(given)] { usleep(milliseconds * 1000); });
  return streams().launch(graph, stream);
}
