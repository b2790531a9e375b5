//===- Elements.cpp - Conversion of elements in memory --------------------===//

#include "interpreter/Elements.h"
#include "runtime/support/DType.h"
#include <cstring>

using namespace pcc;
using namespace pcc::interp;

void pcc::interp::readElements(const char *from, int32_t dtype, Tensor &to,
                               int64_t first, int64_t count) {
  if (to.isFloat()) {
    convert(&to.real[first], PCC_F64, 1, from, dtype, 1, count);
    return;
  }
  int64_t bytes = sizeOf(dtype);
  unsigned unused = 64 - 8 * bytes;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t value = 0;
    memcpy(&value, from + i * bytes, bytes);
    to.integer[first + i] = static_cast<int64_t>(value << unused) >> unused;
  }
}

void pcc::interp::writeElements(const Tensor &from, int64_t first,
                                int64_t count, int32_t dtype, char *to) {
  if (from.isFloat()) {
    convert(to, dtype, 1, &from.real[first], PCC_F64, 1, count);
    return;
  }
  int64_t bytes = sizeOf(dtype);
  for (int64_t i = 0; i < count; ++i)
    memcpy(to + i * bytes, &from.integer[first + i], bytes);
}
