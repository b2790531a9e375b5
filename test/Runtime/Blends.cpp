//===- Blends.cpp - Unit tests of blends of data --------------------------===//

#include "runtime/data/Blend.h"
#include "runtime/data/BlendDataset.h"
#include "runtime/data/DataOrder.h"
#include "runtime/data/DataPosition.h"
#include "runtime/support/Hash.h"
#include "runtime/support/Options.h"
#include "runtime/support/Proportions.h"
#include "test/Runtime/Check.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

using namespace pcc;
using Numbers = std::vector<int64_t>;

/// Random numbers; each call of the tests draws the next one.
static int64_t draw(int64_t bound) {
  static uint64_t count = 0;
  return static_cast<int64_t>(randomBits(7, ++count) %
                              static_cast<uint64_t>(bound));
}

static int64_t sumOf(const Numbers &numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
}

/// Whether each count is within 1 - 1 / (2n - 2) of its share.
static bool isBounded(const Numbers &weights, const Numbers &counts) {
  __int128 sum = sumOf(weights), total = sumOf(counts);
  __int128 d = weights.size() > 1 ? 2 * weights.size() - 2 : 1;
  for (size_t i = 0; i < weights.size(); ++i) {
    __int128 ahead = sum * counts[i] - total * weights[i];
    if (std::max(ahead, -ahead) * d > sum * (d - 1))
      return false;
  }
  return true;
}

/// Weights of several kinds: alike, equal, and up to 1e15 apart.
static Numbers drawWeights(int64_t sources, int64_t kind) {
  Numbers weights;
  for (int64_t i = 0; i < sources; ++i) {
    int64_t scale = 1;
    for (int64_t power = kind < 2 ? 3 * kind : draw(16); power > 0; --power)
      scale *= 10;
    weights.push_back(kind == 2 ? 1 : 1 + draw(scale));
  }
  return weights;
}

static void testBound() {
  for (int64_t sources = 1; sources <= 20; ++sources)
    for (int64_t kind = 0; kind < 8; ++kind) {
      Numbers weights = drawWeights(sources, kind);
      Blend blend(weights, Numbers(sources, 0));
      bool isGood = true;
      for (int64_t i = 0; i < 3000 && isGood; ++i) {
        blend.next();
        isGood = isBounded(weights, blend.counts());
      }
      CHECK(isGood);
    }
  // One of a billion: never in the first samples, once in all of them.
  Numbers rare = {1, 1000000000};
  CHECK(isBounded(rare, {1, 500000000}) && !isBounded(rare, {1, 499999998}));
  Blend late(rare, {0, 499999900});
  int64_t first = 0;
  for (int64_t i = 1; i <= 200; ++i)
    if (late.next() == 0)
      first = i;
  CHECK(first > 90 && first < 110 && late.counts()[0] == 1);
}

/// At the end of a period, of `sum` samples, the counts are the weights.
static void testPeriod() {
  Numbers weights = {3, 7, 11, 1};
  Blend blend(weights, Numbers(4, 0));
  std::vector<size_t> period, later;
  for (int i = 0; i < 22; ++i)
    period.push_back(blend.next());
  CHECK(blend.counts() == weights);
  // The same after 10^13 samples.
  Numbers many = weights;
  for (int64_t &count : many)
    count *= 400000000000;
  Blend far(weights, many);
  for (int i = 0; i < 22; ++i)
    later.push_back(far.next());
  CHECK(later == period);
}

static void testContinuation() {
  for (int64_t sources : {2, 3, 7, 20}) {
    Numbers weights = drawWeights(sources, sources % 8);
    Blend whole(weights, Numbers(sources, 0));
    Blend parts = whole;
    for (int i = 0; i < 2000; ++i) {
      if (draw(10) == 0) {
        CHECK(Blend::isPossible(weights, parts.counts()));
        parts = Blend(weights, parts.counts());
      }
      CHECK(parts.next() == whole.next());
    }
  }
  CHECK(!Blend::isPossible({1, 1}, {2, 0}));
  CHECK(!Blend::isPossible({1, 1000000}, {1000000, 1}));
}

