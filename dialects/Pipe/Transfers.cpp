//===- Transfers.cpp - The two halves of a stage-to-stage transfer --------===//

#include "dialects/Pipe/Transfers.h"

using namespace mlir;
using namespace pcc::pipe;

SmallVector<Half, 2> pcc::pipe::halvesOf(Operation *op, int64_t variable) {
  auto half = [&](bool isSend, StringRef value, Value loop, int64_t microbatch,
                  int64_t peer, int64_t channel) {
    return Half{isSend, value, microbatch + (loop ? variable : 0), peer,
                channel};
  };
  if (auto send = dyn_cast<SendOp>(op))
    return {half(true, send.getValue(), send.getLoop(), send.getMicrobatch(),
                 send.getStage(), send.getChannel())};
  if (auto recv = dyn_cast<RecvOp>(op))
    return {half(false, recv.getValue(), recv.getLoop(), recv.getMicrobatch(),
                 recv.getStage(), recv.getChannel())};
  if (auto both = dyn_cast<ExchangeOp>(op))
    return {half(true, both.getSent(), both.getSendLoop(),
                 both.getSendMicrobatch(), both.getSendStage(),
                 both.getSendChannel()),
            half(false, both.getReceived(), both.getRecvLoop(),
                 both.getRecvMicrobatch(), both.getRecvStage(),
                 both.getRecvChannel())};
  return {};
}
