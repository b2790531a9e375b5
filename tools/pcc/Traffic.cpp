//===- Traffic.cpp - Communication of a step ------------------------------===//

#include "tools/pcc/Traffic.h"
#include "tools/pcc/Step.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;

namespace {

class TrafficCounter {
public:
  explicit TrafficCounter(rt::StageOp stage)
      : program(*cast<ModuleOp>(stage->getParentOp())
                     .getOps<rt::ProgramOp>()
                     .begin()) {}

  void count(Operation *each, int64_t times);

  TrafficTable table;

private:
  void add(Operation *op, StringRef name, StringRef over, int64_t bytes,
           int64_t sent, int64_t times);
  void addCollective(Operation *op, ArrayAttr axes, int64_t times);
  void addTransfer(Operation *op, Value buffer, bool isSend, int64_t times);

  rt::ProgramOp program;
};

} // namespace

static int64_t messageBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.getNumElements() * rt::getElementBytes(type.getElementType());
}

void TrafficCounter::add(Operation *op, StringRef name, StringRef over,
                         int64_t bytes, int64_t sent, int64_t times) {
  Traffic &kind = table[{rt::getStream(op), (name + " over" + over).str()}];
  kind.count += times;
  kind.bytes += bytes * times;
  kind.sent += sent * times;
}

void TrafficCounter::addCollective(Operation *op, ArrayAttr axes,
                                   int64_t times) {
  int64_t ranks = 1;
  std::string over;
  for (auto axis : axes.getAsValueRange<StringAttr>()) {
    ranks *= program.getAxisSize(axis);
    over += (" " + axis).str();
  }
  if (ranks == 1)
    return;
  // The bytes of one rank's block; for an all_reduce, those of the buffers.
  int64_t bytes =
      llvm::TypeSwitch<Operation *, int64_t>(op)
          .Case([](rt::AllReduceOp reduce) { return reduce.getBytes(); })
          .Case([](rt::AllGatherOp gather) {
            return messageBytes(gather.getInput());
          })
          .Case([](rt::ReduceScatterOp scatter) {
            return messageBytes(scatter.getOutput());
          })
          .Case([&](rt::AllToAllOp exchange) {
            return messageBytes(exchange.getInput()) / ranks;
          });
  int64_t sent = isa<rt::AllReduceOp>(op) ? 2 * (ranks - 1) * bytes / ranks
                                          : (ranks - 1) * bytes;
  add(op, op->getName().stripDialect(), over, bytes, sent, times);
}

void TrafficCounter::addTransfer(Operation *op, Value buffer, bool isSend,
                                 int64_t times) {
  int64_t bytes = messageBytes(buffer);
  dist::MeshAxesAttr axes = program.getAxes();
  for (auto [name, role] : llvm::zip(axes.getNames(), axes.getRoles()))
    if (role == dist::AxisRole::Pipeline)
      add(op, isSend ? "send" : "receive", (" " + name.getValue()).str(), bytes,
          isSend ? bytes : 0, times);
}

void TrafficCounter::count(Operation *each, int64_t times) {
  llvm::TypeSwitch<Operation *>(each)
      .Case<rt::AllReduceOp, rt::AllGatherOp, rt::ReduceScatterOp,
            rt::AllToAllOp>(
          [&](auto op) { addCollective(op, op.getAxes(), times); })
      .Case([&](rt::SendOp op) {
        addTransfer(op, op.getBuffer(), /*isSend=*/true, times);
      })
      .Case([&](rt::RecvOp op) {
        addTransfer(op, op.getBuffer(), /*isSend=*/false, times);
      })
      .Case([&](rt::ExchangeOp op) {
        addTransfer(op, op.getSent(), /*isSend=*/true, times);
        addTransfer(op, op.getReceived(), /*isSend=*/false, times);
      });
}

TrafficTable pcc::trafficOf(rt::StageOp stage) {
  TrafficCounter counter(stage);
  forEachInStep(
      stage, [&](Operation *op, int64_t times) { counter.count(op, times); });
  return std::move(counter.table);
}
