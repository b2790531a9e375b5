//===- DataPosition.cpp - How far a run is in its data --------------------===//

#include "runtime/data/DataPosition.h"

#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <numeric>

using namespace pcc;

/// Returns for each source the index of the earlier one that it continues; -1:
/// it is new.
static std::vector<int64_t>
findEarlier(const std::vector<SourcePosition> &earlier,
            const std::vector<SourcePosition> &sources) {
  std::vector<int64_t> found(sources.size(), -1);
  std::vector<bool> isTaken(earlier.size(), false);
  for (auto [needsPath, needsDigest] :
       {std::pair(true, true), std::pair(false, true), std::pair(true, false)})
    for (size_t i = 0; i < sources.size(); ++i)
      for (size_t j = 0; j < earlier.size() && found[i] < 0; ++j) {
        bool hasPath = sources[i].path == earlier[j].path;
        bool hasDigest = !earlier[j].digest.empty() &&
                         sources[i].digest == earlier[j].digest;
        if (isTaken[j] || (needsPath && !hasPath) ||
            (needsDigest && !hasDigest))
          continue;
        found[i] = static_cast<int64_t>(j);
        isTaken[j] = true;
      }
  return found;
}

/// Returns the number of a source's sample at a position, and its pass.
static std::string placeText(int64_t position, int64_t samples) {
  return format("at sample %s of pass %s",
                grouped(position % samples + 1).c_str(),
                grouped(position / samples + 1).c_str());
}

static std::string changedText(const SourcePosition &source,
                               const SourcePosition &was,
                               const std::string &place) {
  return format("'%s' has other contents than when the checkpoint was saved, "
                "and %s samples instead of %s: it continues ",
                source.path.c_str(), grouped(source.samples).c_str(),
                grouped(was.samples).c_str()) +
         place;
}

/// Sets the start of a source that continues `was`.
static void continueSource(SourcePosition &source, const SourcePosition &was,
                           bool hasOtherSeq, Continuation &result) {
  bool isChanged = !was.digest.empty() && source.digest != was.digest;
  source.number = was.number;
  source.start = was.position();
  // The same tokens in samples of another length.
  if (!isChanged && hasOtherSeq && was.samples > 0)
    source.start = static_cast<int64_t>(static_cast<__int128>(source.start) *
                                        source.samples / was.samples);
  std::string place = placeText(source.start, source.samples);
  result.lines.push_back(
      "kept       " + source.path +
      (source.path == was.path ? "" : ", which was " + was.path) + ", " +
      place +
      (was.seen ? ", of which " + grouped(was.seen) + " tokens were seen"
                : ""));
  if (isChanged)
    result.warnings.push_back(changedText(source, was, place));
}

/// Whether the blend goes on: the same sources with the same weights, in any
/// order, and steps of the same size.
static bool isSameBlend(const DataPosition &earlier,
                        const std::vector<SourcePosition> &sources,
                        const std::vector<int64_t> &found, int64_t batch,
                        int64_t seq) {
  if (earlier.batch != batch || earlier.seq != seq)
    return false;
  size_t active = std::count_if(
      earlier.sources.begin(), earlier.sources.end(),
      [](const SourcePosition &source) { return source.weight > 0; });
  bool isSame = active == sources.size();
  for (size_t i = 0; i < sources.size() && isSame; ++i) {
    if (found[i] < 0)
      return false;
    const SourcePosition &was = earlier.sources[found[i]];
    isSame = was.weight == sources[i].weight &&
             (was.samples == 0 || was.samples == sources[i].samples) &&
             (was.digest.empty() || was.digest == sources[i].digest);
  }
  return isSame;
}

Continuation pcc::continueFrom(const DataPosition &earlier,
                               const std::vector<SourcePosition> &sources,
                               int64_t batch, int64_t seq) {
  std::vector<int64_t> found = findEarlier(earlier.sources, sources);
  Continuation result;
  result.isSame = isSameBlend(earlier, sources, found, batch, seq);
  result.position = {earlier.step, result.isSame ? earlier.since : earlier.step,
                     batch, seq, sources};
  std::vector<SourcePosition> &now = result.position.sources;
  int64_t number = 0;
  for (const SourcePosition &was : earlier.sources)
    number = std::max(number, was.number + 1);
  std::vector<bool> isGone(earlier.sources.size(), true);
  for (size_t i = 0; i < now.size(); ++i) {
    if (found[i] < 0) {
      now[i].number = number++;
      result.lines.push_back("new        " + now[i].path);
      continue;
    }
    const SourcePosition &was = earlier.sources[found[i]];
    isGone[found[i]] = false;
    if (!result.isSame) {
      continueSource(now[i], was, earlier.seq != seq, result);
      continue;
    }
    now[i].number = was.number;
    now[i].start = was.start;
    now[i].taken = was.taken;
  }
  result.given.resize(now.size());
  std::iota(result.given.begin(), result.given.end(), 0);
  std::sort(
      result.given.begin(), result.given.end(),
      [&](int64_t a, int64_t b) { return now[a].number < now[b].number; });
  std::sort(now.begin(), now.end(),
            [](const SourcePosition &a, const SourcePosition &b) {
              return a.number < b.number;
            });
  for (size_t i = 0; i < isGone.size(); ++i) {
    SourcePosition was = earlier.sources[i];
    if (!isGone[i])
      continue;
    if (was.weight > 0)
      result.lines.push_back(format("gone       %s, after %s samples",
                                    was.path.c_str(),
                                    grouped(was.position()).c_str()));
    was.start = was.position();
    was.weight = was.taken = 0;
    now.push_back(was);
  }
  if (result.isSame)
    result.lines.clear();
  return result;
}

Continuation pcc::continuePlain(const DataPosition &earlier,
                                const SourcePosition &source, int64_t batch,
                                int64_t seq) {
  Continuation result;
  result.position = {earlier.step, 0, batch, seq, {source}};
  if (earlier.sources.empty())
    return result;
  const SourcePosition &was = earlier.sources.front();
  bool hasPath = source.path == was.path,
       hasDigest = source.digest == was.digest;
  std::string place = placeText(earlier.step * batch, source.samples);
  if (hasPath && !hasDigest && !was.digest.empty()) {
    result.warnings.push_back(changedText(source, was, place));
  } else if (!hasPath && hasDigest) {
    result.lines.push_back("kept       " + source.path + ", which was " +
                           was.path + ", " + place);
  } else if (!hasPath) {
    result.lines.push_back(
        "new        " + source.path + ", " + place +
        ": without --data-weights, that follows from the step's number");
    result.lines.push_back(format("gone       %s, after %s samples",
                                  was.path.c_str(),
                                  grouped(was.position()).c_str()));
  }
  return result;
}
