//===- Random.h - Counter-based random bits ---------------------*- C++ -*-===//
//
// The definition of dropout's random numbers, for the interpreter, generated
// kernels and their tests, which implement the same formulas. It uses 32-bit
// integer arithmetic only, so all agree bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_RANDOM_H
#define PCC_DIALECTS_NN_RANDOM_H

#include <cstdint>

namespace pcc::nn {

/// The multipliers of MurmurHash3's finalizer.
inline constexpr uint32_t kRandomMul1 = 0x85ebca6bu;
inline constexpr uint32_t kRandomMul2 = 0xc2b2ae35u;
/// 2^32 divided by the golden ratio: spreads small coordinates over all bits.
inline constexpr uint32_t kRandomWeyl = 0x9e3779b9u;

/// A bijection of 32-bit words in which every input bit reaches every output
/// bit with probability near one half (the finalizer of MurmurHash3).
inline uint32_t randomMix(uint32_t h) {
  h ^= h >> 16;
  h *= kRandomMul1;
  h ^= h >> 13;
  h *= kRandomMul2;
  h ^= h >> 16;
  return h;
}

/// Mixes the low 32 bits of a coordinate into a key. The order of coordinates
/// matters.
inline uint32_t randomAdd(uint32_t key, uint32_t coordinate) {
  return randomMix(key ^ (coordinate * kRandomWeyl + kRandomMul1));
}

/// The key of one op in one step. The high word of `step` is added to the id,
/// so tasks that share a body get different ids by different high words.
inline uint32_t randomKey(uint64_t seed, uint64_t step, uint64_t id) {
  uint32_t key = randomMix(static_cast<uint32_t>(seed) + kRandomWeyl);
  key = randomAdd(key, static_cast<uint32_t>(seed >> 32));
  key = randomAdd(key, static_cast<uint32_t>(step));
  return randomAdd(key, static_cast<uint32_t>(id + (step >> 32)));
}

/// The random bits for one score of attention, from the op's key. The key
/// position comes last, so a loop over a row of scores mixes one coordinate per
/// score into the row's key.
inline uint32_t randomOfScore(uint32_t key, uint32_t sample, uint32_t head,
                              uint32_t queryPosition, uint32_t keyPosition) {
  key = randomAdd(randomAdd(key, sample), head);
  return randomAdd(randomAdd(key, queryPosition), keyPosition);
}

/// An element whose bits are below this is dropped: p * 2^32, rounded down.
inline uint32_t dropThreshold(double p) {
  return static_cast<uint32_t>(p * 4294967296.0);
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_RANDOM_H
