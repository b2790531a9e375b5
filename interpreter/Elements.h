//===- Elements.h - Elements as they lie in memory --------------*- C++ -*-===//

#ifndef PCC_INTERPRETER_ELEMENTS_H
#define PCC_INTERPRETER_ELEMENTS_H

#include "interpreter/Tensor.h"

namespace pcc::interp {

/// Elements [first, first + count) of `to` from as many elements of `dtype`, a
/// pcc_dtype of the kind that to's declared element type has.
void readElements(const char *from, int32_t dtype, Tensor &to, int64_t first,
                  int64_t count);

/// Writes such elements of `from`: floats are rounded to nearest even, integers
/// wrap around.
void writeElements(const Tensor &from, int64_t first, int64_t count,
                   int32_t dtype, char *to);

} // namespace pcc::interp

#endif // PCC_INTERPRETER_ELEMENTS_H
