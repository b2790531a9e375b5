//===- Filling.h - The thread that fills inputs -----------------*- C++ -*-===//
//
// Fills that compiled code issues on a stream are executed by a thread, in
// order, overlapped with compute; for an emulated device the calling thread
// executes them. The thread starts with the first fill. It calls the filler of
// backend::setFiller(). An issued fill keeps the filler of its entry, even if
// the next entry is issued meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_HOST_FILLING_H
#define PCC_RUNTIME_HOST_FILLING_H

#include <cstdint>
#include <functional>

namespace pcc::filling {

/// Fills an input for a microbatch at `to`, on the calling thread.
void fill(int32_t input, int64_t microbatch, char *to);
/// Issues the fill of an input for a microbatch at `to`; the thread first calls
/// `before`, if it is not null. Returns the number of fills issued so far.
uint64_t issue(int32_t input, int64_t microbatch, char *to,
               std::function<void()> before = {});
/// Whether the first `count` fills are complete.
bool hasDone(uint64_t count);
/// Returns when they are complete; for any thread.
void wait(uint64_t count);

} // namespace pcc::filling

#endif // PCC_RUNTIME_HOST_FILLING_H
