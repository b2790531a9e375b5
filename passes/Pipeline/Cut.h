//===- Cut.h - Minimum vertex cut of a graph --------------------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_CUT_H
#define PCC_PASSES_PIPELINE_CUT_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace pcc {

/// A directed graph with weighted nodes, and its minimum vertex cut: the
/// lightest set of nodes that is on all paths from the begins to the ends.
/// Found by maximum flow (Dinic 1970).
///
///     begin -> a(4) -> b(1) -> end       b: 1, and not a: 4
///                 \--> c(1) -> end       b and c: 2
class Cut {
public:
  /// Adds a node and returns its number, from 0. A node of weight 0 is cut at
  /// no cost.
  int addNode(int64_t weight);
  /// Adds an edge.
  void addEdge(int from, int to);
  /// Makes a node a begin, or an end, of paths.
  void addBegin(int node) { begins.push_back(node); }
  void addEnd(int node) { ends.push_back(node); }

  /// Returns the minimum cut; of several, the one nearest to the ends. May be
  /// called once.
  llvm::BitVector find();

private:
  struct Arc {
    int to;
    int64_t room; ///< residual capacity
  };
  /// Arcs i and i ^ 1 are a pair: flow along one adds capacity to the other.
  void addArc(int from, int to, int64_t room);
  bool findLevels(int from, int to);
  int64_t push(int at, int to, int64_t most);

  llvm::SmallVector<int64_t> weights;
  llvm::SmallVector<std::pair<int, int>> edges;
  llvm::SmallVector<int> begins, ends;
  llvm::SmallVector<Arc> arcs;
  /// By vertex: its arcs, its distance from the source, and how many of its
  /// arcs are exhausted.
  llvm::SmallVector<llvm::SmallVector<int>> arcsOf;
  llvm::SmallVector<int> level;
  llvm::SmallVector<unsigned> next;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_CUT_H
