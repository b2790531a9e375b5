//===- Context.h - A rank of a program for GPUs -----------------*- C++ -*-===//
//
// Streams and events of compiled code are the driver's, and the compute stream
// is one of them. All are created before the first step.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CUDA_CONTEXT_H
#define PCC_RUNTIME_CUDA_CONTEXT_H

#include "runtime/Runtime.h"
#include "runtime/Workspace.h"
#include "runtime/cuda/Driver.h"

#include <string>
#include <vector>

namespace pcc::cuda {

class Graphs;

/// The state that the back end keeps for a rank until it ends; compiled code
/// passes it to every call as a pcc_context.
struct Rank {
  /// By their numbers in compiled code; the compute stream is the first.
  std::vector<CUstream> streams;
  std::vector<CUevent> events;
  /// The event that the streams of an entry wait for.
  CUevent begun = nullptr;
  /// Null: operations are issued to the driver directly.
  Graphs *graphs = nullptr;
  const char *node = ""; ///< see pcc_set_node()
};

/// The rank of a call of compiled code.
inline Rank &stateOf(pcc_context *ctx) {
  return *reinterpret_cast<Rank *>(ctx);
}

/// The compute stream. Work of the runtime itself is also issued there, after
/// all computation.
CUstream computeStream();
/// A stream of compiled code; exits with ExitInternal if there is none.
CUstream streamOf(pcc_context *ctx, int32_t stream);

/// The use of a stream. If both kinds have work, the device starts thread
/// blocks of communication first: other ranks wait for it.
enum class StreamUse { Computes, Communicates };
/// Creates a non-blocking stream of the driver.
CUstream makeStream(StreamUse use);

/// Creates an event without timing.
CUevent makeEvent();
/// Blocks the host until the last record of an event is complete; `what` names
/// the operation. Ends the job if a device or a communicator fails meanwhile.
void waitFor(CUevent event, const char *what);

/// The device of this rank.
struct Device {
  /// In the driver.
  CUdevice number;
  CUcontext context;
  int chip; ///< 90 for sm_90
  std::string name;
};
/// Chosen by the first call, which exits with ExitDevice and "no CUDA device"
/// if there is none.
const Device &device();
/// Warns, on one rank only, if $CUDA_DEVICE_MAX_CONNECTIONS, set by the user,
/// was raised.
void warnOfConnections();

/// The device memory that this program and others use, in bytes.
int64_t bytesInUse();
/// "1.2 GiB of the 79.6 GiB of 'NVIDIA H100' are free".
std::string freeText();

/// Device memory after the arena, in the same allocation.
struct Extra {
  /// Shared by GEMMs and forward attention, which the compute stream
  /// serializes; attention's backward pass has a workspace in the arena.
  CUdeviceptr workspace;
  CUdeviceptr constants; ///< the program's, PCC_ALIGNMENT bytes apart
};
/// Valid once the arena is allocated.
const Extra &extra();

/// Loads the program's kernels.
void loadKernels();
/// Loads cuBLASLt; exits with ExitDevice if it is missing.
void openBlas();
/// Exits with ExitDevice if ranks have different kinds of devices, drivers for
/// different CUDA versions, different versions of cuBLASLt, NCCL or (where
/// their stages use it) cuDNN, or if two ranks have the same device without
/// PCC_SHARE_DEVICES=1. Called by all ranks, before makeCommunicators().
void requireSameDevices(const pcc_stage &stage);
/// Creates plans for the attention of a stage that cuDNN computes; returns a
/// text for the log. Loads no library, and returns "", if there is none.
std::string makeAttention(const pcc_stage &stage);

/// Allocates pinned memory, of which the inputs and outputs of two steps take
/// only a part.
void makeStaging(const pcc_program &program, const pcc_stage &stage);
/// Allocates pinned host memory, which is never freed.
char *allocatePinned(int64_t bytes);
/// Allocates pinned memory for each input that compiled code fills.
void makeFills(const pcc_program &program, const pcc_stage &stage);

/// An address as the driver's functions take it.
inline CUdeviceptr at(const void *place) {
  return reinterpret_cast<CUdeviceptr>(place);
}

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_CONTEXT_H
