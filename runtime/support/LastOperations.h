//===- LastOperations.h - Last operation of each communicator ---*- C++ -*-===//
//
// Ranks whose programs diverge wait for each other forever, each in another
// collective. So when a job hangs, each rank reports the last operation that it
// issued on each communicator, and the number of operations. Ranks in agreement
// report the same.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_LASTOPERATIONS_H
#define PCC_RUNTIME_SUPPORT_LASTOPERATIONS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace pcc {

/// Records that the main thread issues an operation on a communicator, which
/// `stream` and `over` (such as " over tp") identify. `node`: the node of the
/// model, or "". The strings must live as long as the program.
void noteOperation(int32_t stream, const char *name, const char *over,
                   const char *node);

/// Returns the last operations in at most `most` characters, such as
/// "all_reduce over tp no. 812 of 'h.0/attn/c_proj', send over pp no. 3"; "" if
/// none was issued. May be called from any thread.
std::string lastOperations(size_t most);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_LASTOPERATIONS_H
