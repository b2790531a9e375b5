//===- Communicators.h - NCCL communicators ---------------------*- C++ -*-===//
//
// Each communicator of the program is an NCCL communicator. So is each
// overlapped point-to-point channel between two stages, with two ranks: NCCL
// runs the operations of a communicator in order, so a receive that was issued
// early would block a later send. If the program has transfers that the compute
// stream waits for, the ranks that differ only in the stage share one more
// communicator for them.
//
// An NCCL kernel occupies part of a device until all its ranks have arrived.
// With two communicators, one rank may run the first one's kernel and another
// rank the second one's, and both hang. The compiler makes all ranks issue
// operations in the same order; the runtime ensures that devices keep it:
//
//   NCCL 2.26 and later  orders launches itself if requested
//                        (NCCL_LAUNCH_ORDER_IMPLICIT)
//   earlier versions     each operation waits for an event after the one
//                        before, if that is on another stream
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CUDA_COMMUNICATORS_H
#define PCC_RUNTIME_CUDA_COMMUNICATORS_H

#include "runtime/cuda/Context.h"
#include "runtime/support/Mesh.h"

#include <functional>
#include <nccl.h>

namespace pcc::cuda {

/// The addresses of NCCL's functions.
struct Nccl {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Nccl.def"
};

/// Returns the library; the first call loads it, and exits with ExitDevice if
/// it is missing.
const Nccl &nccl();

/// A communicator as this rank sees it.
struct Communicator {
  ncclComm_t comm = nullptr; ///< null where size is 1
  int size = 1, index = 0;
  std::string over; ///< " over tp"
  /// The only stream of compiled code that uses it; -1: none so far.
  int32_t stream = -1;
  /// The last operation, and its node or "", for messages.
  const char *last = "the start of communication", *lastNode = "";
};

/// Creates all communicators, in the program's order; collective over all
/// ranks. A program of one rank loads no library.
void makeCommunicators(const pcc_program &program,
                       const Coordinates &coordinates);
/// Runs each collective of this rank's stage once, in memory that has room for
/// each and is undefined: NCCL connects ranks at the first operation of a kind
/// and size. Called by all ranks, before any entry.
void connectCollectives(char *memory);

/// The NCCL type of a pcc_dtype that NCCL can reduce; exits with ExitInternal
/// for others.
ncclDataType_t ncclTypeOf(int32_t dtype);
/// The NCCL operation of a pcc_reduction.
inline ncclRedOp_t ncclReductionOf(int32_t reduction) {
  return reduction == PCC_MAX ? ncclMax : ncclSum;
}

/// The communicator of an index into pcc_program.comms; exits with ExitInternal
/// if there is none.
Communicator &communicator(int32_t comm);
/// The communicator of the stages; a rank's index in it is its stage.
Communicator &transfers();
/// The communicator of a point-to-point channel from this rank's stage
/// (`sends`) or to it. The sender has index 0, the receiver 1. Exits with
/// ExitInternal if there is none.
Communicator &transferChannel(int32_t stage, int32_t channel, bool sends);

/// Issues an operation, which `issue` passes to NCCL, on a stream of compiled
/// code, in launch order. Ends the job if NCCL rejects it, or if the
/// communicator was used on another stream.
void issue(pcc_context *ctx, int32_t stream, Communicator &communicator,
           const char *name,
           const std::function<ncclResult_t(CUstream)> &issue);

/// Ends the job if NCCL has detected a failed operation. Called while the host
/// waits.
void checkCommunicators();

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_COMMUNICATORS_H
