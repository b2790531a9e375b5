//===- BlendDataset.cpp - Several sources as one dataset ------------------===//

#include "runtime/data/BlendDataset.h"

#include "runtime/data/Roles.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Log.h"

#include <algorithm>
#include <utility>

using namespace pcc;

BlendDataset::BlendDataset(const pcc_program &program, const std::string &path,
                           std::vector<std::unique_ptr<Dataset>> given)
    : name(path), sources(std::move(given)), starts({0}) {
  for (const auto &source : sources)
    starts.push_back(starts.back() + source->samples());
  for (int s = 0; s < program.n_stages; ++s)
    for (int i = 0; i < program.stages[s].n_inputs; ++i)
      if (isFromDataset(roleOf(program.stages[s].inputs[i])))
        checkConstant(program.stages[s].inputs[i]);
}

void BlendDataset::checkConstant(const pcc_input &input) const {
  if (input.batch_dim >= 0)
    return;
  Shard whole;
  int64_t elements = 1;
  for (int d = 0; d < input.layout.rank; ++d) {
    whole.start.push_back(0);
    whole.extent.push_back(input.layout.shape[d]);
    elements *= input.layout.shape[d];
  }
  std::vector<char> first(elements * sizeOf(input.dtype)), other(first.size());
  for (const auto &source : sources) {
    std::vector<char> &values = source == sources.front() ? first : other;
    if (!source->copyConstant(input, whole, values.data()))
      return;
    if (&values == &other && first != other)
      fail(ExitData,
           format("'%s' and '%s' have different values for input '%s', which "
                  "is the same for all samples",
                  sources.front()->path().c_str(), source->path().c_str(),
                  input.name),
           format("if each sample has its own values, compile with "
                  "--per-sample %s",
                  input.name));
  }
}

BlendDataset::Place BlendDataset::placeOf(int64_t sample) const {
  size_t source = std::upper_bound(starts.begin(), starts.end(), sample) -
                  starts.begin() - 1;
  return {source, sample - starts[source]};
}

std::string BlendDataset::describe() const {
  return grouped(sources.size()) +
         (sources.size() == 1 ? " source" : " sources");
}

std::string BlendDataset::needed(int64_t samples) const {
  return sources.front()->needed(samples);
}

std::string BlendDataset::digest() const {
  std::string all;
  for (const auto &source : sources)
    all += source->digest();
  return all;
}

bool BlendDataset::check(int64_t &budget) const {
  // Equal shares; what a source leaves goes to the ones after it.
  bool isAll = true;
  auto left = static_cast<int64_t>(sources.size());
  for (const auto &source : sources) {
    int64_t share = budget / left--, rest = share;
    isAll = source->check(rest) && isAll;
    budget -= share - rest;
  }
  return isAll;
}

void BlendDataset::checkSample(int64_t sample) const {
  Place place = placeOf(sample);
  sources[place.source]->checkSample(place.sample);
}

std::string BlendDataset::findNotFinite(int64_t sample) const {
  Place place = placeOf(sample);
  return sources[place.source]->findNotFinite(place.sample);
}

std::optional<std::vector<ArrayValues>>
BlendDataset::findValues(const std::vector<int64_t> &samples,
                         bool ofLabels) const {
  std::vector<std::vector<int64_t>> bySource(sources.size());
  for (int64_t sample : samples) {
    Place place = placeOf(sample);
    bySource[place.source].push_back(place.sample);
  }
  std::vector<ArrayValues> all;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (bySource[i].empty())
      continue;
    auto found = sources[i]->findValues(bySource[i], ofLabels);
    if (!found)
      return std::nullopt;
    // All sources feed the same inputs, in the same order or another.
    for (const ArrayValues &one : *found) {
      auto same =
          std::find_if(all.begin(), all.end(), [&](const ArrayValues &known) {
            return known.input == one.input;
          });
      if (same == all.end()) {
        all.push_back(one);
        continue;
      }
      same->isFound |= one.isFound;
      same->files.insert(same->files.end(), one.files.begin(), one.files.end());
    }
  }
  return all;
}

void BlendDataset::copySample(const pcc_input &input, const Shard &shard,
                              int64_t sample, char *to) const {
  Place place = placeOf(sample);
  sources[place.source]->copySample(input, shard, place.sample, to);
}

std::vector<char> BlendDataset::documentEnds(int64_t sample) const {
  Place place = placeOf(sample);
  return sources[place.source]->documentEnds(place.sample);
}

bool BlendDataset::copyConstant(const pcc_input &input, const Shard &shard,
                                char *to) const {
  return sources.front()->copyConstant(input, shard, to);
}
