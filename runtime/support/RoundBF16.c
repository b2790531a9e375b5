// Rounding of an f32 to bf16, to nearest, to even between two; a NaN is 0x7fff.
// By LLVM's name, too, which it calls on processors that have no instruction
// for it: vectors it rounds itself, single numbers by this function, which
// libraries of compilers have had since 2023.

#include <stdint.h>
#include <string.h>

uint16_t pcc_round_bf16(float x);

uint16_t pcc_round_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return x != x ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// An f16 is returned as a bf16 is, and making one is no call of this.
// NOLINTNEXTLINE(readability-identifier-naming): LLVM's name.
__attribute__((weak)) _Float16 __truncsfbf2(float x) {
  uint16_t rounded = pcc_round_bf16(x);
  _Float16 result;
  memcpy(&result, &rounded, sizeof(result));
  return result;
}
