//===- Transfers.cpp - Sends and receives between stages ------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/host/Traffic.h"
#include "runtime/support/Error.h"

#include <vector>

using namespace pcc;

static void checkStage(pcc_context *ctx, int32_t stage) {
  if (stage < 0 || stage >= static_cast<int32_t>(ctx->peers.size()) ||
      !communication::transport())
    fail(ExitInternal,
         format("the program has no stage %d to communicate with", stage));
}

namespace {
/// A transfer to or from another stage.
struct Transfer {
  int32_t stage, channel;
  char *buffer;
  int64_t bytes;
  bool sends;
};
} // namespace

/// Posts some transfers together; progress reports name the first one's stage.
static void transfer(pcc_context *ctx, int32_t stream, const char *name,
                     const std::vector<Transfer> &transfers) {
  auto request = std::make_unique<Request>();
  int64_t bytes = 0;
  std::vector<Message> messages;
  for (const Transfer &one : transfers) {
    checkStage(ctx, one.stage);
    int peer = ctx->peers[one.stage];
    uint64_t index =
        request->addTo(ctx->channels[{peer, one.channel, one.sends}]);
    messages.push_back(
        {peer, one.channel, one.buffer, one.bytes, one.sends, index});
    countTraffic(stream, one.sends ? "send" : "receive",
                 ctx->overStages.c_str(), one.bytes, one.sends ? one.bytes : 0);
    bytes += one.bytes;
    request->accesses.push_back({one.buffer, one.bytes, /*writes=*/!one.sends});
  }
  const Transfer &first = transfers.front();
  request->name = name;
  request->detail =
      (first.sends ? ctx->toStage : ctx->fromStage)[first.stage].c_str();
  communication::transport()->transfer(*request, messages);
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
