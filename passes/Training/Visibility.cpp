//===- Visibility.cpp - Elements that masks hide --------------------------===//

#include "passes/Training/Visibility.h"
#include "analysis/Evaluate.h"
#include "analysis/Runs.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace pcc;
using namespace pcc::analysis;
using namespace pcc::nn;

namespace {
/// Seen: the element contributes. Last: it contributes only if no element of
/// the line is Seen. Hidden: it does not contribute.
enum State : int64_t { Seen, Last, Hidden };
} // namespace

void Visibility::add(Value value, int64_t along, ArrayRef<int> loops,
                     Hides hides) {
  if (tensorType(value).getShape()[along] == extent)
    addParts(value, along, loops, hides, 0);
}

/// A lower bound of a value's elements; empty if none is known.
static std::optional<double> leastOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (takesElements(op))
    return leastOf(op->getOperand(0));
  if (auto where = dyn_cast_or_null<WhereOp>(op)) {
    auto a = leastOf(where.getLhs()), b = leastOf(where.getRhs());
    return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
  }
  if (isa_and_present<ConstantOp>(op))
    return uniformNumber(value);
  return std::nullopt;
}

void Visibility::addParts(Value value, int64_t along, ArrayRef<int> loops,
                          Hides hides, int64_t offset) {
  if (!isa<FloatType>(tensorType(value).getElementType()))
    return;
  auto concat = value.getDefiningOp<ConcatOp>();
  if (concat && static_cast<int64_t>(concat.getDim()) == along) {
    for (Value part : concat.getInputs()) {
      addParts(part, along, loops, hides, offset);
      offset += tensorType(part).getShape()[along];
    }
    return;
  }
  SmallVector<int> order(loops);
  std::swap(order[along], order.back());
  masks.push_back({Lines(value, along, Lines::Finite), order, hides, offset,
                   hides == Least ? leastOf(value) : std::nullopt});
}

/// The elements of a rank-1 integer value; empty if they are not known.
static std::optional<SmallVector<int64_t>> numbersOf(Value value) {
  SmallVector<int64_t> numbers;
  if (auto concat = value.getDefiningOp<ConcatOp>()) {
    for (Value part : concat.getInputs()) {
      auto own = numbersOf(part);
      if (!own)
        return std::nullopt;
      numbers.append(*own);
    }
    return numbers;
  }
  Lines lines(value);
  int64_t zero = 0, i = 0;
  for (const Run &run : lines.line(zero)) {
    if (!run.isKnown)
      return std::nullopt;
    for (int64_t begin = i; i < run.end; ++i)
      numbers.push_back(run.first.i + run.slope * (i - begin));
  }
  return numbers;
}

bool Visibility::addCausal(Value queryPositions, Value keyPositions,
                           int queryLoop) {
  auto q = numbersOf(queryPositions), k = numbersOf(keyPositions);
  if (!q || !k)
    return false;
  query = queryLoop;
  queries = *q;
  for (size_t i = 0; i < k->size(); ++i) {
    if (i == 0 || (*k)[i] < (*k)[i - 1])
      keys.push_back({int64_t(i), {}});
    keys.back().second.push_back((*k)[i]);
  }
  return true;
}

bool Visibility::varies(int loop) const {
  return loop == query || llvm::any_of(masks, [&](const Mask &mask) {
           for (size_t d = 0; d + 1 < mask.loops.size(); ++d)
             if (mask.loops[d] == loop && mask.lines.varies(d))
               return true;
           return false;
         });
}

bool Visibility::variesBeyond(ArrayRef<int> loops) const {
  if (query >= 0 && !llvm::is_contained(loops, query))
    return true;
  return llvm::any_of(masks, [&](const Mask &mask) {
    for (size_t d = 0; d + 1 < mask.loops.size(); ++d)
      if (mask.lines.varies(d) && !llvm::is_contained(loops, mask.loops[d]))
        return true;
    return false;
  });
}

/// The state of the elements of one run. `least`: lower bound of the value.
static State stateOf(const Run &run, Visibility::Hides hides,
                     std::optional<double> least) {
  if (!run.isKnown || run.slope)
    return Seen;
  if (hides == Visibility::Zeros)
    return run.first.f == 0 ? Hidden : Seen;
  if (least && run.first.f <= *least)
    return Hidden;
  if (!(run.first.f <= kRemovesKey))
    return Seen;
  return std::isinf(run.first.f) ? Hidden : Last;
}

/// The element-wise maximum of two lines of states: the more hidden one.
static Line joinStates(const Line &a, const Line &b) {
  Line joint;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    int64_t end = std::min(a[i].end, b[j].end);
    int64_t state = std::max(a[i].first.i, b[j].first.i);
    append(joint, {end, true, ofInt(state), 0}, false);
    i += a[i].end == end;
    j += b[j].end == end;
  }
  return joint;
}

/// Whether a mask varies along a dim that is no loop.
static bool isOther(int loop, int64_t extent) { return loop < 0 && extent > 1; }

Visibility::Ranges Visibility::at(ArrayRef<int64_t> index) {
  SmallVector<int64_t> extents, others;
  for (const Mask &mask : masks)
    for (auto [loop, extent] : llvm::zip(mask.loops, mask.lines.shape()))
      if (isOther(loop, extent))
        extents.push_back(extent);
  others.resize(extents.size());
  Ranges all = at(index, others);
  for (size_t d = others.size(); d > 0;) {
    if (++others[d - 1] == extents[d - 1]) {
      others[--d] = 0;
      continue;
    }
    all.append(at(index, others));
    d = others.size();
  }
  llvm::sort(all);
  Ranges joint;
  for (auto [begin, end] : all)
    if (!joint.empty() && begin <= joint.back().second)
      joint.back().second = std::max(joint.back().second, end);
    else
      joint.push_back({begin, end});
  return joint;
}

Visibility::Ranges Visibility::at(ArrayRef<int64_t> index,
                                  ArrayRef<int64_t> others) {
  Line states = repeated(extent, ofInt(Seen));
  auto put = [](Line &line, int64_t end, State state) {
    if (end > (line.empty() ? 0 : line.back().end))
      append(line, {end, true, ofInt(state), 0}, false);
  };
  if (query >= 0) {
    Line line;
    int64_t position = queries[index[query]];
    for (auto &[begin, positions] : keys) {
      int64_t seen = llvm::upper_bound(positions, position) - positions.begin();
      put(line, begin + seen, Seen);
      put(line, begin + positions.size(), Hidden);
    }
    states = joinStates(states, line);
  }
  for (Mask &mask : masks) {
    SmallVector<int64_t> own;
    for (auto [loop, extent] : llvm::zip(mask.loops, mask.lines.shape()))
      if (isOther(loop, extent)) {
        own.push_back(others.front());
        others = others.drop_front();
      } else {
        own.push_back(extent > 1 ? index[loop] : 0);
      }
    Line line;
    put(line, mask.offset, Seen);
    for (const Run &run : mask.lines.line(own))
      put(line, mask.offset + run.end, stateOf(run, mask.hides, mask.least));
    put(line, extent, Seen);
    states = joinStates(states, line);
  }
  // If finite numbers mask all keys of a query, softmax still selects the keys
  // that no infinite number masks.
  State least = Hidden;
  for (const Run &run : states)
    least = std::min(least, State(run.first.i));
  Ranges seen;
  int64_t begin = 0;
  for (const Run &run : states) {
    if (run.first.i == least && least != Hidden)
      seen.push_back({begin, run.end});
    begin = run.end;
  }
  return seen;
}
