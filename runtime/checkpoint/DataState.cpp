//===- DataState.cpp - The data cursor of a checkpoint --------------------===//

#include "runtime/checkpoint/DataState.h"

#include "runtime/data/Blend.h"
#include "runtime/support/Proportions.h"

#include <set>

using namespace pcc;
using json = nlohmann::ordered_json;

json pcc::dataState(const DataPosition &position) {
  json sources = json::array();
  for (const SourcePosition &source : position.sources)
    sources.push_back({{"path", source.path},
                       {"digest", source.digest},
                       {"samples", source.samples},
                       {"number", source.number},
                       {"weight", source.weight},
                       {"start", source.start},
                       {"taken", source.taken}});
  return {{"since_step", position.since}, {"sources", sources}};
}

/// Reads a number from 0 to `most`.
static bool readNumber(const json &from, const char *name, int64_t most,
                       int64_t &number) {
  auto it = from.find(name);
  if (it == from.end() || !it->is_number_integer() || *it < 0 || *it > most)
    return false;
  number = it->get<int64_t>();
  return true;
}

static bool readText(const json &from, const char *name, std::string &text) {
  auto it = from.find(name);
  if (it == from.end() || !it->is_string())
    return false;
  text = it->get<std::string>();
  return true;
}

static bool readSource(const json &from, SourcePosition &source) {
  const int64_t most = int64_t{1} << 52;
  return from.is_object() && readText(from, "path", source.path) &&
         readText(from, "digest", source.digest) &&
         readNumber(from, "samples", most, source.samples) &&
         readNumber(from, "number", most, source.number) &&
         readNumber(from, "weight", mostProportion, source.weight) &&
         readNumber(from, "start", most, source.start) &&
         readNumber(from, "taken", most, source.taken) && source.samples > 0;
}

/// Whether each source has another number, and the weights and counts are those
/// of a blend.
static bool isPossible(const DataPosition &position) {
  std::vector<int64_t> weights, counts;
  std::set<int64_t> numbers;
  int64_t sum = 0;
  for (const SourcePosition &source : position.sources) {
    if (!numbers.insert(source.number).second)
      return false;
    if (source.weight == 0)
      continue;
    weights.push_back(source.weight);
    counts.push_back(source.taken);
    if (source.weight > mostProportion - sum)
      return false;
    sum += source.weight;
  }
  return !weights.empty() &&
         static_cast<int64_t>(weights.size()) <= mostProportions &&
         Blend::isPossible(weights, counts);
}

bool pcc::readDataState(const json &state, const std::string &path,
                        int64_t step, DataPosition &position) {
  const int64_t most = int64_t{1} << 52;
  position.step = step;
  if (!readNumber(state, "global_batch", most, position.batch) ||
      !readNumber(state, "sequence", most, position.seq))
    return false;
  auto data = state.find("data");
  if (data == state.end()) {
    SourcePosition source;
    source.path = path;
    if (__builtin_mul_overflow(step, position.batch, &source.taken))
      return false;
    position.sources = {source};
    return true;
  }
  if (!data->is_object() ||
      !readNumber(*data, "since_step", step, position.since) ||
      !data->contains("sources") || !(*data)["sources"].is_array())
    return false;
  for (const json &one : (*data)["sources"]) {
    SourcePosition source;
    if (!readSource(one, source))
      return false;
    position.sources.push_back(source);
  }
  return isPossible(position);
}
