//===- VerifyCommunicators.cpp - One stream per communicator --------------===//
//
// A GPU communicator executes its operations one after the other, even those of
// different streams, and only operations on one stream have a known order. So
// each communicator is used on one stream. A set of axes in `comms` has a
// communicator on the compute stream; a set in `beside` has another one on a
// communication stream. Each point-to-point channel (sender, receiver, number)
// on a communication stream has its own, too; the channels on the compute
// stream share one.
//
//     comms [["dp"]] beside [["dp"]]
//     rt.all_reduce sum %a over ["dp"]             the first one
//     rt.all_reduce sum %b over ["dp"] stream 3    the second one
//     rt.all_reduce sum %c over ["dp"] stream 4    an error
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyCommunicators.h"
#include <map>
#include <tuple>

using namespace mlir;
using namespace pcc;

namespace {

/// Sender, receiver and channel number.
using ChannelKey = std::tuple<int64_t, int64_t, int64_t>;

class CommunicatorVerifier {
public:
  LogicalResult verify(rt::StageOp stage, ArrayAttr listed);
  LogicalResult verifyChannels();

private:
  /// By point-to-point channel: the first op at either end.
  std::map<ChannelKey, Operation *> sent, received;
};

} // namespace

/// Checks a use of a communicator against the first one, which `uses` holds.
template <typename Key>
static LogicalResult use(std::map<Key, Operation *> &uses, Key key,
                         Operation *op) {
  Operation *other = uses.insert({key, op}).first->second;
  if (rt::getStream(op) == rt::getStream(other))
    return success();
  InFlightDiagnostic diag =
      op->emitOpError() << "uses a communicator on stream " << rt::getStream(op)
                        << " that is also used on stream "
                        << rt::getStream(other);
  diag.attachNote(other->getLoc()) << "used here";
  return diag;
}

LogicalResult CommunicatorVerifier::verify(rt::StageOp stage,
                                           ArrayAttr listed) {
  // By index in `listed`.
  std::map<int64_t, Operation *> beside;
  int64_t own = stage.getIndex();
  WalkResult result = stage.walk([&](Operation *op) -> WalkResult {
    if (auto send = dyn_cast<rt::SendOp>(op))
      return use(sent, ChannelKey(own, send.getStage(), send.getChannel()), op);
    if (auto recv = dyn_cast<rt::RecvOp>(op))
      return use(received, ChannelKey(recv.getStage(), own, recv.getChannel()),
                 op);
    if (auto both = dyn_cast<rt::ExchangeOp>(op)) {
      if (failed(use(sent,
                     ChannelKey(own, both.getToStage(), both.getSendChannel()),
                     op)))
        return failure();
      return use(received,
                 ChannelKey(both.getFromStage(), own, both.getRecvChannel()),
                 op);
    }
    if (rt::getStream(op) == 0 || !rt::isCollective(op))
      return success();
    auto axes = op->getAttrOfType<ArrayAttr>("axes");
    if (!listed || !llvm::is_contained(listed, axes))
      return op->emitOpError() << "communicates over " << axes
                               << " on a communication stream, but the program "
                                  "lists no communicator for that";
    return use(beside, int64_t(llvm::find(listed, axes) - listed.begin()), op);
  });
  return failure(result.wasInterrupted());
}

LogicalResult CommunicatorVerifier::verifyChannels() {
  for (auto &[way, sender] : sent) {
    auto receiver = received.find(way);
    bool isBeside = rt::getStream(sender) != 0;
    if (receiver == received.end() ||
        isBeside == (rt::getStream(receiver->second) != 0))
      continue;
    InFlightDiagnostic diag =
        sender->emitOpError()
        << "sends to stage " << std::get<1>(way) << " on channel "
        << std::get<2>(way) << " on "
        << (isBeside ? "a communication stream" : "the compute stream")
        << ", but is received on "
        << (isBeside ? "the compute stream" : "a communication stream");
    diag.attachNote(receiver->second->getLoc()) << "received here";
    return diag;
  }
  return success();
}

LogicalResult pcc::verifyCommunicators(ModuleOp module) {
  ArrayAttr listed;
  for (auto program : module.getOps<rt::ProgramOp>())
    listed = program.getBesideAttr();
  CommunicatorVerifier verifier;
  for (auto stage : module.getOps<rt::StageOp>())
    if (failed(verifier.verify(stage, listed)))
      return failure();
  return verifier.verifyChannels();
}
