//===- DataOrder.cpp - Which samples a step uses --------------------------===//

#include "runtime/data/DataOrder.h"

#include "runtime/support/Hash.h"

using namespace pcc;

DataOrder::DataOrder(int64_t samples, int64_t batch, bool shuffle,
                     uint64_t seed)
    : count(samples), batch(batch), shuffle(shuffle), seed(seed) {
  while ((int64_t{1} << 2 * halfBits) < count)
    ++halfBits;
}

int64_t DataOrder::sample(int64_t step, int64_t i) const {
  int64_t number = (step - 1) * batch + i;
  int64_t pass = number / count, n = number % count;
  return shuffle ? permute(n, randomBits(seed, pass)) : n;
}

std::vector<int64_t> DataOrder::samplesOf(int64_t step) const {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < batch; ++i)
    all.push_back(sample(step, i));
  return all;
}

/// A Feistel network permutes the numbers of 2 * halfBits bits; walking its
/// cycle until the number is less than `count` permutes those (Black and
/// Rogaway, 2002). Fewer than four walks are expected, and no table is kept.
int64_t DataOrder::permute(int64_t n, uint64_t key) const {
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
