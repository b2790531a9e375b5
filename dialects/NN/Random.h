//===- Random.h - Counter-based random bits ---------------------*- C++ -*-===//
//
// The definition of the random numbers of dropout and of rounding, for the
// interpreter, generated kernels and their tests, which implement the same
// formulas. It uses 32-bit integer arithmetic only, so all agree bit for bit.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_RANDOM_H
#define PCC_DIALECTS_NN_RANDOM_H

#include <cstdint>
#include <cstring>

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

/// Added to the ids of parameters, so that no parameter's random numbers are
/// those of a dropout.
inline constexpr uint32_t kRoundingStream = 0x80000000u;

/// The random bits for the rounding of one element of a parameter: the key is
/// randomKey(seed, step, id + kRoundingStream), the index that of the whole
/// tensor. The first moment takes the lower half, the second the upper half.
inline uint32_t roundingBits(uint32_t key, uint64_t index) {
  return randomAdd(key, static_cast<uint32_t>(index));
}

/// Rounds to a bf16, up or down at random: up with the probability by which the
/// value exceeds the lower one, so that the mean is the value. `bits`: the 16
/// random bits. NaN stays NaN, infinity infinity; a value beyond the largest
/// bf16 may become infinity.
inline float roundAtRandom(float value, uint32_t bits) {
  uint32_t pattern;
  std::memcpy(&pattern, &value, sizeof(pattern));
  if (value != value)
    pattern |= 0x00400000u;
  else
    pattern += bits & 0xffffu;
  pattern &= 0xffff0000u;
  std::memcpy(&value, &pattern, sizeof(pattern));
  return value;
}

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_RANDOM_H
