//===- Filling.h - The thread that fills inputs -----------------*- C++ -*-===//
//
// A stream of compiled code that has the host fill inputs is a thread's, which
// fills one after the other, beside what computes. It begins with the first.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_FILLING_H
#define PCC_RUNTIME_CPU_FILLING_H

#include <cstdint>

namespace pcc::filling {

/// Fills an input for a microbatch at `to`, here and now.
void fill(int32_t input, int64_t microbatch, char *to);
/// Has an input filled for a microbatch at `to`. Returns how many fills were
/// issued so far.
uint64_t issue(int32_t input, int64_t microbatch, char *to);
/// Whether the first `count` fills are done.
bool hasDone(uint64_t count);
/// Returns when they are.
void wait(uint64_t count);

} // namespace pcc::filling

#endif // PCC_RUNTIME_CPU_FILLING_H
