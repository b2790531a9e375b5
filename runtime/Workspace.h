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
/// Bytes of the buffers of a channel, at most. A receive has buffers of 4 MiB
/// (Simple), 4.7 MiB (LL128) and 0.5 MiB (LL), a send a page of 2 MiB; on GPUs
/// of compute capability 8.0 Simple's buffer is the sender's. Each allocation
/// is a multiple of 2 MiB. NCCL 2.28: init.cc, computeBuffSizes(); p2p.cc,
/// p2pSendSetup() and p2pRecvSetup().
enum {
  PCC_RECEIVE_BYTES = 10 << 20,
  PCC_SEND_BYTES = 6 << 20,
  PCC_NEIGHBOR_BYTES = 12 << 20, ///< to and from a peer
};
/// Bytes of a communicator without its channels' buffers.
enum { PCC_COMMUNICATOR_BYTES = 4 << 20 };

#endif // PCC_RUNTIME_WORKSPACE_H
