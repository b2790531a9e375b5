//===- Blend.cpp - Which source a sample comes from -----------------------===//

#include "runtime/data/Blend.h"

#include <algorithm>
#include <utility>

using namespace pcc;

Blend::Blend(std::vector<int64_t> given, std::vector<int64_t> counts)
    : weights(std::move(given)), taken(std::move(counts)) {
  for (int64_t weight : weights)
    sum += weight;
  for (int64_t count : taken)
    total += count;
  for (size_t source = 0; source < weights.size(); ++source)
    windows.push_back(windowOf(source));
}

bool Blend::isPossible(const std::vector<int64_t> &weights,
                       const std::vector<int64_t> &counts) {
  __int128 sum = 0, total = 0;
  for (int64_t weight : weights)
    sum += weight;
  for (int64_t count : counts)
    total += count;
  for (size_t i = 0; i < weights.size(); ++i) {
    __int128 ahead = sum * counts[i] - total * weights[i];
    if (ahead >= sum || ahead <= -sum)
      return false;
  }
  return total < __int128{1} << 53;
}

/// With weight p of a sum q and d = 2n - 2, sample t is behind by (p t - q c) /
/// q. Both bounds are multiplied by q d. The products are below 2^53 * 2^60 *
/// 2^11 = 2^124.
Blend::Window Blend::windowOf(size_t source) const {
  using Wide = __int128;
  Wide d = weights.size() > 1 ? 2 * static_cast<Wide>(weights.size()) - 2 : 1;
  Wide step = d * weights[source], done = d * sum * taken[source];
  auto firstWithLag = [&](Wide lag) { // as a multiple of 1 / d
    return static_cast<int64_t>((done + lag * sum + step - 1) / step);
  };
  return {firstWithLag(1), firstWithLag(d - 1)};
}

size_t Blend::next() {
  ++total;
  size_t least = weights.size();
  for (size_t source = 0; source < windows.size(); ++source)
    if (windows[source].release <= total &&
        (least == weights.size() ||
         windows[source].deadline < windows[least].deadline))
      least = source;
  // The sources are behind by 1 sample together, so one is by 1 / n or more.
  ++taken[least];
  windows[least] = windowOf(least);
  return least;
}

std::shared_ptr<const BlendSteps::Step> BlendSteps::step(int64_t step) {
  // A step may be issued while the one before is checked, also for what the
  // one before that had.
  const size_t mostRecent = 8;
  std::lock_guard<std::mutex> lock(mutex);
  if (step <= issued - static_cast<int64_t>(recent.size())) {
    blend = first;
    issued = done;
    recent.clear();
  }
  while (issued < step) {
    auto next = std::make_shared<Step>();
    next->samples.reserve(batch);
    for (int64_t i = 0; i < batch; ++i) {
      size_t source = blend.next();
      next->samples.push_back({source, blend.counts()[source] - 1});
    }
    next->counts = blend.counts();
    recent.push_back(std::move(next));
    if (recent.size() > mostRecent)
      recent.pop_front();
    ++issued;
  }
  return recent[recent.size() - 1 - (issued - step)];
}

std::vector<int64_t> BlendSteps::countsAfter(int64_t after) {
  return after == done ? first.counts() : step(after)->counts;
}
