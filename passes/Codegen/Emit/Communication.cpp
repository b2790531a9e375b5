//===- Communication.cpp - Collectives and transfers of a program ---------===//

#include "passes/Codegen/Emit/Communication.h"
#include "analysis/ElementTypes.h"
#include "runtime/Runtime.h"
#include "runtime/Workspace.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

/// Collectives of at most this many elements need one channel only.
static constexpr int64_t kSmallElements = 8192;

static auto keyOf(const pcc_collective &collective) {
  return std::tie(collective.comm, collective.kind, collective.dtype,
                  collective.reduction, collective.count);
}

std::optional<pcc_collective>
codegen::describeCollective(Operation *op, rt::ProgramOp program) {
  auto make = [&](ArrayAttr axes, int32_t kind, Value buffer, int32_t reduction,
                  int64_t count) -> pcc_collective {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    auto comm =
        static_cast<int32_t>(program.getCommIndex(axes, rt::getStream(op)));
    return {comm, kind, analysis::dtypeOf(element), reduction, count};
  };
  auto elements = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements();
  };
  return llvm::TypeSwitch<Operation *, std::optional<pcc_collective>>(op)
      .Case([&](rt::AllReduceOp reduce) {
        Value first = reduce.getBuffers()[0];
        Type element = cast<MemRefType>(first.getType()).getElementType();
        bool isMax = reduce.getReduction() == rt::Reduction::Max;
        return make(reduce.getAxes(), PCC_ALL_REDUCE, first,
                    isMax ? PCC_MAX : PCC_SUM,
                    reduce.getBytes() / rt::getElementBytes(element));
      })
      .Case([&](rt::AllGatherOp gather) {
        return make(gather.getAxes(), PCC_ALL_GATHER, gather.getInput(),
                    PCC_SUM, elements(gather.getInput()));
      })
      .Case([&](rt::ReduceScatterOp scatter) {
        return make(scatter.getAxes(), PCC_REDUCE_SCATTER, scatter.getOutput(),
                    PCC_SUM, elements(scatter.getOutput()));
      })
      .Default([](Operation *) { return std::nullopt; });
}

Communication::Communication(ModuleOp module) {
  auto programs = module.getOps<rt::ProgramOp>();
  if (programs.empty())
    return;
  rt::ProgramOp program = *programs.begin();
  for (ArrayAttr axes : program.getAllComms()) {
    Use use;
    for (Attribute axis : axes)
      use.ranks *= program.getAxisSize(cast<StringAttr>(axis).getValue());
    uses.push_back(use);
  }
  for (auto stage : module.getOps<rt::StageOp>())
    collect(stage, program);
}

void Communication::collect(rt::StageOp stage, rt::ProgramOp program) {
  auto addTransfer = [&](int64_t to, int64_t channel, bool isOverlapped) {
    transfers.insert({int32_t(stage.getIndex()), int32_t(to), int32_t(channel),
                      isOverlapped});
  };
  stage.walk([&](Operation *op) {
    if (auto send = dyn_cast<rt::SendOp>(op))
      addTransfer(send.getStage(), send.getChannel(), rt::getStream(op) != 0);
    else if (auto both = dyn_cast<rt::ExchangeOp>(op))
      addTransfer(both.getToStage(), both.getSendChannel(), false);
    else if (auto exchange = dyn_cast<rt::AllToAllOp>(op))
      uses[program.getCommIndex(exchange.getAxes(), rt::getStream(op))]
          .exchanges = true;
  });
  addCollectives(stage, program);
  for (const pcc_collective &collective : collectivesOf(stage)) {
    Use &use = uses[collective.comm];
    int64_t blocks = collective.kind == PCC_ALL_REDUCE ? 1 : use.ranks;
    use.greatest = std::max(use.greatest, collective.count * blocks);
  }
}

void Communication::addCollectives(rt::StageOp stage, rt::ProgramOp program) {
  std::vector<pcc_collective> &all = collectives[stage.getIndex()];
  stage.walk([&](Operation *op) {
    std::optional<pcc_collective> found = describeCollective(op, program);
    if (found && uses[found->comm].ranks > 1)
      all.push_back(*found);
  });
  llvm::sort(all, [](const pcc_collective &a, const pcc_collective &b) {
    return keyOf(a) < keyOf(b);
  });
  all.erase(llvm::unique(all,
                         [](const pcc_collective &a, const pcc_collective &b) {
                           return keyOf(a) == keyOf(b);
                         }),
            all.end());
}

int32_t Communication::channelsOf(size_t comm) const {
  const Use &use = uses[comm];
  if (use.exchanges)
    return PCC_EXCHANGE_CHANNELS;
  return use.greatest > kSmallElements ? PCC_CHANNELS : 1;
}

int64_t Communication::bytesOn(rt::StageOp stage) const {
  std::set<size_t> collecting, reducing;
  for (const pcc_collective &op : collectivesOf(stage)) {
    collecting.insert(op.comm);
    if (op.kind == PCC_ALL_REDUCE)
      reducing.insert(op.comm);
  }
  int64_t bytes = 0, communicators = 0;
  for (auto [comm, use] : llvm::enumerate(uses)) {
    if (use.ranks == 1)
      continue;
    ++communicators;
    int64_t peers = use.ranks - 1, connected = 0;
    // A ring receives from one peer and sends to one. Within a host, the tree
    // of an all_reduce is a chain: both neighbors, in both directions.
    if (collecting.count(comm))
      connected = std::min<int64_t>(peers, reducing.count(comm) ? 2 : 1);
    if (use.exchanges)
      connected += peers;
    bytes += connected * channelsOf(comm) * PCC_NEIGHBOR_BYTES;
  }
  bool sharesOne = false;
  for (const StageTransfer &transfer : transfers) {
    auto own = static_cast<int32_t>(stage.getIndex());
    if (transfer.from != own && transfer.to != own)
      continue;
    communicators += transfer.isOverlapped;
    sharesOne |= !transfer.isOverlapped;
    bytes += int64_t(PCC_TRANSFER_CHANNELS) *
             (transfer.to == own ? PCC_RECEIVE_BYTES : PCC_SEND_BYTES);
  }
  communicators += sharesOne;
  return bytes + communicators * PCC_COMMUNICATOR_BYTES;
}
