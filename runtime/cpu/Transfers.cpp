//===- Transfers.cpp - Sends and receives between stages ------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/host/Traffic.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <vector>

using namespace pcc;

static void checkStage(pcc_context *ctx, int32_t stage) {
  if (stage < 0 || stage >= static_cast<int32_t>(ctx->peers.size()) ||
      ctx->transfers == MPI_COMM_NULL)
    fail(ExitInternal,
         format("the program has no stage %d to communicate with", stage));
}

namespace {
/// A transfer to or from another stage.
struct Message {
  int32_t stage, channel;
  char *buffer;
  int64_t bytes;
  bool sends;
};
} // namespace

// Both sides divide a transfer in the same way; pieces of one channel arrive in
// order.
static void post(pcc_context *ctx, const Message &message, Posted &posted) {
  int peer = ctx->peers[message.stage];
  for (int64_t at = 0; at < message.bytes; at += greatestCount) {
    int n = static_cast<int>(std::min(greatestCount, message.bytes - at));
    char *piece = message.buffer + at;
    posted.emplace_back();
    checkMPI(message.sends
                 ? MPI_Isend(piece, n, MPI_BYTE, peer, message.channel,
                             ctx->transfers, &posted.back())
                 : MPI_Irecv(piece, n, MPI_BYTE, peer, message.channel,
                             ctx->transfers, &posted.back()),
             message.sends ? "send" : "receive");
  }
}

/// Posts some transfers together; progress reports name the first one's stage.
static void transfer(pcc_context *ctx, int32_t stream, const char *name,
                     const std::vector<Message> &messages) {
  auto request = std::make_unique<Request>();
  int64_t bytes = 0;
  for (const Message &message : messages) {
    checkStage(ctx, message.stage);
    request->addTo(ctx->channels[{ctx->peers[message.stage], message.channel,
                                  message.sends}]);
    countTraffic(stream, message.sends ? "send" : "receive",
                 ctx->overStages.c_str(), message.bytes,
                 message.sends ? message.bytes : 0);
    bytes += message.bytes;
    request->accesses.push_back(
        {message.buffer, message.bytes, /*writes=*/!message.sends});
  }
  const Message &first = messages.front();
  request->name = name;
  request->detail =
      (first.sends ? ctx->toStage : ctx->fromStage)[first.stage].c_str();
  request->post = [ctx, messages](int64_t, int phase, int, Posted &posted) {
    if (phase == 0)
      for (const Message &message : messages)
        post(ctx, message, posted);
    return phase == 0;
  };
  keepLaunchOrder(ctx, *request);
  issueOn(ctx, stream, std::move(request), bytes);
}

void pcc_send_async(pcc_context *ctx, int32_t stream, int32_t stage,
                    int32_t channel, const void *buffer, int64_t bytes) {
  transfer(ctx, stream, "send", {{stage, channel, reach(buffer), bytes, true}});
}

void pcc_recv_async(pcc_context *ctx, int32_t stream, int32_t stage,
                    int32_t channel, void *buffer, int64_t bytes) {
  transfer(ctx, stream, "receive",
           {{stage, channel, reach(buffer), bytes, false}});
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
void pcc_exchange(pcc_context *ctx, int32_t to_stage, int32_t send_channel,
                  const void *send, int64_t send_bytes, int32_t from_stage,
                  int32_t recv_channel, void *recv, int64_t recv_bytes) {
  // NOLINTEND(readability-identifier-naming)
  transfer(ctx, PCC_COMPUTE_STREAM, "exchange",
           {{from_stage, recv_channel, reach(recv), recv_bytes, false},
            {to_stage, send_channel, reach(send), send_bytes, true}});
}
