//===- Traffic.cpp - Traffic counters -------------------------------------===//

#include "runtime/host/Traffic.h"

#include "runtime/Backend.h"

using namespace pcc;

/// A step has few kinds of operations, each of which occurs often.
static TrafficCounts counts;

static void add(TrafficSums &sum, const TrafficSums &more, int sign = 1) {
  sum.messages += sign * more.messages;
  sum.bytes += sign * more.bytes;
  sum.sent += sign * more.sent;
}

void pcc::countTraffic(int32_t stream, const char *name, const char *over,
                       int64_t bytes, int64_t sent) {
  add(counts[{stream, name, over}], {1, bytes, sent});
}

const TrafficCounts &pcc::trafficCounts() { return counts; }

TrafficCounts pcc::countedSince(const TrafficCounts &before) {
  TrafficCounts since = counts;
  for (const auto &[key, sums] : before)
    add(since[key], sums, -1);
  return since;
}

void pcc::countTraffic(const TrafficCounts &more) {
  for (const auto &[key, sums] : more)
    add(counts[key], sums);
}

std::vector<backend::Traffic> backend::traffic() {
  // Sorted by the texts, since their addresses differ from run to run.
  std::map<std::pair<int32_t, std::string>, TrafficSums> sorted;
  for (const auto &[key, sums] : counts)
    add(sorted[{std::get<0>(key),
                std::string(std::get<1>(key)) + std::get<2>(key)}],
        sums);
  std::vector<Traffic> traffic;
  for (const auto &[key, sums] : sorted)
    traffic.push_back(
        {key.second, key.first, sums.messages, sums.bytes, sums.sent});
  return traffic;
}
