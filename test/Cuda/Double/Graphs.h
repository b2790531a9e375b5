//===- Graphs.h - Graphs of the double --------------------------*- C++ -*-===//
//
// Calls that a driver rejects during a capture are rejected with the driver's
// code, and the graph is invalid. Calls that it would accept, but whose order
// at a launch is ambiguous, end the process.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TEST_CUDA_DOUBLE_GRAPHS_H
#define PCC_TEST_CUDA_DOUBLE_GRAPHS_H

#include "test/Cuda/Double/Double.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

// The driver's opaque types.
struct CUgraphNode_st {
  std::set<CUgraphNode> after;
  std::function<void()> run;                  ///< null: nothing to do
  CUstream lane = nullptr;                    ///< the captured stream, if any
  CUevent waits = nullptr, records = nullptr; ///< external events
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  bool has(CUgraphNode node) const;
};

struct CUgraphExec_st {
  CUgraph_st graph; ///< its own copy
  std::map<CUgraphNode, std::vector<CUgraphNode>> users;
  bool isRunning = false;
};

namespace fake {

/// The operations recorded from cuStreamBeginCapture to cuStreamEndCapture.
struct Capture {
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
  CUstream origin = nullptr;
  CUstreamCaptureMode mode;
  uint64_t number = 0;
  bool isValid = true, isOver = false;
  std::vector<CUstream> streams; ///< all captured streams
};

/// A launch of a graph that is not complete.
struct Run {
  CUgraphExec graph = nullptr;
  /// For a node that waits for an event: the event's record at the time of the
  /// launch. For a node that records one: the number of the record.
  std::map<CUgraphNode, uint64_t> records;
  std::map<CUgraphNode, size_t> missing; ///< predecessors that are not complete
  std::vector<CUgraphNode> ready;
  size_t left = 0;
  bool isBegun = false;
};

/// The given nodes and all their predecessors.
std::set<CUgraphNode> pastOf(const std::set<CUgraphNode> &nodes);
/// Instantiates a graph. Ends the process if it is ambiguous which record of an
/// event is the last, or whether a wait refers to a record of the same launch.
CUgraphExec instantiate(const CUgraph_st &graph);
/// Registers a launch's records, in the order of the host's calls.
std::shared_ptr<Run> launch(CUgraphExec graph);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_GRAPHS_H
