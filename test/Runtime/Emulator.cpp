//===- Emulator.cpp - What kernels find in their memory -------------------===//

#include "runtime/emulated/Emulator.h"
#include "test/Runtime/Check.h"

#include <cstring>

static const int count = 3;

namespace {
struct Buffers {
  int32_t operand[count] = {1, 2, 3}, result[count] = {4, 5, 6};
  int16_t narrow[count] = {7, 8, 9};
};
} // namespace

/// What the kernel found, in the order of its buffers.
static Buffers found;

static void copy(void *const *buffers) {
  memcpy(found.operand, buffers[0], sizeof(found.operand));
  memcpy(found.result, buffers[1], sizeof(found.result));
  memcpy(found.narrow, buffers[2], sizeof(found.narrow));
}

static void launch(Buffers &given, bool inPlace) {
  static const pcc_emu_buffer described[] = {
      {sizeof(given.operand), 4, 0},
      {sizeof(given.result), 4, 1},
      {sizeof(given.narrow), 2, 1},
  };
  static const pcc_emu_kernel kernel = {"copy", copy, described, 3, 1, 1, 0, 0};
  void *buffers[] = {given.operand, inPlace ? given.operand : given.result,
                     given.narrow};
  pcc_emu_launch(&kernel, buffers);
}

/// Results hold nothing, unless they lie where an operand does.
static void testResults() {
  Buffers given;
  launch(given, /*inPlace=*/false);
  CHECK(found.operand[0] == 1 && found.operand[2] == 3);
  for (int32_t number : found.result)
    CHECK(number == PCC_EMU_POISON);
  for (int16_t number : found.narrow)
    CHECK(number == static_cast<int16_t>(PCC_EMU_POISON & 0xffff) ||
          number == static_cast<int16_t>(PCC_EMU_POISON >> 16));
  launch(given, /*inPlace=*/true);
  CHECK(found.operand[0] == 1 && found.result[1] == 2 && found.result[2] == 3);
}

/// What blocks found in shared memory, one after the other.
static int32_t shared[2][count];
static int blocks = 0;

static void fillShared(void *const *) {
  memcpy(shared[blocks++], pcc_emu_shared(), sizeof(shared[0]));
  memset(pcc_emu_shared(), 0, sizeof(shared[0]));
}

/// Nor does shared memory of what a block before has left.
static void testShared() {
  static const pcc_emu_kernel kernel = {
      "fill", fillShared, nullptr, 0, 2, 1, sizeof(shared[0]), 0};
  pcc_emu_launch(&kernel, nullptr);
  CHECK(blocks == 2);
  for (const auto &block : shared)
    for (int32_t number : block)
      CHECK(number == PCC_EMU_POISON);
}

int main() {
  testResults();
  testShared();
  return checkResult();
}
