//===- Cut.h - The lightest nodes between two sides of a graph --*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_CUT_H
#define PCC_PASSES_PIPELINE_CUT_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace pcc {

/// A directed graph whose nodes have weights: which of them are on all paths
/// from the begins to the ends, and weigh least together? By the largest flow
/// (Dinic 1970), which the weights of such nodes bound.
///
///     begin -> a(4) -> b(1) -> end       b: 1, and not a: 4
///                 \--> c(1) -> end       b and c: 2
class Cut {
public:
  /// Adds a node and returns its number, from 0. What weighs nothing is always
  /// taken.
  int addNode(int64_t weight);
  /// A path may lead from one to the other.
  void addEdge(int from, int to);
  /// Paths begin, or end, here.
  void addBegin(int node) { begins.push_back(node); }
  void addEnd(int node) { ends.push_back(node); }

  /// The nodes that weigh least; of several such sets, the one nearest to the
  /// ends. May be called once.
  llvm::BitVector find();

private:
  struct Arc {
    int to;
    int64_t room; ///< how much more may flow
  };
  /// Arcs come in pairs, i and i ^ 1: what flows along one may flow back.
  void addArc(int from, int to, int64_t room);
  bool findLevels(int from, int to);
  int64_t push(int at, int to, int64_t most);

  llvm::SmallVector<int64_t> weights;
  llvm::SmallVector<std::pair<int, int>> edges;
  llvm::SmallVector<int> begins, ends;
  llvm::SmallVector<Arc> arcs;
  /// By vertex: its arcs, how far it is from where paths begin, and how many
  /// of its arcs lead nowhere.
  llvm::SmallVector<llvm::SmallVector<int>> arcsOf;
  llvm::SmallVector<int> level;
  llvm::SmallVector<unsigned> next;
};

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_CUT_H
