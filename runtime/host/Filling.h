//===- Filling.h - The thread that fills inputs -----------------*- C++ -*-===//
//
// A stream of compiled code that has the host fill inputs is a thread's, which
// fills one after the other, beside what computes. It begins with the first.
// What backend::setFiller() was given fills; an issued fill keeps that of its
// entry, though the next one is issued meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_HOST_FILLING_H
#define PCC_RUNTIME_HOST_FILLING_H

#include <cstdint>
#include <functional>

namespace pcc::filling {

/// Fills an input for a microbatch at `to`, here and now.
void fill(int32_t input, int64_t microbatch, char *to);
/// Has an input filled for a microbatch at `to`; the thread calls `before`, if
/// there is one, ahead of it. Returns how many fills were issued so far.
uint64_t issue(int32_t input, int64_t microbatch, char *to,
               std::function<void()> before = {});
/// Whether the first `count` fills are done.
bool hasDone(uint64_t count);
/// Returns when they are; for any thread.
void wait(uint64_t count);

} // namespace pcc::filling

#endif // PCC_RUNTIME_HOST_FILLING_H
