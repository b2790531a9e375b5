//===- Masks.cpp - Classifies attention masks -----------------------------===//

#include "passes/Recognition/Masks.h"
#include "analysis/Evaluate.h"
#include "analysis/Runs.h"

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

/// Whether a line keeps the first `count` keys and removes the others.
static bool keepsFirst(const Line &line, int64_t count) {
  int64_t size = line.back().end;
  if (count >= size)
    return line.size() == 1 && line[0].first.i == Kept;
  return line.size() == 2 && line[0].end == count && line[0].first.i == Kept &&
         line[1].first.i == Removed;
}

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
  bool none = true, causal = true, leavesAll = true;
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
    leavesAll &=
        llvm::any_of(keeps, [](const Run &run) { return run.first.i == Kept; });
    return none || causal || leavesAll;
  });
  Mask mask{none ? Mask::None : causal ? Mask::Causal : Mask::Other, leavesAll};
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
