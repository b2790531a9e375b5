//===- LowerSchedule.cpp - Schedules as calls of tasks --------------------===//

#include "passes/Codegen/Lower/LowerSchedule.h"
#include "dialects/Pipe/Transfers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;

Schedules::Schedules(ModuleOp module, int64_t stage) : symbols(module) {
  for (auto schedule : module.getOps<pipe::ScheduleOp>()) {
    if (int64_t(schedule.getStage()) != stage)
      continue;
    entries.emplace_back().schedule = schedule;
    findInstances(entries.back());
  }
}

void Schedules::findInstances(Entry &entry) {
  unsigned position = 0;
  auto touch = [&](StringRef value, int64_t microbatch) {
    auto [it, isNew] =
        entry.byValue[value].try_emplace(microbatch, entry.instances.size());
    if (isNew)
      entry.instances.push_back({value, microbatch, position, position});
    entry.instances[it->second].last = position;
  };
  for (Operation &op : *entry.schedule.getBlock()) {
    if (auto run = dyn_cast<pipe::RunOp>(op)) {
      auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
      for (ArrayAttr bindings : {task.getSources(), task.getTargets()})
        for (Attribute binding : bindings)
          if (auto name = dyn_cast<FlatSymbolRefAttr>(binding);
              name && symbols.lookup<pipe::ValueOp>(name.getValue()))
            touch(name.getValue(), run.getMicrobatch().value_or(0));
    }
    for (const pipe::Half &half : pipe::halvesOf(&op))
      touch(half.value, half.microbatch);
    ++position;
  }
  // Instances are in the order of their first step; each takes the first slot
  // whose holder is dead.
  llvm::StringMap<SmallVector<unsigned>> freeFrom;
  for (Instance &instance : entry.instances) {
    SmallVector<unsigned> &free = freeFrom[instance.value];
    auto *slot = llvm::find_if(
        free, [&](unsigned from) { return from <= instance.first; });
    if (slot == free.end())
      slot = free.insert(free.end(), 0);
    *slot = instance.last + 1;
    instance.slot = slot - free.begin();
    int64_t &count = slots[instance.value];
    count = std::max<int64_t>(count, free.size());
  }
}

int64_t Schedules::getSlots(StringRef value) const {
  auto found = slots.find(value);
  return found == slots.end() ? 1 : found->second;
}

LogicalResult Schedules::lower(rt::StageOp stage) {
  for (Entry &entry : entries)
    if (failed(lowerEntry(entry, stage)))
      return failure();
  return success();
}

LogicalResult Schedules::lowerEntry(Entry &entry, rt::StageOp stage) {
  OpBuilder builder = OpBuilder::atBlockEnd(stage.getBlock());
  auto function = rt::FuncOp::create(
      builder, entry.schedule.getLoc(),
      rt::kEntries[static_cast<int>(entry.schedule.getEntry())]);
  builder.createBlock(&function.getBody());
  SymbolTable buffers(stage);

  auto address = [&](Location loc, StringRef symbol,
                     std::optional<uint64_t> microbatch) -> Value {
    auto buffer = buffers.lookup<rt::BufferOp>(symbol);
    int64_t slot = 0;
    if (buffer.getKind() == rt::BufferKind::Value)
      slot =
          entry.instances[entry.byValue[symbol].lookup(microbatch.value_or(0))]
              .slot;
    else if (buffer.getKind() == rt::BufferKind::Input && buffer.getSlots() > 1)
      slot = microbatch.value_or(0);
    return rt::AddressOp::create(builder, loc, buffer.getType(), symbol, slot);
  };
  for (Operation &op : *entry.schedule.getBlock()) {
    Location loc = op.getLoc();
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](pipe::RunOp run) {
          auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
          auto body = symbols.lookup<pipe::BodyOp>(task.getBody());
          SmallVector<Value> args;
          for (unsigned i = 0; i < task.getSources().size(); ++i)
            if (auto integer = task.getInteger(i))
              args.push_back(rt::ConstantOp::create(
                  builder, loc, MemRefType::get({}, builder.getI64Type()),
                  *integer));
            else
              args.push_back(
                  address(loc, task.getSource(i), run.getMicrobatch()));
          for (unsigned i = 0; i < task.getTargets().size(); ++i)
            if (!body.getReplaced(i))
              args.push_back(
                  address(loc, task.getTarget(i), run.getMicrobatch()));
          rt::CallOp::create(builder, loc, task.getBodyAttr(), args,
                             /*frame=*/FlatSymbolRefAttr());
        })
        .Case([&](pipe::SendOp send) {
          rt::SendOp::create(
              builder, loc, address(loc, send.getValue(), send.getMicrobatch()),
              send.getStage(), send.getChannel());
        })
        .Case([&](pipe::RecvOp recv) {
          rt::RecvOp::create(
              builder, loc, address(loc, recv.getValue(), recv.getMicrobatch()),
              recv.getStage(), recv.getChannel());
        })
        .Case([&](pipe::ExchangeOp both) {
          Value sent = address(loc, both.getSent(), both.getSendMicrobatch());
          Value received =
              address(loc, both.getReceived(), both.getRecvMicrobatch());
          rt::ExchangeOp::create(builder, loc, sent, both.getSendStage(),
                                 both.getSendChannel(), received,
                                 both.getRecvStage(), both.getRecvChannel());
        });
  }
  return success();
}
