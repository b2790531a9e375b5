//===- DataOrder.cpp - Order of the samples -------------------------------===//

#include "runtime/data/DataOrder.h"

#include "runtime/support/Hash.h"

#include <algorithm>

using namespace pcc;

PassOrder::PassOrder(int64_t samples, bool shuffle, uint64_t seed)
    : count(samples), shuffle(shuffle), seed(seed) {
  while ((int64_t{1} << 2 * halfBits) < count)
    ++halfBits;
}

int64_t PassOrder::sample(int64_t position) const {
  int64_t pass = position / count, n = position % count;
  return shuffle ? permute(n, randomBits(seed, pass)) : n;
}

/// Returns the seed of a source's permutations.
static uint64_t seedOf(uint64_t seed, int64_t source) {
  return source == 0 ? seed : randomBits(~seed, source);
}

DataOrder::DataOrder(int64_t samples, int64_t batch, bool shuffle,
                     uint64_t seed)
    : batch(batch) {
  sources.push_back({PassOrder(samples, shuffle, seed), 0, 0});
}

DataOrder::DataOrder(const DataPosition &from, bool shuffle, uint64_t seed)
    : batch(from.batch), since(from.since) {
  std::vector<int64_t> weights, taken;
  int64_t first = 0;
  for (const SourcePosition &source : from.sources) {
    if (source.weight == 0)
      continue;
    sources.push_back(
        {PassOrder(source.samples, shuffle, seedOf(seed, source.number)), first,
         source.start});
    first += source.samples;
    weights.push_back(source.weight);
    taken.push_back(source.taken);
  }
  if (sources.size() > 1)
    blend =
        std::make_unique<BlendSteps>(Blend(weights, taken), from.step, batch);
}

DataOrder DataOrder::once(int64_t samples, int64_t batch, bool pieces) {
  const size_t mostPieces = 16;
  DataOrder order(samples, batch, false, 0);
  if (!pieces)
    return order;
  int64_t first = order.whole() * batch, size = batch - 1;
  while (first < samples && order.pieces.size() < mostPieces) {
    size = std::min(size, samples - first);
    while (batch % size)
      --size;
    order.pieces.push_back({first, size});
    first += size;
  }
  return order;
}

const DataOrder::Piece *DataOrder::pieceOf(int64_t step) const {
  int64_t number = step - whole() - 1;
  return number < 0 || number >= static_cast<int64_t>(pieces.size())
             ? nullptr
             : &pieces[number];
}

int64_t DataOrder::samplesIn(int64_t step) const {
  const Piece *piece = pieceOf(step);
  return piece ? piece->count : batch;
}

int64_t DataOrder::samplesUpTo(int64_t step) const {
  const Piece *piece = pieceOf(step);
  return piece ? piece->first + piece->count : step * batch;
}

int64_t DataOrder::samples() const {
  return sources.back().first + sources.back().order.samples();
}

int64_t DataOrder::sampleOf(const BlendSteps::Sample &sample) const {
  const Source &source = sources[sample.source];
  return source.first + source.order.sample(source.start + sample.position);
}

int64_t DataOrder::sample(int64_t step, int64_t i) const {
  if (const Piece *piece = pieceOf(step))
    return piece->first + i % piece->count;
  if (blend)
    return sampleOf(blend->step(step)->samples[i]);
  return sampleOf({0, (step - 1 - since) * batch + i});
}

std::vector<int64_t> DataOrder::samplesOf(int64_t step) const {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < batch; ++i)
    all.push_back(sample(step, i));
  return all;
}

std::vector<int64_t> DataOrder::takenAfter(int64_t step) const {
  if (blend)
    return blend->countsAfter(step);
  return {(step - since) * batch};
}

/// Permutes [0, count) without a table: a Feistel network permutes the numbers
/// of 2 * halfBits bits, and is iterated until the result is less than `count`
/// (cycle walking, Black and Rogaway, 2002). The domain is at most 4 * count,
/// so fewer than four iterations are expected.
int64_t PassOrder::permute(int64_t n, uint64_t key) const {
  uint64_t mask = (uint64_t{1} << halfBits) - 1;
  uint64_t value = n;
  do {
    uint64_t left = value >> halfBits, right = value & mask;
    for (int round = 0; round < 4; ++round) {
      uint64_t next = left ^ (randomBits(key + round, right) & mask);
      left = right;
      right = next;
    }
    value = left << halfBits | right;
  } while (value >= static_cast<uint64_t>(count));
  return value;
}
