//===- VerifyCommunicators.cpp - Who communicates on which stream ---------===//
//
// A communicator of a GPU does what it is given one after the other, whatever
// streams that is on, and only what is on one stream is in an order that
// programs know of. So each has one stream: that of a set of axes which the
// program lists as such has the compute stream, that which it lists beside
// those another one, and so has each way of messages, which is a sender, a
// receiver and a channel.
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

/// The first use of a communicator in a stage.
struct Use {
  Operation *op;
  int64_t stream;
};

/// Sender, receiver and channel.
using Way = std::tuple<int64_t, int64_t, int64_t>;

class CommunicatorVerifier {
public:
  LogicalResult verify(rt::StageOp stage, ArrayAttr listed);
  LogicalResult verifyWays();

private:
  LogicalResult use(std::map<Way, Use> &ends, Operation *op, Way way,
                    int64_t stream);

  std::map<Way, Use> sent, received;
};

} // namespace

static InFlightDiagnostic refuse(Operation *op, int64_t stream,
                                 const Use &other) {
  InFlightDiagnostic diag = op->emitOpError()
                            << "communicates on stream " << stream
                            << ", and by the same communicator on stream "
                            << other.stream;
  diag.attachNote(other.op->getLoc()) << "there";
  return diag;
}

LogicalResult CommunicatorVerifier::use(std::map<Way, Use> &ends, Operation *op,
                                        Way way, int64_t stream) {
  auto [known, isNew] = ends.insert({way, {op, stream}});
  if (isNew || known->second.stream == stream)
    return success();
  return refuse(op, stream, known->second);
}

LogicalResult CommunicatorVerifier::verify(rt::StageOp stage,
                                           ArrayAttr listed) {
  llvm::DenseMap<Attribute, Use> beside;
  int64_t own = stage.getIndex();
  WalkResult result = stage.walk([&](Operation *op) -> WalkResult {
    int64_t stream = rt::getStream(op);
    if (auto send = dyn_cast<rt::SendOp>(op))
      return use(sent, op,
                 {own, int64_t(send.getStage()), int64_t(send.getChannel())},
                 stream);
    if (auto recv = dyn_cast<rt::RecvOp>(op))
      return use(received, op,
                 {int64_t(recv.getStage()), own, int64_t(recv.getChannel())},
                 stream);
    if (auto both = dyn_cast<rt::ExchangeOp>(op)) {
      if (failed(use(
              sent, op,
              {own, int64_t(both.getToStage()), int64_t(both.getSendChannel())},
              stream)))
        return failure();
      return use(
          received, op,
          {int64_t(both.getFromStage()), own, int64_t(both.getRecvChannel())},
          stream);
    }
    if (stream == 0 || !rt::isCollective(op))
      return success();
    auto axes = op->getAttrOfType<ArrayAttr>("axes");
    if (!listed || !llvm::is_contained(listed, axes))
      return op->emitOpError()
             << "communicates over " << axes
             << " on a stream of its own, for which the program has no "
                "communicator";
    auto [known, isNew] = beside.insert({axes, {op, stream}});
    if (isNew || known->second.stream == stream)
      return success();
    return refuse(op, stream, known->second);
  });
  return failure(result.wasInterrupted());
}

LogicalResult CommunicatorVerifier::verifyWays() {
  for (auto &[way, sender] : sent) {
    auto receiver = received.find(way);
    if (receiver == received.end() ||
        (sender.stream == 0) == (receiver->second.stream == 0))
      continue;
    InFlightDiagnostic diag =
        sender.op->emitOpError()
        << "sends to stage " << std::get<1>(way) << " on channel "
        << std::get<2>(way) << " on "
        << (sender.stream ? "a stream of its own" : "the compute stream")
        << ", and is received on "
        << (sender.stream ? "the compute stream" : "a stream of its own");
    diag.attachNote(receiver->second.op->getLoc()) << "received here";
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
  return verifier.verifyWays();
}
