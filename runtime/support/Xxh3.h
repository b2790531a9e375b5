/*===- Xxh3.h - XXH3 with 128 bits --------------------------------*- C -*-===//
//
// libxxhash's code, compiled for what every CPU has and for AVX2, which takes
// half the time of data in a cache. In C, so that no template of the C++
// library is compiled for AVX2 and linked where all call it.
//
//===---------------------------------------------------------------------===*/

#ifndef PCC_RUNTIME_SUPPORT_XXH3_H
#define PCC_RUNTIME_SUPPORT_XXH3_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a state, which is aligned so. */
enum { PCC_XXH3_BYTES = 576, PCC_XXH3_ALIGNMENT = 64 };

struct pcc_xxh3 {
  void (*reset)(void *state);
  void (*update)(void *state, const void *data, size_t bytes);
  /* hash[0]: the high 64 bits. */
  void (*digest)(const void *state, uint64_t hash[2]);
};

extern const struct pcc_xxh3 pcc_xxh3_any, pcc_xxh3_avx2;

#ifdef __cplusplus
}
#endif

#endif
