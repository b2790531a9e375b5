//===- Occupancy.h - Which bytes are taken at which moments -----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PACKING_OCCUPANCY_H
#define PCC_PASSES_CODEGEN_PACKING_OCCUPANCY_H

#include "mlir/Support/LLVM.h"

namespace pcc {

/// Bytes from the first one on, the second excluded.
using ByteRanges = std::vector<std::pair<int64_t, int64_t>>;

/// Which bytes blocks take at which moments.
class Occupancy {
public:
  /// A first and a last moment.
  using Span = std::pair<unsigned, unsigned>;

  /// Of spans that begin at moments among these, in order.
  explicit Occupancy(std::vector<unsigned> begins);

  /// Nothing is taken.
  void clear();
  /// Bytes [begin, end) are taken in a span.
  void take(Span span, int64_t begin, int64_t end);
  /// Adds what is taken at any moment of a span, in no order; some of it
  /// perhaps several times.
  void find(Span span, ByteRanges &found) const;

private:
  /// A part of all moments: one, or two halves that are nodes of their own.
  struct Node {
    /// What is taken at all of these moments, because of spans that do not
    /// have all of the node above; and what is taken at any. Ranges are in
    /// order and apart from each other.
    ByteRanges always, ever;
  };
  /// The moments of a node, as numbers of `begins`.
  struct Part {
    unsigned node, first, last;

    Part left() const { return {2 * node, first, (first + last) / 2}; }
    Part right() const { return {2 * node + 1, (first + last) / 2 + 1, last}; }
  };
  static void insert(ByteRanges &ranges, int64_t begin, int64_t end);
  /// The begins that lie in a span, by their numbers: two spans have a moment
  /// in common if they have a begin in common.
  Span numbersOf(Span span) const;
  void take(Part part, Span numbers, int64_t begin, int64_t end);
  void find(Part part, Span numbers, ByteRanges &found) const;
  Part all() const { return {1, 0, unsigned(begins.size()) - 1}; }

  std::vector<unsigned> begins;
  /// Node 1 is all moments; the halves of node i are nodes 2 i and 2 i + 1.
  std::vector<Node> nodes;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PACKING_OCCUPANCY_H
