//===- Elements.h - Conversion of elements in memory ------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_ELEMENTS_H
#define PCC_INTERPRETER_ELEMENTS_H

#include "interpreter/Tensor.h"

namespace pcc::interp {

/// Reads elements [first, first + count) of `to` from elements of `dtype` in
/// memory. `dtype` is a pcc_dtype of the same kind, float or integer, as the
/// element type of `to`.
void readElements(const char *from, int32_t dtype, Tensor &to, int64_t first,
                  int64_t count);

/// Writes elements of `from` as `dtype`: floats are rounded to nearest even,
/// integers wrap around.
void writeElements(const Tensor &from, int64_t first, int64_t count,
                   int32_t dtype, char *to);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_ELEMENTS_H