/// The order does not depend on the batch, on the steps that were requested
/// before, or on the number of threads.
static void testSteps() {
  Numbers weights = {5, 2, 9};
  Blend blend(weights, Numbers(3, 0));
  std::vector<size_t> order;
  for (int i = 0; i < 2400; ++i)
    order.push_back(blend.next());
  for (int64_t batch : {1, 3, 8, 240}) {
    BlendSteps steps(Blend(weights, Numbers(3, 0)), 0, batch);
    auto check = [&](int64_t step) {
      auto found = steps.step(step);
      for (int64_t i = 0; i < batch; ++i)
        if (found->samples[i].source != order[(step - 1) * batch + i])
          return false;
      return sumOf(found->counts) == step * batch;
    };
    for (int64_t step : {2, 1, 10, 9, 3, 1, 10})
      CHECK(check(step));
    CHECK(steps.countsAfter(0) == Numbers(3, 0));
    CHECK(sumOf(steps.countsAfter(7)) == 7 * batch);
    std::vector<std::thread> threads;
    std::vector<int> good(4, 1);
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int64_t step = 1; step <= 10; ++step)
          good[t] &= check(step);
      });
    for (std::thread &thread : threads)
      thread.join();
    CHECK(std::count(good.begin(), good.end(), 1) == 4);
  }
}

static void testProportions() {
  auto parsed = [](const char *text) {
    Numbers numbers;
    std::string problem = parseProportions(text, numbers);
    return problem.empty() ? numbers : Numbers();
  };
  auto problem = [](const char *text) {
    Numbers numbers;
    return parseProportions(text, numbers);
  };
  CHECK(parsed("0.3,0.7") == Numbers({3, 7}));
  CHECK(parsed("30,70.0") == Numbers({3, 7}));
  CHECK(parsed("3e-1,+.7") == Numbers({3, 7}));
  CHECK(parsed("2.,4e0,00.06e+2") == Numbers({1, 2, 3}));
  CHECK(parsed("1e-9,1") == Numbers({1, 1000000000}));
  CHECK(parsed("5") == Numbers({1}));
  CHECK(parsed("1e300,2e300") == Numbers({1, 2}));
  CHECK(parsed("1e-14,1") == Numbers({1, 100000000000000}));
  // The sum of a float and its rounding error.
  CHECK(parsed("0.30000000000000004,0.7") == Numbers({3, 7}));
  CHECK(parsed("0.12345678901234567,1") ==
        Numbers({2469135780247, 20000000000000}));
  CHECK(problem("0.3,x") == "'x' is not a number");
  for (const char *bad :
       {"", "1,", ",1", "1,,2", "nan", "inf", "0x10", " 1", "1 ", "1e", "1e+",
        "e5", ".", "-", "1-2", "1.2.3", "1;2", "1e5.5"})
    CHECK(problem(bad).find("is not a number") != std::string::npos);
  CHECK(problem("1,0") == "must be greater than 0, not 0");
  CHECK(problem("-0.5,1") == "must be greater than 0, not -0.5");
  CHECK(problem("0e9,1") == "must be greater than 0, not 0e9");
  CHECK(problem("1,1e-15") ==
        "number 2 is too small: the largest one is more than 1e14 times it");
  CHECK(problem("1e-99999999999999999999,1") ==
        "number 1 is too small: the largest one is more than 1e14 times it");
  std::string many = "1";
  for (int i = 1; i < 1000; ++i)
    many += ",9.99999999999999";
  CHECK(parsed(many.c_str()).size() == 1000);
  CHECK(sumOf(parsed(many.c_str())) <= mostProportion);
  CHECK(problem((many + ",1").c_str()) ==
        "has 1001 numbers, at most 1000 are possible");
}

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

/// Ranks with other weights are told apart.
static void testCommonOptions() {
  TrainingOptions options;
  auto has = [&](const char *text) {
    std::vector<std::string> common = commonOptions(options);
    return std::count(common.begin(), common.end(), text) == 1;
  };
  CHECK(has("no --data-weights"));
  options.dataWeights = "1,2";
  CHECK(has("--data-weights 1,2"));
}

int main() {
  testBound();
  testDataset();
  testCommonOptions();
  testPeriod();
  testContinuation();
  testSteps();
  testProportions();
  testOrder();
  testOtherBlend();
  return checkResult();
}
