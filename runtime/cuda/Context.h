//===- Context.h - A rank of a program for GPUs -----------------*- C++ -*-===//
//
// Streams and events of compiled code are those of the driver: a record is a
// record, a wait is a wait, and the compute stream is one among others. All of
// them are made before the first step.
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

/// What the back end keeps for a rank, until it ends; compiled code hands it
/// back in every call, as a pcc_context.
struct Rank {
  /// By their numbers in compiled code; that of computation is the first.
  std::vector<CUstream> streams;
  std::vector<CUevent> events;
  /// What an entry begins behind.
  CUevent begun = nullptr;
  /// Null: what compiled code issues is the driver's at once.
  Graphs *graphs = nullptr;
  const char *node = ""; ///< see pcc_set_node()
};

/// The rank of a call of compiled code.
inline Rank &stateOf(pcc_context *ctx) {
  return *reinterpret_cast<Rank *>(ctx);
}

/// Where work is put that is no stream's of compiled code: behind all that
/// computes.
CUstream computeStream();
/// A stream of compiled code; exits with ExitInternal where there is none.
CUstream streamOf(pcc_context *ctx, int32_t stream);

/// What a stream is for. Where both have work, the device begins thread blocks
/// of communication first: other ranks wait for it.
enum class StreamUse { Computes, Communicates };
/// Makes a stream of the driver that waits for no other one.
CUstream makeStream(StreamUse use);

/// Makes an event that measures no time.
CUevent makeEvent();
/// The host waits for the last record of an event; `what` is what it waits for.
/// Ends the job if a device or a communicator fails meanwhile.
void waitFor(CUevent event, const char *what);

/// The device that this rank has.
struct Device {
  /// As the driver knows it.
  CUdevice number;
  CUcontext context;
  int chip; ///< 90 for sm_90
  std::string name;
};
/// Chosen by the first call, which ends the program with ExitDevice and "no
/// CUDA device" where there is none.
const Device &device();
/// Says once for all ranks that $CUDA_DEVICE_MAX_CONNECTIONS, which the user
/// set, was raised.
void warnOfConnections();

/// Bytes of the device that this program and others have in use.
int64_t bytesInUse();
/// "1.2 GiB of the 79.6 GiB of 'NVIDIA H100' are free".
std::string freeText();

/// Device memory beside the arena, in one piece with it.
struct Extra {
  /// For the libraries' calls on the compute stream, one after the other.
  CUdeviceptr workspace;
  CUdeviceptr constants; ///< those of the program, PCC_ALIGNMENT bytes apart
};
/// There once the arena is.
const Extra &extra();

/// Loads the program's kernels.
void loadKernels();
/// Opens the library of products; ends the program with ExitDevice where it is
/// missing.
void openBlas();
/// Ends the program with ExitDevice where ranks have different kinds of
/// devices, drivers for different CUDAs, different versions of cuBLASLt, NCCL
/// or cuDNN, or where two ranks have one device. All ranks call it, before
/// makeCommunicators().
void requireSameDevices(const pcc_stage &stage);
/// Makes plans for what a stage has the library compute of attention, and says
/// so; opens no library, and says nothing, where that is nothing.
std::string makeAttention(const pcc_stage &stage);

/// Makes pinned memory of which the inputs of two steps, and what they leave,
/// take no more than a part.
void makeStaging(const pcc_program &program, const pcc_stage &stage);
/// Pinned host memory, which is never freed.
char *allocatePinned(int64_t bytes);
/// Makes pinned memory for each input that compiled code has filled.
void makeFills(const pcc_program &program, const pcc_stage &stage);

/// A place of the arena as the driver's functions take it.
inline CUdeviceptr at(const void *place) {
  return reinterpret_cast<CUdeviceptr>(place);
}

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_CONTEXT_H
