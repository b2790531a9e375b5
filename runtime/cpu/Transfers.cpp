//===- Transfers.cpp - Sends and receives between stages ------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Trace.h"

#include <algorithm>

using namespace pcc;

static void checkStage(pcc_context *ctx, int32_t stage) {
  if (stage < 0 || stage >= static_cast<int32_t>(ctx->peers.size()) ||
      ctx->transfers == MPI_COMM_NULL)
    fail(ExitInternal, format("the program has no stage %d to talk to", stage));
}

// Both sides cut a message alike; pieces of one channel arrive in order.
static void post(pcc_context *ctx, int peer, int32_t channel, void *buffer,
                 int64_t bytes, bool sends,
                 std::vector<MPI_Request> &requests) {
  for (int64_t at = 0; at < bytes; at += greatestCount) {
    int n = static_cast<int>(std::min(greatestCount, bytes - at));
    char *piece = static_cast<char *>(buffer) + at;
    requests.emplace_back();
    checkMPI(sends ? MPI_Isend(piece, n, MPI_BYTE, peer, channel,
                               ctx->transfers, &requests.back())
                   : MPI_Irecv(piece, n, MPI_BYTE, peer, channel,
                               ctx->transfers, &requests.back()),
             sends ? "send" : "receive");
  }
}

static void wait(std::vector<MPI_Request> &requests, const char *what) {
  checkMPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(),
                       MPI_STATUSES_IGNORE),
           what);
}

void pcc_send(pcc_context *ctx, int32_t stage, int32_t channel,
              const void *buffer, int64_t bytes) {
  checkStage(ctx, stage);
  TraceSpan span(Track::Communication, "send", nullptr,
                 ctx->toStage[stage].c_str());
  span.note("bytes", bytes);
  std::vector<MPI_Request> requests;
  post(ctx, ctx->peers[stage], channel, const_cast<void *>(buffer), bytes,
       /*sends=*/true, requests);
  wait(requests, "send");
}

void pcc_recv(pcc_context *ctx, int32_t stage, int32_t channel, void *buffer,
              int64_t bytes) {
  checkStage(ctx, stage);
  TraceSpan span(Track::Communication, "receive", nullptr,
                 ctx->fromStage[stage].c_str());
  span.note("bytes", bytes);
  std::vector<MPI_Request> requests;
  post(ctx, ctx->peers[stage], channel, buffer, bytes, /*sends=*/false,
       requests);
  wait(requests, "receive");
}

// NOLINTBEGIN(readability-identifier-naming): as in Runtime.h.
void pcc_exchange(pcc_context *ctx, int32_t to_stage, int32_t send_channel,
                  const void *send, int64_t send_bytes, int32_t from_stage,
                  int32_t recv_channel, void *recv, int64_t recv_bytes) {
  // NOLINTEND(readability-identifier-naming)
  checkStage(ctx, to_stage);
  checkStage(ctx, from_stage);
  TraceSpan span(Track::Communication, "exchange", nullptr,
                 ctx->fromStage[from_stage].c_str());
  span.note("bytes", send_bytes);
  std::vector<MPI_Request> requests;
  post(ctx, ctx->peers[from_stage], recv_channel, recv, recv_bytes,
       /*sends=*/false, requests);
  post(ctx, ctx->peers[to_stage], send_channel, const_cast<void *>(send),
       send_bytes, /*sends=*/true, requests);
  wait(requests, "exchange");
}
