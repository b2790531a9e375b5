/*===- Xxh3.h - XXH3 with 128 bits --------------------------------*- C -*-===//
//
// libxxhash's code, compiled for the baseline CPU and for AVX2, which takes
// half the time for data in the cache. It is C, so that no template of the C++
// library is compiled for AVX2 and then shared with code that runs on every
// CPU.
//
//===---------------------------------------------------------------------===*/

#ifndef PCC_RUNTIME_SUPPORT_XXH3_H
#define PCC_RUNTIME_SUPPORT_XXH3_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Names as in C. NOLINTBEGIN(readability-identifier-naming)

/// Size and alignment, in bytes, of the state of a hash computation.
enum { PCC_XXH3_BYTES = 576, PCC_XXH3_ALIGNMENT = 64 };

/// The three functions that compute a hash, for one kind of CPU.
struct pcc_xxh3 {
  /// Initializes a state.
  void (*reset)(void *state);
  /// Adds the next bytes.
  void (*update)(void *state, const void *data, size_t bytes);
  /// Sets `hash` to the hash of all bytes so far; hash[0]: the high 64 bits.
  void (*digest)(const void *state, uint64_t hash[2]);
};

/// The functions for every CPU, and for CPUs with AVX2.
extern const struct pcc_xxh3 pcc_xxh3_any, pcc_xxh3_avx2;

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif

#endif
