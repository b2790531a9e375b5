//===- Double.h - What stands in for a GPU in tests -------------*- C++ -*-===//
//
// libcuda.so.1, libcublasLt.so.13 and libcudnn.so.9 as far as runtime/cuda
// calls them, for machines without a GPU. They are strict: what a driver would
// not take, or what it would take and a test must notice, ends the process with
// a message.
//
//   threads   have each a context or none; functions that the device has the
//             host call may ask for nothing
//   memory    the host has addresses with nothing behind them; fresh memory,
//             pinned memory, too, is full of NaNs
//   streams   are queues that one thread works off, in an order that is drawn:
//             nothing but events orders them, and none is hurried
//   graphs    are captured as the driver's manual says, and refused where it
//             refuses; at a launch its nodes are drawn like operations
//   kernels   are run by pcc's emulator; their code is in a shared object that
//             $PCC_DOUBLE_KERNELS names, of the same program compiled with
//             --target cuda-emulated; or, where that ends with a slash, in a
//             folder of them by the names of their programs
//   devices   $PCC_DOUBLE_DEVICES of them (1), which CUDA_VISIBLE_DEVICES hides
//
// $PCC_DOUBLE_SEED draws the order. Calls are written to $PCC_DOUBLE_TRACE, a
// line each. $PCC_DOUBLE_FAULT plants one: "drop-wait N" leaves out the Nth
// wait of a stream for an event, "swap-stream N" puts the Nth operation on
// another stream. Of graphs, "drop-external N" leaves out the Nth wait for
// another graph, "drop-join N" one of the waits by which a graph ends, and
// "swap-graph N" launches the graph of the launch before.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TEST_CUDA_DOUBLE_DOUBLE_H
#define PCC_TEST_CUDA_DOUBLE_DOUBLE_H

#include <cstdint>
#include <cuda.h>
#include <functional>
#include <string>

#define PCC_EXPORT __attribute__((visibility("default")))

namespace fake {

/// Ends the process: "double: <call>: <what is wrong>".
[[noreturn]] PCC_EXPORT void refuse(const std::string &what);
/// Notes a call for messages and the trace.
PCC_EXPORT void note(const std::string &call);

/// Ends the process where this thread has no context: each one that calls the
/// driver chooses it for itself.
PCC_EXPORT void requireContext();

/// Where the device has `bytes` bytes of its memory that begin at `place`.
PCC_EXPORT char *reach(CUdeviceptr place, size_t bytes);

/// Puts an operation on a stream, or into the graph that it is captured for.
PCC_EXPORT CUresult enqueue(CUstream stream, std::function<void()> run);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_DOUBLE_H
