//===- Sources.cpp - Unit tests of the sources of a blend -----------------===//

#include "runtime/data/BlendDataset.h"
#include "runtime/data/DataOrder.h"
#include "runtime/data/DataPosition.h"
#include "test/Runtime/Check.h"

#include <algorithm>
#include <set>

using namespace pcc;
using Numbers = std::vector<int64_t>;

static SourcePosition source(const char *path, int64_t samples, int64_t weight,
                             const char *digest = "") {
  SourcePosition one;
  one.path = path;
  one.digest = *digest ? digest : path;
  one.samples = samples;
  one.weight = weight;
  return one;
}

/// The position after `steps` more steps of `from`.
static DataPosition after(DataPosition from, int64_t steps, bool shuffle) {
  DataOrder order(from, shuffle, 3);
  from.step += steps;
  Numbers taken = order.takenAfter(from.step);
  for (size_t i = 0; i < taken.size(); ++i)
    from.sources[i].taken = taken[i];
  return from;
}

/// Each source of a blend makes its own passes, with its own permutations.
static void testOrder() {
  for (bool shuffle : {false, true}) {
    DataPosition start =
        continueFrom({}, {source("a", 10, 1), source("b", 10, 3)}, 4, 0)
            .position;
    DataOrder order(start, shuffle, 3);
    CHECK(order.samples() == 20);
    std::vector<Numbers> read(2);
    for (int64_t step = 1; step <= 40; ++step)
      for (int64_t sample : order.samplesOf(step))
        read[sample / 10].push_back(sample % 10);
    CHECK(read[0].size() == 40 && read[1].size() == 120);
    std::set<Numbers> passes;
    for (const Numbers &one : read)
      for (size_t pass = 0; pass < one.size() / 10; ++pass) {
        Numbers samples(one.begin() + pass * 10, one.begin() + pass * 10 + 10);
        passes.insert(samples);
        std::sort(samples.begin(), samples.end());
        CHECK(samples == Numbers({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
      }
    CHECK(passes.size() == (shuffle ? 16 : 1));
    // Resumed anywhere.
    for (int64_t done : {1, 7, 23}) {
      DataPosition saved = after(start, done, shuffle);
      Continuation next =
          continueFrom(saved, {source("b", 10, 3), source("a", 10, 1)}, 4, 0);
      CHECK(next.isSame && next.lines.empty());
      CHECK(next.given == Numbers({1, 0}));
      DataOrder resumed(next.position, shuffle, 3);
      for (int64_t step = done + 1; step <= done + 9; ++step)
        CHECK(resumed.samplesOf(step) == order.samplesOf(step));
    }
  }
}

/// A resume with other sources or weights.
static void testOtherBlend() {
  std::vector<SourcePosition> ab = {source("a", 10, 1), source("b", 100, 3)};
  DataPosition saved = after(continueFrom({}, ab, 4, 8).position, 10, true);
  CHECK(saved.sources[0].taken == 10 && saved.sources[1].taken == 30);

  // Moved; changed; with other weights.
  Continuation moved = continueFrom(
      saved, {source("b", 10, 1, "a"), source("c", 100, 3, "b")}, 4, 8);
  CHECK(moved.isSame && moved.position.sources[0].path == "b");
  Continuation changed =
      continueFrom(saved, {source("a", 12, 1, "x"), ab[1]}, 4, 8);
  CHECK(!changed.isSame && changed.warnings.size() == 1);
  CHECK(changed.position.sources[0].start == 10);
  CHECK(changed.position.since == 10);
  Continuation other =
      continueFrom(saved, {source("c", 7, 2), source("b", 100, 5)}, 4, 8);
  CHECK(!other.isSame && other.given == Numbers({1, 0}));
  CHECK(other.lines ==
        std::vector<std::string>({"new        c",
                                  "kept       b, at sample 31 of "
                                  "pass 1",
                                  "gone       a, after 10 samples"}));
  const std::vector<SourcePosition> &sources = other.position.sources;
  CHECK(sources.size() == 3 && sources[0].number == 1);
  CHECK(sources[0].start == 30 && sources[0].taken == 0);
  CHECK(sources[1].path == "c" && sources[1].number == 2);
  CHECK(sources[2].path == "a" && sources[2].weight == 0);
  CHECK(sources[2].position() == 10);

  // A source keeps its permutation, and one that comes back its position.
  DataOrder before(saved, true, 3), now(other.position, true, 3);
  Numbers of[2];
  for (int64_t step = 11; step <= 14; ++step) {
    for (int64_t sample : before.samplesOf(step))
      if (sample >= 10)
        of[0].push_back(sample - 10);
    for (int64_t sample : now.samplesOf(step))
      if (sample < 100)
        of[1].push_back(sample);
  }
  CHECK(of[0].size() == 12 && of[1].size() >= 11);
  CHECK(std::equal(of[1].begin(), of[1].begin() + 11, of[0].begin()));
  DataPosition later = after(other.position, 5, true);
  Continuation back = continueFrom(later, ab, 4, 8);
  CHECK(back.position.sources[0].path == "a");
  CHECK(back.position.sources[0].start == 10);
  CHECK(back.position.sources[1].start ==
        later.sources[0].start + later.sources[0].taken);

  // Another batch, and samples of half the length.
  Continuation batch = continueFrom(saved, ab, 8, 8);
  CHECK(!batch.isSame && batch.position.sources[1].start == 30);
  Continuation halves =
      continueFrom(saved, {source("a", 20, 1), source("b", 200, 3)}, 4, 4);
  CHECK(halves.warnings.empty() && halves.position.sources[1].start == 60);

  // A run without a blend, saved before positions were.
  DataPosition plain;
  plain.step = 6;
  plain.batch = 4;
  plain.seq = 8;
  plain.sources = {source("b", 0, 1)};
  plain.sources[0].digest = "";
  plain.sources[0].taken = 24;
  Continuation blended = continueFrom(plain, ab, 4, 8);
  CHECK(blended.position.sources[0].path == "b");
  CHECK(blended.position.sources[0].start == 24);
  CHECK(blended.warnings.empty());
}

namespace {
/// A source whose samples below `first` have no valid targets, and whose other
/// array is 0 in them. Without arrays, it is one of tokens.
class Fake : public Dataset {
public:
  Fake(std::string name, int64_t first, bool hasArrays = true)
      : name(std::move(name)), first(first), hasArrays(hasArrays) {}

  const std::string &path() const override { return name; }
  int64_t samples() const override { return 10; }
  std::string describe() const override { return name; }
  std::string needed(int64_t) const override { return ""; }
  std::string digest() const override { return name; }
  bool check(int64_t &budget) const override {
    int64_t checked = std::min<int64_t>(budget, 10);
    budget -= checked;
    return checked == 10;
  }
  void checkSample(int64_t sample) const override { last = sample; }
  std::string findNotFinite(int64_t sample) const override {
    return name + std::to_string(sample);
  }
  std::optional<std::vector<ArrayValues>>
  findValues(const std::vector<int64_t> &samples,
             bool ofLabels) const override {
    if (!hasArrays)
      return std::nullopt;
    bool isFound = false;
    std::string texts;
    for (int64_t sample : samples) {
      isFound |= sample >= first;
      texts += (texts.empty() ? "" : ",") + std::to_string(sample);
    }
    return {{{ofLabels ? "labels" : "mask", isFound, "", {{name, texts}}}}};
  }
  std::vector<char> documentEnds(int64_t) const override { return {}; }
  void copySample(const pcc_input &, const Shard &, int64_t sample,
                  char *to) const override {
    *to = name[0];
    to[1] = static_cast<char>('0' + sample);
  }
  bool copyConstant(const pcc_input &, const Shard &, char *) const override {
    return false;
  }

  mutable int64_t last = -1;

private:
  std::string name;
  int64_t first;
  bool hasArrays;
};
} // namespace

/// The checks of data look at all sources of the samples.
static void testDataset() {
  pcc_program program = {};
  pcc_input input = {};
  auto blendOf = [&](bool hasArrays) {
    std::vector<std::unique_ptr<Dataset>> sources;
    sources.push_back(std::make_unique<Fake>("a", 5));
    sources.push_back(std::make_unique<Fake>("b", 8));
    sources.push_back(std::make_unique<Fake>("c", 0, hasArrays));
    return BlendDataset(program, "a,b,c", std::move(sources));
  };
  BlendDataset blend = blendOf(true), tokens = blendOf(false);
  CHECK(blend.samples() == 30 && blend.describe() == "3 sources");
  for (int64_t sample : {0, 9, 10, 19, 20, 29}) {
    char text[3] = {};
    blend.copySample(input, {}, sample, text);
    CHECK(text[0] == "abc"[sample / 10] && text[1] - '0' == sample % 10);
    CHECK(blend.findNotFinite(sample) == text);
  }
  CHECK(blend.findMissingTargets({1, 12, 3}) ==
        "no label of 1,3 in 'a' or 2 in 'b' is a valid target: all are "
        "negative");
  CHECK(blend.findMissingTargets({4, 17, 20}).empty());
  CHECK(blend.findMissingTargets({6, 17}).empty());
  CHECK(!blend.mayHaveTargets({4, 17}) && blend.mayHaveTargets({4, 18}));
  CHECK(tokens.mayHaveTargets({4, 20}) && !tokens.mayHaveTargets({4, 17}));
  CHECK(tokens.findMissingTargets({4, 20}).empty());
  CHECK(blend.findZeros({1, 12}, {}) == "'a' and 'b' are all 0 in this step: "
                                        "a quotient by its sum divides by 0");
  CHECK(!blend.findZeros({1}, {12, 6}).empty());
  CHECK(blend.findZeros({1}, {12, 2}).empty());
  // A short source leaves its share of the budget to those after it.
  int64_t budget = 28;
  CHECK(!blend.check(budget) && budget == 0);
  budget = 31;
  CHECK(blend.check(budget) && budget == 1);
}

int main() {
  testOrder();
  testOtherBlend();
  testDataset();
  return checkResult();
}
