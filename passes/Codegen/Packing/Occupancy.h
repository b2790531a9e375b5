//===- Occupancy.h - Occupied bytes by moment -------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_OCCUPANCY_H
#define PCC_PASSES_CODEGEN_PACKING_OCCUPANCY_H

#include "mlir/Support/LLVM.h"

namespace pcc {

/// Half-open ranges of bytes: [first, second).
using ByteRanges = std::vector<std::pair<int64_t, int64_t>>;

/// The bytes that placed blocks occupy, by moment.
class Occupancy {
public:
  /// A first and a last moment, both included.
  using Span = std::pair<unsigned, unsigned>;

  /// `begins`: the moments at which spans may begin, in ascending order.
  explicit Occupancy(std::vector<unsigned> begins);

  /// Marks all bytes as free.
  void clear();
  /// Marks bytes [begin, end) as occupied during a span.
  void take(Span span, int64_t begin, int64_t end);
  /// Appends the ranges that are occupied at any moment of a span, unordered
  /// and perhaps with duplicates.
  void find(Span span, ByteRanges &found) const;

private:
  /// A node of the tree over the moments: a leaf is one moment; an inner node
  /// has two halves, which are nodes.
  struct Node {
    /// `always`: occupied at every moment of the node by a span that covers the
    /// node. `ever`: occupied at some moment of the node. Both are ordered and
    /// disjoint.
    ByteRanges always, ever;
  };
  /// A node with the moments that it covers, as indices into `begins`.
  struct Part {
    unsigned node, first, last;

    Part left() const { return {2 * node, first, (first + last) / 2}; }
    Part right() const { return {2 * node + 1, (first + last) / 2 + 1, last}; }
  };
  static void insert(ByteRanges &ranges, int64_t begin, int64_t end);
  /// The indices of the begins within a span. Two spans overlap exactly if they
  /// share such a begin.
  Span numbersOf(Span span) const;
  void take(Part part, Span numbers, int64_t begin, int64_t end);
  void find(Part part, Span numbers, ByteRanges &found) const;
  Part all() const { return {1, 0, unsigned(begins.size()) - 1}; }

  std::vector<unsigned> begins;
  /// Node 1 covers all moments; the halves of node i are nodes 2 i and 2 i + 1.
  std::vector<Node> nodes;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_OCCUPANCY_H
