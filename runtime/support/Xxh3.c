/*===- Xxh3.c - XXH3 with 128 bits ----------------------------------------===*/

#include "runtime/support/Xxh3.h"

/* Header-only: executables link with no further library. */
#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(sizeof(XXH3_state_t) <= PCC_XXH3_BYTES, "a state is larger");

static void reset(void *state) { XXH3_128bits_reset((XXH3_state_t *)state); }

static void update(void *state, const void *data, size_t bytes) {
  XXH3_128bits_update((XXH3_state_t *)state, data, bytes);
}

static void digest(const void *state, uint64_t hash[2]) {
  XXH128_hash_t found = XXH3_128bits_digest((const XXH3_state_t *)state);
  hash[0] = found.high64;
  hash[1] = found.low64;
}

/* PCC_XXH3: the name of this variant. */
const struct pcc_xxh3 PCC_XXH3 = {reset, update, digest};
