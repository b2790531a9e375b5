//===- Masks.cpp - Classifies attention masks -----------------------------===//

#include "passes/Recognition/Masks.h"
#include "analysis/Evaluate.h"
#include "analysis/Runs.h"
#include "dialects/NN/VisibleKeys.h"

using namespace mlir;
using namespace pcc::analysis;
using namespace pcc::recognition;
using namespace pcc::nn;

namespace {
enum Keeps : int64_t { Removed, Kept, Neither };
} // namespace

/// The effect of a mask on the keys of one line, as runs of Keeps.
static Line keepsOf(ArrayRef<Run> line, const MaskPart &part, bool isFloat) {
  Line keeps;
  for (const Run &run : line) {
    // A run of a mask has one value; a rising run belongs to a bias.
    Keeps what = Neither;
    if (run.isKnown && !run.slope) {
      double value = isFloat ? run.first.f : run.first.i;
      if (!part.isAdded)
        what = (value != 0) == part.keepsWhere ? Kept : Removed;
      else if (value == 0)
        what = Kept;
      else if (value <= kRemovesKey)
        what = Removed;
    }
    append(keeps, {run.end, true, ofInt(what), 0}, false);
  }
  return keeps;
}

/// The combined effect of two masks on one line.
static Line joinKeeps(const Line &a, const Line &b) {
  Line joint;
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    int64_t x = a[i].first.i, y = b[j].first.i;
    int64_t both = x == Removed || y == Removed   ? Removed
                   : x == Neither || y == Neither ? Neither
                                                  : Kept;
    int64_t end = std::min(a[i].end, b[j].end);
    append(joint, {end, true, ofInt(both), 0}, false);
    i += a[i].end == end;
    j += b[j].end == end;
  }
  return joint;
}

/// The first key that a line keeps, if it keeps exactly the keys from there up
/// to `count`, or all if there are fewer.
static std::optional<int64_t> firstKept(ArrayRef<Run> line, int64_t count) {
  int64_t size = line.back().end, first = 0;
  if (line.front().first.i == Removed) {
    first = line.front().end;
    line = line.drop_front();
  }
  if (line.empty() || line.front().first.i != Kept ||
      line.front().end != std::min(count, size))
    return std::nullopt;
  line = line.drop_front();
  if (line.size() > 1 || (line.size() == 1 && line[0].first.i != Removed))
    return std::nullopt;
  return first;
}

/// Whether a line keeps the first `count` keys and removes the others.
static bool keepsFirst(const Line &line, int64_t count) {
  return firstKept(line, count) == 0;
}

namespace {

/// A causal mask with a window or chunks, from the first key that each query
/// keeps:
///
///     query     0 1 2 3 4 5
///     window 2  0 0 1 2 3 4    the first other one is 1, of query 2
///     chunk 2   0 0 2 2 4 4    the first other one is its query, 2
class CausalBounds {
public:
  explicit CausalBounds(int64_t queries) : firsts(queries, -1) {}

  /// Adds a line of a query; it may have several. Returns whether the mask may
  /// still be one of these.
  bool add(int64_t query, ArrayRef<Run> line) {
    std::optional<int64_t> first = firstKept(line, query + 1);
    if (!first || (firsts[query] >= 0 && firsts[query] != *first))
      return isOne = false;
    firsts[query] = *first;
    return isOne;
  }
  /// The mask, if it is one of these and every query has a line.
  std::optional<VisibleKeys> find() const {
    if (!isOne)
      return std::nullopt;
    VisibleKeys mask;
    mask.isCausal = true;
    for (auto [query, first] : llvm::enumerate(firsts))
      if (first > 0) {
        (first == 1 ? mask.window : mask.chunk) = query;
        break;
      }
    for (auto [query, first] : llvm::enumerate(firsts))
      if (first != std::max<int64_t>(0, mask.first(query)))
        return std::nullopt;
    return mask;
  }

private:
  SmallVector<int64_t> firsts; ///< by query; -1: no line
  bool isOne = true;
};

} // namespace

Mask MaskReader::read(ArrayRef<MaskPart> parts, int64_t query) {
  if (parts.empty())
    return {};
  std::vector<Lines> lines;
  std::string key = std::to_string(query);
  bool isKeyed = true;
  for (const MaskPart &part : parts) {
    lines.emplace_back(part.value);
    std::string own = lines.back().key();
    isKeyed &= !own.empty();
    key += (part.isAdded ? '+' : part.keepsWhere ? '1' : '0') + own;
  }
  if (isKeyed)
    if (auto it = known.find(key); it != known.end())
      return it->second;
  ArrayRef<int64_t> shape = lines.front().shape();
  int64_t keys = shape.back();
  bool isPerQuery =
      llvm::any_of(lines, [&](const Lines &l) { return l.varies(query); });
  bool none = true, causal = true, leavesAll = true, bounded = isPerQuery;
  CausalBounds bounds(shape[query]);
  forEachLine(lines, [&](ArrayRef<int64_t> index) {
    Line keeps = repeated(keys, ofInt(Kept));
    for (auto [own, part] : llvm::zip(lines, parts))
      keeps = joinKeeps(keeps, keepsOf(own.line(index), part, own.isFloat()));
    none &= keepsFirst(keeps, keys);
    // A mask that is equal for all queries is causal if there is only one query
    // or one key.
    for (int64_t q :
         {index[query], isPerQuery ? index[query] : shape[query] - 1})
      causal &= keepsFirst(keeps, q + 1);
    bounded = bounded && bounds.add(index[query], keeps);
    leavesAll &=
        llvm::any_of(keeps, [](const Run &run) { return run.first.i == Kept; });
    return none || causal || bounded || leavesAll;
  });
  Mask mask;
  mask.kind = none ? Mask::None : causal ? Mask::Causal : Mask::Other;
  mask.leavesAll = leavesAll;
  std::optional<VisibleKeys> found;
  if (mask.kind == Mask::Other && bounded)
    found = bounds.find();
  if (found) {
    mask.kind = Mask::Causal;
    mask.window = found->window;
    mask.chunk = found->chunk;
  }
  if (isKeyed)
    known[key] = mask;
  return mask;
}

bool MaskReader::isMask(Value value) {
  Lines lines(value);
  std::string key = lines.key();
  if (auto it = masks.find(key); it != masks.end())
    return it->second;
  bool only = true;
  MaskPart part{value, true};
  forEachLine(lines, [&](ArrayRef<int64_t> index) {
    for (const Run &run : keepsOf(lines.line(index), part, lines.isFloat()))
      only &= run.first.i != Neither;
    return only;
  });
  if (!key.empty())
    masks[key] = only;
  return only;
}
