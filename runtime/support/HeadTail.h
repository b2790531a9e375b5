//===- HeadTail.h - The head-tail order of a sequence -----------*- C++ -*-===//
//
// A sequence of which each of c ranks has a part is cut into 2c pieces. Rank i
// has pieces i and 2c-1-i: with a causal mask the first has few keys before it,
// the second many, and all ranks do equal work. For two ranks and 8 tokens:
//
//     place        0 1 2 3 4 5 6 7
//     position     0 1 6 7 2 3 4 5
//                  rank 0  rank 1
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_HEADTAIL_H
#define PCC_RUNTIME_SUPPORT_HEADTAIL_H

#include <cstdint>

namespace pcc {

/// Returns the number of elements that are consecutive in a sequence of
/// `length`, a multiple of 2 * ranks.
inline int64_t headTailPiece(int64_t length, int64_t ranks) {
  return length / (2 * ranks);
}

/// Returns the position in a sequence of `length` of the element at index
/// `place` of the order.
inline int64_t headTailPosition(int64_t place, int64_t length, int64_t ranks) {
  int64_t size = headTailPiece(length, ranks), number = place / size;
  int64_t piece = number % 2 ? 2 * ranks - 1 - number / 2 : number / 2;
  return piece * size + place % size;
}

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_HEADTAIL_H
