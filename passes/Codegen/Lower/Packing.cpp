//===- Packing.cpp - Places for what does not live at once ----------------===//

#include "passes/Codegen/Lower/Packing.h"
#include "llvm/ADT/STLExtras.h"

using namespace pcc;

void Life::touch(unsigned moment, bool begins) {
  if (spans.empty() || (begins && spans.back().second < moment))
    spans.push_back({moment, moment});
  else
    spans.back().second = moment;
}

bool Life::overlaps(const Life &other) const {
  const auto *a = spans.begin(), *b = other.spans.begin();
  while (a != spans.end() && b != other.spans.end()) {
    if (a->second < b->first)
      ++a;
    else if (b->second < a->first)
      ++b;
    else
      return true;
  }
  return false;
}

int64_t pcc::pack(llvm::MutableArrayRef<Life> lives) {
  llvm::SmallVector<Life *> order, placed;
  for (Life &life : lives)
    order.push_back(&life);
  llvm::sort(order, [](const Life *a, const Life *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  int64_t peak = 0;
  for (Life *life : order) {
    // `placed` is sorted by offset.
    int64_t end = 0, best = -1, bestGap = 0;
    for (const Life *other : placed) {
      if (!life->overlaps(*other))
        continue;
      int64_t gap = other->offset - end;
      if (gap >= life->bytes && (best < 0 || gap < bestGap)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, other->offset + other->bytes);
    }
    life->offset = best < 0 ? end : best;
    peak = std::max(peak, life->offset + life->bytes);
    placed.insert(llvm::upper_bound(placed, life,
                                    [](const Life *a, const Life *b) {
                                      return a->offset < b->offset;
                                    }),
                  life);
  }
  return peak;
}
