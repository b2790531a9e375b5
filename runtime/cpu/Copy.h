//===- Copy.h - Copies and clears -------------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CPU_COPY_H
#define PCC_RUNTIME_CPU_COPY_H

#include "runtime/Runtime.h"

namespace pcc {

/// Copies memory by the rank's threads; the two pieces do not overlap.
void copyBytes(const pcc_context &context, void *to, const void *from,
               int64_t bytes);
/// Fills memory with zero bytes by the rank's threads.
void clearBytes(const pcc_context &context, void *to, int64_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_COPY_H
