//===- Occupancy.cpp - Occupied bytes by moment ---------------------------===//
//
// A segment tree over moments. A span is decomposed into the fewest nodes that
// cover it. Its bytes are recorded as `always` and `ever` in these nodes and as
// `ever` in all nodes above them:
//
//     moments                        0  1  2  3
//     span 1 to 3, bytes 0 to 64        [--------]
//
//     node 0..3     ever 0..64
//     node 0..1     ever 0..64       node 2..3   always, ever 0..64
//     node 1        always, ever 0..64
//
// Touching ranges are merged. A thousand adjacent values that are all needed at
// one moment are a single range there.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Packing/Occupancy.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;

Occupancy::Occupancy(std::vector<unsigned> begins)
    : begins(std::move(begins)),
      nodes(2 * llvm::PowerOf2Ceil(this->begins.size())) {}

void Occupancy::clear() {
  for (Node &node : nodes) {
    node.always.clear();
    node.ever.clear();
  }
}

void Occupancy::insert(ByteRanges &ranges, int64_t begin, int64_t end) {
  auto first = llvm::partition_point(
      ranges, [&](const auto &range) { return range.second < begin; });
  auto last = first;
  for (; last != ranges.end() && last->first <= end; ++last) {
    begin = std::min(begin, last->first);
    end = std::max(end, last->second);
  }
  if (first == last) {
    ranges.insert(first, {begin, end});
    return;
  }
  *first = {begin, end};
  ranges.erase(first + 1, last);
}

Occupancy::Span Occupancy::numbersOf(Span span) const {
  return {llvm::lower_bound(begins, span.first) - begins.begin(),
          llvm::upper_bound(begins, span.second) - begins.begin() - 1};
}

void Occupancy::take(Part part, Span numbers, int64_t begin, int64_t end) {
  if (numbers.second < part.first || part.last < numbers.first)
    return;
  insert(nodes[part.node].ever, begin, end);
  if (numbers.first <= part.first && part.last <= numbers.second) {
    insert(nodes[part.node].always, begin, end);
    return;
  }
  take(part.left(), numbers, begin, end);
  take(part.right(), numbers, begin, end);
}

void Occupancy::take(Span span, int64_t begin, int64_t end) {
  take(all(), numbersOf(span), begin, end);
}

void Occupancy::find(Part part, Span numbers, ByteRanges &found) const {
  if (numbers.second < part.first || part.last < numbers.first)
    return;
  if (numbers.first <= part.first && part.last <= numbers.second) {
    llvm::append_range(found, nodes[part.node].ever);
    return;
  }
  llvm::append_range(found, nodes[part.node].always);
  find(part.left(), numbers, found);
  find(part.right(), numbers, found);
}

void Occupancy::find(Span span, ByteRanges &found) const {
  find(all(), numbersOf(span), found);
}
