//===- Streams.cpp - Stream assignment ------------------------------------===//
//
// Sends, receives, and bodies that only communicate and accumulate the results,
// such as gradient reductions, leave the compute stream. Each direction of a
// channel has a stream, and so has each set of axes over which bodies
// communicate:
//
//     rt.send %x to 1 channel 0 ... stream 1
//     rt.recv %y from 1 channel 1 ... stream 2
//     rt.func @reduce.0.body ... { rt.all_reduce ... over ["dp"] stream 3 }
//     rt.fill %tokens ... stream 4
//
// All fills by the host are on one stream, the last.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Streams.h"
#include "passes/Codegen/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pcc {
#define GEN_PASS_DEF_RTSTREAMSPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// Whether a kernel adds the result of a reduce_scatter in the same body to a
/// caller's accumulator. This is needed if the library's collectives cannot
/// accumulate.
static bool accumulatesReduced(rt::LaunchOp launch) {
  auto isReduced = [&](Value in) {
    return llvm::any_of(in.getUsers(), [&](Operation *user) {
      auto scatter = dyn_cast<rt::ReduceScatterOp>(user);
      return scatter && scatter.getOutput() == in &&
             scatter->isBeforeInBlock(launch);
    });
  };
  std::optional<ArrayRef<int64_t>> inplace = launch.getInplace();
  return inplace && !llvm::is_contained(*inplace, -1) &&
         llvm::any_of(launch.getIns(), isReduced) &&
         llvm::all_of(launch.getIns(), [&](Value in) {
           return isReduced(in) || isa<BlockArgument>(in);
         });
}

/// Returns the axes over which a body communicates, if it does nothing else but
/// accumulate the results.
static ArrayAttr findCollectiveAxes(rt::FuncOp body) {
  ArrayAttr found;
  for (Operation &op : *body.getBlock()) {
    if (rt::getAccesses(&op).empty())
      continue;
    if (auto launch = dyn_cast<rt::LaunchOp>(op);
        launch && accumulatesReduced(launch))
      continue;
    if (!rt::isCollective(&op))
      return {};
    auto axes = op.getAttrOfType<ArrayAttr>("axes");
    if (rt::getStream(&op) != 0 || (found && found != axes))
      return {};
    found = axes;
  }
  return found;
}

static void setStream(Operation *op, int64_t stream) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<rt::SendOp, rt::RecvOp, rt::FillOp, rt::AllReduceOp,
            rt::AllGatherOp, rt::ReduceScatterOp, rt::AllToAllOp, rt::LaunchOp>(
          [&](auto op) { op.setStream(stream); });
}

std::set<TransferChannel> pcc::findExchanged(ModuleOp module) {
  std::set<TransferChannel> found;
  for (auto stage : module.getOps<rt::StageOp>())
    stage.walk([&](rt::ExchangeOp op) {
      int64_t own = stage.getIndex();
      found.insert({own, op.getToStage(), op.getSendChannel()});
      found.insert({op.getFromStage(), own, op.getRecvChannel()});
    });
  return found;
}

void pcc::assignStreams(rt::StageOp stage,
                        const std::set<TransferChannel> &exchanged) {
  // The channel, the peer stage, and whether it is a send.
  using End = std::tuple<int64_t, int64_t, bool>;
  llvm::MapVector<Operation *, End> ways;
  int64_t own = stage.getIndex();
  llvm::MapVector<Attribute, SmallVector<Operation *>> reductions;
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>()) {
    if (!function.isEntry()) {
      if (ArrayAttr axes = findCollectiveAxes(function))
        for (Operation &op : *function.getBlock())
          reductions[axes].push_back(&op);
      continue;
    }
    function.walk([&](Operation *op) {
      if (rt::getStream(op) != 0)
        return;
      if (auto send = dyn_cast<rt::SendOp>(op)) {
        if (!exchanged.count({own, send.getStage(), send.getChannel()}))
          ways[op] = {send.getChannel(), send.getStage(), true};
      } else if (auto recv = dyn_cast<rt::RecvOp>(op)) {
        if (!exchanged.count({recv.getStage(), own, recv.getChannel()}))
          ways[op] = {recv.getChannel(), recv.getStage(), false};
      }
    });
  }
  int64_t last = 0;
  stage.walk([&](Operation *op) { last = std::max(last, rt::getStream(op)); });
  std::set<End> sorted;
  for (auto &[op, way] : ways)
    sorted.insert(way);
  for (auto &[op, way] : ways)
    setStream(op, last + 1 + std::distance(sorted.begin(), sorted.find(way)));
  last += sorted.size();
  for (auto &[axes, ops] : reductions) {
    ++last;
    for (Operation *op : ops)
      setStream(op, last);
  }
  stage.walk([&](rt::FillOp fill) { fill.setStream(last + 1); });
}

void pcc::addCommunicators(rt::ProgramOp program) {
  llvm::SetVector<Attribute> beside;
  program->getParentOp()->walk([&](Operation *op) {
    if (rt::isCollective(op) && rt::getStream(op) != 0)
      beside.insert(op->getAttr("axes"));
  });
  if (!beside.empty())
    program.setBesideAttr(
        ArrayAttr::get(program.getContext(), beside.getArrayRef()));
}

namespace {

struct RTStreamsPass : pcc::impl::RTStreamsPassBase<RTStreamsPass> {
  void runOnOperation() override {
    std::set<TransferChannel> exchanged = findExchanged(getOperation());
    for (auto stage : getOperation().getOps<rt::StageOp>()) {
      if (!stage.getBlock()->getOps<rt::EventOp>().empty()) {
        stage.emitOpError("has events already");
        return signalPassFailure();
      }
      assignStreams(stage, exchanged);
      if (failed(orderStreams(stage)))
        return signalPassFailure();
    }
    for (auto program : getOperation().getOps<rt::ProgramOp>())
      addCommunicators(program);
  }
};

} // namespace
