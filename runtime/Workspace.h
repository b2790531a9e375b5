//===- Workspace.h - Device memory outside the arena --------------*- C -*-===//

#ifndef PCC_RUNTIME_WORKSPACE_H
#define PCC_RUNTIME_WORKSPACE_H

/// The workspace of the GEMM library on GPUs, in bytes, in a rank of any
/// program: the runtime allocates it, the compiler counts it.
enum { PCC_WORKSPACE_BYTES = 32 << 20 };

/// The maximum number of channels of an NCCL communicator, by its use. The
/// runtime sets it (maxCTAs), and the compiler counts the channels' buffers.
/// NCCL itself takes up to 64.
enum {
  PCC_CHANNELS = 32,          ///< large collectives
  PCC_EXCHANGE_CHANNELS = 16, ///< all_to_all: to each of the other ranks
  PCC_TRANSFER_CHANNELS = 8,  ///< point-to-point transfers between stages
};
/// Upper bounds of the buffers of a channel, in bytes. A receive has buffers of
/// 4 MiB (Simple), 4.7 MiB (LL128) and 0.5 MiB (LL), a send has a page of 2
/// MiB; on GPUs of compute capability 8.0 Simple's buffer is the sender's. Each
/// allocation is a multiple of 2 MiB. NCCL 2.28: init.cc, computeBuffSizes();
/// p2p.cc, p2pSendSetup() and p2pRecvSetup().
enum {
  PCC_RECEIVE_BYTES = 10 << 20,
  PCC_SEND_BYTES = 6 << 20,
  PCC_NEIGHBOR_BYTES = 12 << 20, ///< to and from a peer
};
/// Bytes of a communicator without its channels' buffers.
enum { PCC_COMMUNICATOR_BYTES = 4 << 20 };

#endif // PCC_RUNTIME_WORKSPACE_H
