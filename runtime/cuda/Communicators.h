//===- Communicators.h - Ranks that communicate by NCCL ---------*- C++ -*-===//
//
// Each communicator of the program is one of NCCL, and so are the two ranks at
// the ends of a way between stages: NCCL does what a communicator is given one
// after the other, so that a receive that was begun ahead would hold up a send
// behind it. The ranks that differ in nothing but the stage have one more, for
// transfers that the compute stream waits for.
//
// NCCL's kernels occupy parts of a device until all other ranks have come: with
// two communicators, one rank may run the first one's kernel and another rank
// the second one's, and both wait for ever. The compiler has all ranks issue
// what they do in one order; here it is seen to that devices keep to it:
//
//   NCCL 2.26 and later  do so themselves when they are asked to
//                        (NCCL_LAUNCH_ORDER_IMPLICIT)
//   earlier ones         each operation waits for an event behind the one
//                        before, whatever streams they are on
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CUDA_COMMUNICATORS_H
#define PCC_RUNTIME_CUDA_COMMUNICATORS_H

#include "runtime/cuda/Context.h"
#include "runtime/support/Mesh.h"

#include <functional>
#include <nccl.h>

namespace pcc::cuda {

/// Addresses of NCCL's functions.
struct Nccl {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Nccl.def"
};

/// The library; the first call opens it, and ends the program with ExitDevice
/// where it is missing.
const Nccl &nccl();

/// A communicator as this rank sees it.
struct Communicator {
  ncclComm_t comm = nullptr; ///< null where size is 1
  int size = 1, index = 0;
  std::string over; ///< " over tp"
  /// The only stream of compiled code that it is used on; -1: not yet.
  int32_t stream = -1;
  /// What it was given last, and the node that has it, or ""; for messages.
  const char *last = "the start of communication", *lastNode = "";
};

/// Makes all communicators, in the program's order; all ranks call it. A
/// program of one rank opens no library.
void makeCommunicators(const pcc_program &program,
                       const Coordinates &coordinates);
/// Issues each collective of this rank's stage once, on memory that has room
/// for all of it and may hold anything: NCCL connects ranks by what the first
/// operation of a kind and size needs. All ranks call it, ahead of an entry.
void connectCollectives(char *memory);

/// A pcc_dtype that NCCL adds and compares; exits with ExitInternal for others.
ncclDataType_t ncclTypeOf(int32_t dtype);
/// A pcc_reduction.
inline ncclRedOp_t ncclReductionOf(int32_t reduction) {
  return reduction == PCC_MAX ? ncclMax : ncclSum;
}

/// One of pcc_program.comms; exits with ExitInternal where there is none.
Communicator &communicator(int32_t comm);
/// That of the stages, in which a rank's index is its stage.
Communicator &transfers();
/// That of a way from this rank's stage (`sends`) or to it, in which the sender
/// is 0 and the receiver 1; exits with ExitInternal where there is none.
Communicator &way(int32_t stage, int32_t channel, bool sends);

/// Issues an operation on a stream of compiled code, in its turn: what `issue`
/// gives NCCL. Ends the job where NCCL refuses it, or where the communicator
/// has been used on another stream.
void issue(pcc_context *ctx, int32_t stream, Communicator &communicator,
           const char *name,
           const std::function<ncclResult_t(CUstream)> &issue);

/// Ends the job if NCCL has found that an operation failed. For where the host
/// waits.
void checkCommunicators();

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_COMMUNICATORS_H
