//===- Delays.cpp - Artificial delays of communication --------------------===//

#include "runtime/cpu/Delays.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/support/Hash.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

using namespace pcc;

static bool readMilliseconds(const std::string &text, double &seconds) {
  char *end;
  seconds = strtod(text.c_str(), &end) / 1e3;
  return !text.empty() && !*end && seconds >= 0 && seconds < 1e6;
}

std::vector<Delay> pcc::parseDelays(const std::string &text) {
  const std::vector<std::string> names = {
      "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "send",
      "exchange",   "any"};
  std::vector<Delay> delays;
  std::stringstream items(text);
  std::string item;
  while (std::getline(items, item, ',')) {
    Delay delay;
    size_t equals = item.find('='), slash = item.find('/');
    if (slash < equals && equals != std::string::npos)
      delay.over = item.substr(slash + 1, equals - slash - 1);
    delay.name = item.substr(0, std::min(slash, equals));
    std::string least =
        equals == std::string::npos ? "" : item.substr(equals + 1);
    const std::string perMiB = "/MiB";
    if (least.size() > perMiB.size() &&
        !least.compare(least.size() - perMiB.size(), perMiB.size(), perMiB)) {
      delay.isPerMiB = true;
      least.resize(least.size() - perMiB.size());
    }
    std::string most = least;
    size_t dots = least.find("..");
    if (dots != std::string::npos) {
      most = least.substr(dots + 2);
      least.resize(dots);
    }
    bool isRange = readMilliseconds(least, delay.least) &&
                   readMilliseconds(most, delay.most) &&
                   delay.most >= delay.least;
    if (!isRange ||
        std::find(names.begin(), names.end(), delay.name) == names.end())
      fail(ExitUsage,
           format("PCC_DELAY: '%s' is not a valid delay", item.c_str()),
           "an item is OPERATION=MS, OPERATION/AXIS=MS or with MS..MS or "
           "MS/MiB, such as all_gather/dp=20; operations are all_reduce, "
           "all_gather, reduce_scatter, all_to_all, send, exchange, any");
    delays.push_back(delay);
  }
  return delays;
}

double pcc::findDelay(const std::vector<Delay> &delays, const std::string &name,
                      const std::string &detail, int64_t bytes, int rank,
                      uint64_t index) {
  for (const Delay &delay : delays) {
    bool isAny = delay.name == "any" && name != "receive";
    if (!isAny && delay.name != name)
      continue;
    if (!delay.over.empty() && detail != " over " + delay.over)
      continue;
    double drawn = static_cast<double>(randomBits(rank, index)) * 0x1p-64;
    double seconds = delay.least + (delay.most - delay.least) * drawn;
    return delay.isPerMiB ? seconds * static_cast<double>(bytes) * 0x1p-20
                          : seconds;
  }
  return 0;
}

const std::vector<Delay> &pcc::givenDelays() {
  static const char *text = getenv("PCC_DELAY");
  static const std::vector<Delay> delays = parseDelays(text ? text : "");
  return delays;
}

double pcc::delayOf(const char *name, const char *detail, int64_t bytes) {
  static uint64_t index = 0;
  return findDelay(givenDelays(), name, detail, bytes, backend::rank(),
                   index++);
}
