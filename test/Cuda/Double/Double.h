//===- Double.h - A test double of the CUDA driver --------------*- C++ -*-===//
//
// A test double of libcuda.so.1, libcublasLt.so.13 and libcudnn.so.9, as far as
// runtime/cuda calls them, for machines without a GPU. It is strict: a call
// that a driver would reject, or would accept although a test must notice it,
// ends the process with a message.
//
//   threads   each has a context or none; a host function that a stream calls
//             may not call the driver
//   memory    device addresses are not mapped on the host; fresh memory, also
//             pinned memory, is filled with NaNs. Memory may be mapped at
//             reserved addresses, also the host's unless
//             $PCC_DOUBLE_MAPS_NO_HOST is set; $PCC_DOUBLE_HOST_MIB of it can
//             be (16384)
//   streams   are queues that one thread executes in random order; only events
//             order them
//   graphs    are captured as the driver's manual says, and rejected where the
//             driver rejects them; the nodes of a launch run in random order,
//             like operations
//   kernels   are run by pcc's emulator. $PCC_DOUBLE_KERNELS names a shared
//             object with their code: the same program compiled with --target
//             cuda-emulated. If it ends with a slash it names a folder of them,
//             each with its program's name
//   devices   $PCC_DOUBLE_DEVICES of them (1); CUDA_VISIBLE_DEVICES hides some
//
// $PCC_DOUBLE_SEED seeds the order. Calls are written to $PCC_DOUBLE_TRACE, one
// per line. $PCC_DOUBLE_FAULT plants a fault: "drop-wait N" omits the Nth wait
// of a stream for an event, "swap-stream N" puts the Nth operation on another
// stream. For graphs, "drop-external N" omits the Nth wait for another graph,
// "drop-join N" one of the waits that end a graph, and "swap-graph N" launches
// the previous launch's graph. With $PCC_DOUBLE_PAUSE the device pauses for as
// many milliseconds before each launch of a graph.
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
/// Records a call for messages and the trace.
PCC_EXPORT void note(const std::string &call);

/// Ends the process if this thread has no context: each thread that calls the
/// driver must set it.
PCC_EXPORT void requireContext();

/// The host's mapping of the `bytes` bytes of device memory that begin at
/// `place`.
PCC_EXPORT char *reach(CUdeviceptr place, size_t bytes);

/// Enqueues an operation on a stream, or adds it to the graph that the stream
/// is captured for.
PCC_EXPORT CUresult enqueue(CUstream stream, std::function<void()> run);

} // namespace fake

#endif // PCC_TEST_CUDA_DOUBLE_DOUBLE_H
