//===- Blends.cpp - Unit tests of blends of data --------------------------===//

#include "runtime/data/Blend.h"
#include "runtime/support/Hash.h"
#include "runtime/support/Options.h"
#include "runtime/support/Proportions.h"
#include "test/Runtime/Check.h"

#include <algorithm>
#include <numeric>
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
  // Taking the source that is furthest behind exceeds 1 for these.
  std::vector<Numbers> all = {{1, 1, 16, 45, 45}, {1, 3, 3, 5, 17, 17, 51, 53}};
  for (int64_t sources = 1; sources <= 20; ++sources)
    for (int64_t kind = 0; kind < 8; ++kind)
      all.push_back(drawWeights(sources, kind));
  for (const Numbers &weights : all) {
    Blend blend(weights, Numbers(weights.size(), 0));
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
  testPeriod();
  testContinuation();
  testSteps();
  testProportions();
  testCommonOptions();
  return checkResult();
}
