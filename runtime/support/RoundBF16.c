// Rounds an f32 to bf16: to nearest, ties to even; a NaN becomes 0x7fff. Also
// under LLVM's name: on processors without a conversion instruction LLVM rounds
// vectors inline, but calls this function for scalars. Compilers' runtime
// libraries provide it only since 2023.

#include <stdint.h>
#include <string.h>

uint16_t pcc_round_bf16(float x);

uint16_t pcc_round_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return x != x ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// A function returns an f16 in the same register as a bf16. Returning a
// _Float16 by memcpy() causes no call of this function itself.
// NOLINTNEXTLINE(readability-identifier-naming): LLVM's name.
__attribute__((weak)) _Float16 __truncsfbf2(float x) {
  uint16_t rounded = pcc_round_bf16(x);
  _Float16 result;
  memcpy(&result, &rounded, sizeof(result));
  return result;
}
