//===- Hash.h - Counter-based random numbers --------------------*- C++ -*-===//
//
// Random numbers as pure functions of a key and an index, so that every
// parallel layout draws the same ones.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_HASH_H
#define PCC_RUNTIME_SUPPORT_HASH_H

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace pcc {

/// The finalizer of splitmix64: a bijection whose every output bit depends on
/// every input bit (Steele, Lea and Flood, 2014).
inline uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// Returns the 64-bit FNV-1a hash of the bytes.
inline uint64_t fnv1a(const void *data, size_t bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < bytes; ++i)
    hash =
        (hash ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3u;
  return hash;
}

/// Returns 64 random bits.
inline uint64_t randomBits(uint64_t key, uint64_t index) {
  return mix(key ^ mix(index + 0x9e3779b97f4a7c15u));
}

/// Returns a standard normal number (Box-Muller transform).
inline double randomNormal(uint64_t key, uint64_t index) {
  // (0, 1] so that the logarithm is finite.
  double u = ((randomBits(key, 2 * index) >> 11) + 1) * 0x1p-53;
  double v = (randomBits(key, 2 * index + 1) >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_HASH_H
