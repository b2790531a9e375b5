//===- Transfers.cpp - Transfers between stages, by halves ----------------===//

#include "dialects/Pipe/Transfers.h"

using namespace mlir;
using namespace pcc::pipe;

SmallVector<Half, 2> pcc::pipe::halvesOf(Operation *op) {
  auto half = [](bool isSend, StringRef value, uint64_t microbatch,
                 uint64_t peer, uint64_t channel) {
    return Half{isSend, value, static_cast<int64_t>(microbatch),
                static_cast<int64_t>(peer), static_cast<int64_t>(channel)};
  };
  if (auto send = dyn_cast<SendOp>(op))
    return {half(true, send.getValue(), send.getMicrobatch(), send.getStage(),
                 send.getChannel())};
  if (auto recv = dyn_cast<RecvOp>(op))
    return {half(false, recv.getValue(), recv.getMicrobatch(), recv.getStage(),
                 recv.getChannel())};
  if (auto both = dyn_cast<ExchangeOp>(op))
    return {half(true, both.getSent(), both.getSendMicrobatch(),
                 both.getSendStage(), both.getSendChannel()),
            half(false, both.getReceived(), both.getRecvMicrobatch(),
                 both.getRecvStage(), both.getRecvChannel())};
  return {};
}
