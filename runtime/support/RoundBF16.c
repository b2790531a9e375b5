// What LLVM calls to round an f32 to bf16 on processors that have no
// instruction for it: vectors it rounds itself, single numbers by this
// function, which libraries of compilers have had since 2023. To nearest, to
// even between two.

#include <stdint.h>
#include <string.h>

// An f16 is returned as a bf16 is, and making one is no call of this.
// NOLINTNEXTLINE(readability-identifier-naming): LLVM's name.
__attribute__((weak)) _Float16 __truncsfbf2(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  uint16_t rounded = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  if (x != x)
    rounded = 0x7fff;
  _Float16 result;
  memcpy(&result, &rounded, sizeof(result));
  return result;
}
