//===- Transfers.cpp - Sends and receives between stages ------------------===//
//
// NCCL has no message tags but keeps the order of transfers between two ranks,
// and the compiler emits the same order over all channels on both sides.
// Overlapped transfers have a communicator for each channel and direction.
//
//===----------------------------------------------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/host/Traffic.h"
#include "runtime/support/Error.h"

using namespace pcc;
using namespace pcc::cuda;

static Communicator &stages(int32_t stage) {
  Communicator &found = transfers();
  if (stage < 0 || stage >= found.size || found.size == 1)
    fail(ExitInternal,
         format("the program has no stage %d to communicate with", stage));
  return found;
}

static void countSend(int32_t stream, const Communicator &c, int64_t bytes) {
  countTraffic(stream, "send", c.over.c_str(), bytes, bytes);
}

static void countReceive(int32_t stream, const Communicator &c, int64_t bytes) {
  countTraffic(stream, "receive", c.over.c_str(), bytes, 0);
}

namespace {
/// The communicator of a transfer, and the peer's index in it.
struct Path {
  Communicator &comm;
  int peer;
};
} // namespace

static Path findPath(int32_t stream, int32_t stage, int32_t channel,
                     bool sends) {
  if (stream == PCC_COMPUTE_STREAM)
    return {stages(stage), stage};
  Communicator &found = transferChannel(stage, channel, sends);
  return {found, 1 - found.index};
}

void pcc_send_async(pcc_context *ctx, int32_t stream, int32_t stage,
                    int32_t channel, const void *buffer, int64_t bytes) {
  Path path = findPath(stream, stage, channel, /*sends=*/true);
  countSend(stream, path.comm, bytes);
  issue(ctx, stream, path.comm, "send", [&](CUstream on) {
    return nccl().ncclSend(buffer, bytes, ncclInt8, path.peer, path.comm.comm,
                           on);
  });
}

void pcc_recv_async(pcc_context *ctx, int32_t stream, int32_t stage,
                    int32_t channel, void *buffer, int64_t bytes) {
  Path path = findPath(stream, stage, channel, /*sends=*/false);
  countReceive(stream, path.comm, bytes);
  issue(ctx, stream, path.comm, "receive", [&](CUstream on) {
    return nccl().ncclRecv(buffer, bytes, ncclInt8, path.peer, path.comm.comm,
                           on);
  });
}

void pcc_send(pcc_context *ctx, int32_t stage, int32_t channel,
              const void *buffer, int64_t bytes) {
  pcc_send_async(ctx, PCC_COMPUTE_STREAM, stage, channel, buffer, bytes);
}

void pcc_recv(pcc_context *ctx, int32_t stage, int32_t channel, void *buffer,
              int64_t bytes) {
  pcc_recv_async(ctx, PCC_COMPUTE_STREAM, stage, channel, buffer, bytes);
}

// NOLINTBEGIN(readability-identifier-naming): as in Runtime.h.
void pcc_exchange(pcc_context *ctx, int32_t to_stage, int32_t, const void *send,
                  int64_t send_bytes, int32_t from_stage, int32_t, void *recv,
                  int64_t recv_bytes) {
  // NOLINTEND(readability-identifier-naming)
  Communicator &c = stages(to_stage);
  stages(from_stage);
  countReceive(PCC_COMPUTE_STREAM, c, recv_bytes);
  countSend(PCC_COMPUTE_STREAM, c, send_bytes);
  issue(ctx, PCC_COMPUTE_STREAM, c, "exchange", [&](CUstream on) {
    ncclResult_t result = nccl().ncclGroupStart();
    if (result == ncclSuccess)
      result =
          nccl().ncclRecv(recv, recv_bytes, ncclInt8, from_stage, c.comm, on);
    if (result == ncclSuccess)
      result =
          nccl().ncclSend(send, send_bytes, ncclInt8, to_stage, c.comm, on);
    ncclResult_t ended = nccl().ncclGroupEnd();
    return result == ncclSuccess ? ended : result;
  });
}
