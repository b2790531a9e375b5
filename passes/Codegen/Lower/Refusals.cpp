//===- Refusals.cpp - Where blocks may not lie ----------------------------===//

#include "passes/Codegen/Lower/Refusals.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace pcc;

using Ranges = std::vector<std::pair<int64_t, int64_t>>;

/// Adds to `refused`, or to the last of these, what two pieces refuse.
static void refuse(const Piece &piece, const Piece &other, Ranges &refused) {
  int64_t after = other.begin - piece.end, before = other.end - piece.begin;
  // Slots that follow each other mostly refuse what the ones before have.
  bool isBeside = !refused.empty() && after < refused.back().second &&
                  refused.back().first < before;
  if (isBeside && refused.back().first <= after &&
      before <= refused.back().second)
    return;
  if (!piece.overlaps(other))
    return;
  if (isBeside)
    refused.back() = {std::min(refused.back().first, after),
                      std::max(refused.back().second, before)};
  else
    refused.push_back({after, before});
}

Refusals::Refusals(ArrayRef<MemoryBlock *> blocks) : of(blocks.size()) {
  Ranges refused;
  for (unsigned b = 0; b < blocks.size(); ++b)
    for (unsigned a = 0; a < b; ++a) {
      refused.clear();
      for (const Piece &piece : blocks[a]->pieces)
        for (const Piece &other : blocks[b]->pieces)
          refuse(piece, other, refused);
      llvm::sort(refused);
      for (size_t i = 0; i < refused.size();) {
        auto [after, before] = refused[i++];
        for (; i < refused.size() && refused[i].first < before; ++i)
          before = std::max(before, refused[i].second);
        of[a].push_back({b, after, before});
        of[b].push_back({a, -before, -after});
        ++pairs;
      }
    }
}
