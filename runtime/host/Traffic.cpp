//===- Traffic.cpp - Counts of what a rank sends --------------------------===//

#include "runtime/host/Traffic.h"

#include "runtime/Backend.h"

#include <map>
#include <tuple>

using namespace pcc;

namespace {
using Key = std::tuple<int32_t, const char *, const char *>;
struct Sums {
  int64_t messages = 0, bytes = 0, sent = 0;
};
} // namespace

/// A step has few kinds, each of which comes often.
static std::map<Key, Sums> counts;

void pcc::countTraffic(int32_t stream, const char *name, const char *over,
                       int64_t bytes, int64_t sent) {
  Sums &sums = counts[{stream, name, over}];
  ++sums.messages;
  sums.bytes += bytes;
  sums.sent += sent;
}

std::vector<backend::Traffic> backend::traffic() {
  // By what the texts are: where they lie differs from run to run.
  std::map<std::pair<int32_t, std::string>, Sums> sorted;
  for (const auto &[key, sums] : counts) {
    Sums &sum = sorted[{std::get<0>(key),
                        std::string(std::get<1>(key)) + std::get<2>(key)}];
    sum.messages += sums.messages;
    sum.bytes += sums.bytes;
    sum.sent += sums.sent;
  }
  std::vector<Traffic> traffic;
  for (const auto &[key, sums] : sorted)
    traffic.push_back(
        {key.second, key.first, sums.messages, sums.bytes, sums.sent});
  return traffic;
}
