//===- LastOperations.h - What communicators were given last ----*- C++ -*-===//
//
// Ranks whose programs have come apart wait for each other for ever, each in
// another collective. So when a job hangs, each rank tells the last operation
// that it issued on each communicator, and how many there were: ranks in
// agreement tell the same.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SUPPORT_LASTOPERATIONS_H
#define PCC_RUNTIME_SUPPORT_LASTOPERATIONS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace pcc {

/// Notes that the main thread issues an operation on a communicator, which
/// `stream` and `over`, " over tp", are the key of. `node` is the model's, or
/// "". Texts live as long as the program.
void noteOperation(int32_t stream, const char *name, const char *over,
                   const char *node);

/// "all_reduce over tp no. 812 of 'h.0/attn/c_proj', send over pp no. 3", of
/// at most so many characters; "" where nothing was issued. Another thread than
/// the main one may call it.
std::string lastOperations(size_t most);

} // namespace pcc

#endif // PCC_RUNTIME_SUPPORT_LASTOPERATIONS_H
