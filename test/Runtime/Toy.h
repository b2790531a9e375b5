//===- Toy.h - A model small enough to write out by hand --------*- C++ -*-===//
//
// logits = E[token] * W + b with cross entropy over the next token, and its
// source file: 64 bytes of header, then E [V, D], W [V, D] (the program wants
// it transposed), b [V], and a copy of E, transposed, all f32.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TEST_RUNTIME_TOY_H
#define PCC_TEST_RUNTIME_TOY_H

#include "runtime/support/Hash.h"

#include <cstring>
#include <vector>

#ifndef WIDTH
#define WIDTH 16
#endif

namespace toy {

// Letters as in formulas. NOLINTNEXTLINE(readability-identifier-naming)
const int64_t V = 101, D = WIDTH, S = 8, headerBytes = 64;

/// The element of the source file that an element of the copy equals.
inline int64_t original(int64_t i) { return i % V * D + i / V; }

/// The bytes of the source file: integer hashes scaled into (-0.1, 0.1), so
/// the same on every machine.
inline std::vector<char> modelBytes() {
  const int64_t elements = V * D + V * D + V;
  std::vector<char> bytes(headerBytes + (elements + V * D) * 4, 'H');
  for (int64_t i = 0; i < elements; ++i) {
    int32_t bits = static_cast<int32_t>(pcc::mix(i + 1) >> 44);
    float value = (bits - (1 << 19)) * 0x1p-19f * 0.1f;
    memcpy(&bytes[headerBytes + i * 4], &value, 4);
  }
  for (int64_t i = 0; i < V * D; ++i)
    memcpy(&bytes[headerBytes + (elements + i) * 4],
           &bytes[headerBytes + original(i) * 4], 4);
  return bytes;
}

} // namespace toy

#endif // PCC_TEST_RUNTIME_TOY_H
