//===- Workspace.h - Device memory beside the arena ---------------*- C -*-===//

#ifndef PCC_RUNTIME_WORKSPACE_H
#define PCC_RUNTIME_WORKSPACE_H

/// Bytes that the library of products has on GPUs, in a rank of any program:
/// the runtime allocates them, the compiler counts them.
enum { PCC_WORKSPACE_BYTES = 32 << 20 };

/// The most channels of a communicator of NCCL, by what it is used for: the
/// runtime sets them (maxCTAs), the compiler counts their buffers. NCCL itself
/// takes up to 64.
enum {
  PCC_CHANNELS = 32,          ///< large collectives
  PCC_EXCHANGE_CHANNELS = 16, ///< all_to_all: to each of the other ranks
  PCC_TRANSFER_CHANNELS = 8,  ///< between stages, overlapped with compute
};
/// Bytes of the buffers of a channel from one peer: 4 MiB (Simple), 4.7 MiB
/// (LL128) and 0.5 MiB (LL). NCCL 2.28, init.cc, computeBuffSizes().
enum { PCC_CHANNEL_BYTES = 4194304 + 4915200 + 524288 };
/// Bytes of a communicator without its channels' buffers.
enum { PCC_COMMUNICATOR_BYTES = 4 << 20 };

#endif // PCC_RUNTIME_WORKSPACE_H
