//===- Graphs.h - Graphs of the double --------------------------*- C++ -*-===//
//
// What a driver refuses while streams are captured is refused with the driver's
// code, and with it the graph. What it would take, and a launch might mean in
// one order or another, ends the process.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TEST_CUDA_DOUBLE_GRAPHS_H
#define PCC_TEST_CUDA_DOUBLE_GRAPHS_H

#include "test/Cuda/Double/Double.h"

#include <map>
#include <memory>
#include <set>
#include <vector>

// The driver's types, of which users have pointers alone.
struct CUgraphNode_st {
  std::set<CUgraphNode> after;
  std::function<void()> run; ///< null: nothing to do
  CUstream lane = nullptr;   ///< that it was captured on, if it was
  CUevent waits = nullptr, records = nullptr; ///< which others see
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

/// What is recorded from cuStreamBeginCapture to cuStreamEndCapture.
struct Capture {
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
  CUstream origin = nullptr;
  CUstreamCaptureMode mode;
  uint64_t number = 0;
  bool isValid = true, isOver = false;
  std::vector<CUstream> streams; ///< all that have a part in it
};

/// A launch of a graph that is not over.
struct Run {
  CUgraphExec graph = nullptr;
  /// Of a node that waits for an event its record, as it was at the launch; of
  /// one that records it the number of the record.
  std::map<CUgraphNode, uint64_t> records;
  std::map<CUgraphNode, size_t> missing; ///< nodes that are to be over first
  std::vector<CUgraphNode> ready;
  size_t left = 0;
  bool isBegun = false;
};

/// All nodes that some come after, and themselves.
std::set<CUgraphNode> pastOf(const std::set<CUgraphNode> &nodes);
/// A graph to be launched; ends the process where it is not clear which record
/// of an event comes last, or whether a wait is for one of the same launch.
CUgraphExec instantiate(const CUgraph_st &graph);
/// Notes a launch's records, in the order of the host's calls.
std::shared_ptr<Run> launch(CUgraphExec graph);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_GRAPHS_H
