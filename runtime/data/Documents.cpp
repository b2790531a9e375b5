//===- Documents.cpp - The documents of a sample --------------------------===//

#include "runtime/data/Documents.h"

#include "runtime/data/Roles.h"
#include "runtime/support/DType.h"

#include <cstring>

using namespace pcc;

/// The target of a position that has none.
static constexpr int64_t kNoTarget = -100;

static void store(const pcc_input &input, int64_t value, char *to) {
  if (input.dtype == PCC_I64) {
    memcpy(to, &value, 8);
    return;
  }
  int32_t narrow = static_cast<int32_t>(value);
  memcpy(to, &narrow, 4);
}

void pcc::copyStarts(const pcc_input &input, const Shard &shard,
                     const std::vector<char> &ends, char *to) {
  int64_t first = shard.start[input.sequence_dim], start = 0;
  int64_t last = first + shard.extent[input.sequence_dim];
  for (int64_t i = 0; i < last; ++i) {
    if (i > 0 && ends[i - 1])
      start = i;
    if (i >= first)
      store(input, start, to + (i - first) * sizeOf(input.dtype));
  }
}

void pcc::dropTargets(const pcc_input &input, const Shard &shard,
                      const std::vector<char> &ends, char *to) {
  int64_t first = shard.start[input.sequence_dim];
  bool isShifted = roleOf(input) == Role::Labels;
  for (int64_t i = 0; i < shard.extent[input.sequence_dim]; ++i) {
    int64_t before = first + i - isShifted;
    if (before >= 0 && ends[before])
      store(input, kNoTarget, to + i * sizeOf(input.dtype));
  }
}
