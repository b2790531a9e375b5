//===- Cut.cpp - Minimum vertex cut of a graph ----------------------------===//
//
// Each node is an arc from an entry vertex to an exit vertex with the node's
// weight as capacity; all other arcs have unlimited capacity. After the maximum
// flow, the cut is the set of node arcs that lead into the vertices from which
// the sink is still reachable.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipeline/Cut.h"

using namespace llvm;
using namespace pcc;

/// More than all weights together.
static constexpr int64_t kEverything = INT64_MAX / 4;

static int entryOf(int node) { return 2 * node; }
static int exitOf(int node) { return 2 * node + 1; }

int Cut::addNode(int64_t weight) {
  weights.push_back(weight);
  return weights.size() - 1;
}

void Cut::addEdge(int from, int to) { edges.push_back({from, to}); }

void Cut::addArc(int from, int to, int64_t room) {
  arcsOf[from].push_back(arcs.size());
  arcs.push_back({to, room});
  arcsOf[to].push_back(arcs.size());
  arcs.push_back({from, 0});
}

/// Computes the distance of each vertex along arcs with residual capacity;
/// returns whether `to` is reachable.
bool Cut::findLevels(int from, int to) {
  level.assign(arcsOf.size(), -1);
  level[from] = 0;
  SmallVector<int> reached = {from};
  for (size_t i = 0; i < reached.size(); ++i)
    for (int arc : arcsOf[reached[i]])
      if (arcs[arc].room > 0 && level[arcs[arc].to] < 0) {
        level[arcs[arc].to] = level[reached[i]] + 1;
        reached.push_back(arcs[arc].to);
      }
  return level[to] >= 0;
}

/// Pushes up to `most` flow along one shortest path; returns the amount.
int64_t Cut::push(int at, int to, int64_t most) {
  if (at == to)
    return most;
  for (; next[at] < arcsOf[at].size(); ++next[at]) {
    int number = arcsOf[at][next[at]];
    Arc &arc = arcs[number];
    if (arc.room == 0 || level[arc.to] != level[at] + 1)
      continue;
    if (int64_t flow = push(arc.to, to, std::min(most, arc.room))) {
      arcs[number].room -= flow;
      arcs[number ^ 1].room += flow;
      return flow;
    }
  }
  return 0;
}

BitVector Cut::find() {
  int nodes = weights.size(), from = 2 * nodes, to = from + 1;
  arcsOf.resize(to + 1);
  for (int node = 0; node < nodes; ++node)
    addArc(entryOf(node), exitOf(node), weights[node]);
  for (auto [first, second] : edges)
    addArc(exitOf(first), entryOf(second), kEverything);
  for (int node : begins)
    addArc(from, entryOf(node), kEverything);
  for (int node : ends)
    addArc(exitOf(node), to, kEverything);
  while (findLevels(from, to)) {
    next.assign(arcsOf.size(), 0);
    while (push(from, to, kEverything))
      ;
  }
  // Search backwards from the sink along arcs with residual capacity.
  BitVector reaches(arcsOf.size());
  reaches.set(to);
  SmallVector<int> found = {to};
  for (size_t i = 0; i < found.size(); ++i)
    for (int arc : arcsOf[found[i]])
      if (int before = arcs[arc].to;
          arcs[arc ^ 1].room > 0 && !reaches.test(before)) {
        reaches.set(before);
        found.push_back(before);
      }
  BitVector cut(nodes);
  for (int node = 0; node < nodes; ++node)
    if (reaches.test(exitOf(node)) && !reaches.test(entryOf(node)))
      cut.set(node);
  return cut;
}
