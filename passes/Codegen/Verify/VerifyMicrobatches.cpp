//===- VerifyMicrobatches.cpp - Checks the microbatch of values -----------===//
//
// The byte check shows which buffer wrote a slot, not for which microbatch. An
// address names the microbatch; its slot is that number modulo the slots:
//
//     %x = rt.address @x slot %m + 1      // of 2: holds microbatch %m + 1
//     rt.call @forward.0(%w, %x, %y)      // %y must be for %m + 1, too
//     rt.send %y to 1 channel 0           // matches a recv for %m + 1
//
// An entry point that reads an input reads it for all microbatches; if it reads
// a received value at all, it reads every instance. The host fills refilled
// inputs once for each microbatch, in order.
//
// All iterations of a loop are run: each is a few numbers for each call, which
// are looked up once.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyMicrobatches.h"
#include "passes/Codegen/Verify/ArgumentUses.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <numeric>

using namespace mlir;
using namespace pcc;

namespace {

/// A point-to-point channel between two stages in an entry point.
struct Channel {
  int64_t from, to, number;
  StringRef entry;

  bool operator==(const Channel &other) const {
    return from == other.from && to == other.to && number == other.number &&
           entry == other.entry;
  }
};

/// A transfer and its microbatch; -1 for none.
struct Transfer {
  Operation *op;
  int64_t microbatch;
};

/// The transfers of a channel, in order.
struct Transfers {
  Channel channel;
  std::vector<Transfer> sent, received;
};

/// All channels, in the order of their first transfer.
class TransferTable {
public:
  Transfers &operator[](const Channel &channel) {
    std::string key = (Twine(channel.from) + " " + Twine(channel.to) + " " +
                       Twine(channel.number) + " " + channel.entry)
                          .str();
    auto [it, isNew] = numbers.try_emplace(key, all.size());
    if (isNew)
      all.push_back({channel, {}, {}});
    return all[it->second];
  }
  std::vector<Transfers> all;

private:
  llvm::StringMap<size_t> numbers;
};

/// By slot of a buffer: the microbatch of its contents; -1: none yet.
using Slots = SmallVector<int64_t, 2>;

/// By slot of a value: the receive whose data was not read yet.
struct Received {
  SmallVector<Operation *, 2> slots;
  /// Whether any data was read, and the first receive whose data is not.
  bool isUsed = false;
  Operation *lost = nullptr;
  int64_t microbatch = -1;

  void lose(Operation *op, int64_t of) {
    if (!lost)
      microbatch = of;
    lost = lost ? lost : op;
  }
};

/// A buffer operand of an op in an entry point, independent of iterations.
struct SlotRef {
  rt::AddressOp address;
  /// Null for a buffer without microbatches.
  Slots *slots;
  /// The address's number, and whether the loop's variable is added to it.
  int64_t microbatch = -1;
  bool isRelative = false;

  /// Returns the microbatch in the iteration at `variable`; -1 if the buffer
  /// has none.
  int64_t at(int64_t variable) const {
    return slots ? microbatch + (isRelative ? variable : 0) : -1;
  }
  /// Returns the slot of that microbatch.
  int64_t slotAt(int64_t variable) const {
    int64_t count = slots->size();
    return ((at(variable) % count) + count) % count;
  }
  /// Returns the microbatch that this slot holds.
  int64_t &held(int64_t variable) const { return (*slots)[slotAt(variable)]; }
};

/// One end of a transfer.
struct End {
  SlotRef place;
  Channel channel;
  bool isSend;
};

/// An op of an entry point, analyzed once for all iterations of its loop.
struct Step {
  Operation *op;
  /// Of a call: the operands, which must all be of one microbatch.
  SmallVector<SlotRef, 4> together;
  SmallVector<SlotRef, 4> reads, writes;
  SmallVector<End, 2> ends;
  /// Of a loop: its body.
  std::vector<Step> turn;
};

class StageRun {
public:
  /// `microbatches`: microbatches of a step; 0 without an rt.program.
  StageRun(rt::StageOp stage, TransferTable &transfers, int64_t microbatches);
  LogicalResult verify();

private:
  std::vector<Step> collect(Block &ops);
  void collect(rt::CallOp op, Step &step);
  SlotRef slotRefOf(Value value);
  LogicalResult run(ArrayRef<Step> steps);
  LogicalResult run(const Step &step);
  LogicalResult fill(rt::FillOp op, const SlotRef &place);
  LogicalResult checkInputs();
  LogicalResult checkReceived();
  ArrayRef<ArgumentUse> usesOf(StringRef function);

  rt::StageOp stage;
  TransferTable &transfers;
  int64_t microbatches;
  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  llvm::StringMap<SmallVector<ArgumentUse>> uses;
  rt::FuncOp entry;
  /// The variable of the current loop.
  int64_t variable = 0;
  /// By buffer that has microbatches: the contents of its slots.
  llvm::StringMap<Slots> held;
  /// By entry of `held`: of an input, the microbatches that were read.
  DenseMap<const Slots *, llvm::BitVector> seen;
  /// Likewise: how many microbatches were filled, from the first on.
  DenseMap<const Slots *, int64_t> filled;
  /// Likewise: of a value, the received data.
  DenseMap<const Slots *, Received> received;
};

} // namespace

StageRun::StageRun(rt::StageOp stage, TransferTable &transfers,
                   int64_t microbatches)
    : stage(stage), transfers(transfers), microbatches(microbatches) {
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    buffers[buffer.getSymName()] = buffer;
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    functions[function.getSymName()] = function;
}

SlotRef StageRun::slotRefOf(Value value) {
  auto address = rt::getViewedBuffer(value).getDefiningOp<rt::AddressOp>();
  if (!address)
    return {nullptr, nullptr};
  auto slots = held.find(address.getBuffer());
  return {address, slots == held.end() ? nullptr : &slots->second,
          int64_t(address.getSlot()), bool(address.getLoop())};
}

ArrayRef<ArgumentUse> StageRun::usesOf(StringRef name) {
  auto [it, isNew] = uses.try_emplace(name);
  if (isNew)
    it->second = findArgumentUses(functions.lookup(name));
  return it->second;
}

void StageRun::collect(rt::CallOp op, Step &step) {
  ArrayRef<ArgumentUse> uses = usesOf(op.getCallee());
  for (auto [value, use] : llvm::zip(op.getArgs(), uses)) {
    SlotRef place = slotRefOf(value);
    if (!place.slots)
      continue;
    step.together.push_back(place);
    if (use.isRead)
      step.reads.push_back(place);
    if (use.isWritten)
      step.writes.push_back(place);
  }
}

std::vector<Step> StageRun::collect(Block &ops) {
  std::vector<Step> steps;
  int64_t own = stage.getIndex();
  StringRef name = entry.getSymName();
  for (Operation &op : ops) {
    Step step;
    step.op = &op;
    auto send = [&](Value buffer, int64_t to, int64_t channel) {
      step.ends.push_back(
          {slotRefOf(buffer), {own, to, channel, name}, /*isSend=*/true});
    };
    auto receive = [&](Value buffer, int64_t from, int64_t channel) {
      step.ends.push_back(
          {slotRefOf(buffer), {from, own, channel, name}, /*isSend=*/false});
    };
    if (auto loop = dyn_cast<rt::ForOp>(op)) {
      step.turn = collect(*loop.getBlock());
    } else if (auto call = dyn_cast<rt::CallOp>(op)) {
      collect(call, step);
    } else {
      for (const rt::Access &access : rt::getAccesses(&op))
        if (SlotRef place = slotRefOf(access.buffer); place.slots)
          (access.isWrite ? step.writes : step.reads).push_back(place);
    }
    if (auto one = dyn_cast<rt::SendOp>(op)) {
      send(one.getBuffer(), one.getStage(), one.getChannel());
    } else if (auto one = dyn_cast<rt::RecvOp>(op)) {
      receive(one.getBuffer(), one.getStage(), one.getChannel());
    } else if (auto both = dyn_cast<rt::ExchangeOp>(op)) {
      send(both.getSent(), both.getToStage(), both.getSendChannel());
      receive(both.getReceived(), both.getFromStage(), both.getRecvChannel());
    }
    if (!step.reads.empty() || !step.writes.empty() || !step.ends.empty() ||
        !step.together.empty() || !step.turn.empty())
      steps.push_back(std::move(step));
  }
  return steps;
}

LogicalResult StageRun::run(const Step &step) {
  for (const SlotRef &place : step.together) {
    const SlotRef &first = step.together.front();
    if (place.at(variable) == first.at(variable))
      continue;
    return step.op->emitOpError()
           << "takes @" << rt::AddressOp(first.address).getBuffer()
           << " of microbatch " << first.at(variable) << " and @"
           << rt::AddressOp(place.address).getBuffer() << " of microbatch "
           << place.at(variable);
  }
  for (const SlotRef &place : step.reads) {
    int64_t holds = place.held(variable);
    // An unwritten slot is an error of the byte check.
    if (holds < 0 || holds == place.at(variable))
      continue;
    return step.op->emitOpError()
           << "reads @" << rt::AddressOp(place.address).getBuffer()
           << " of microbatch " << place.at(variable)
           << ", but it holds microbatch " << holds;
  }
  for (const SlotRef &place : step.reads)
    if (auto input = seen.find(place.slots); input != seen.end()) {
      int64_t microbatch = place.at(variable);
      if (microbatch >= int64_t(input->second.size()))
        return step.op->emitOpError()
               << "reads @" << rt::AddressOp(place.address).getBuffer()
               << " of microbatch " << microbatch << ", but there are "
               << input->second.size();
      input->second.set(microbatch);
    }
  if (auto op = dyn_cast<rt::FillOp>(step.op))
    if (failed(fill(op, step.writes.front())))
      return failure();
  for (const SlotRef &place : step.reads)
    if (auto value = received.find(place.slots); value != received.end()) {
      value->second.isUsed = true;
      value->second.slots[place.slotAt(variable)] = nullptr;
    }
  for (const SlotRef &place : step.writes) {
    if (auto value = received.find(place.slots); value != received.end()) {
      Operation *&slot = value->second.slots[place.slotAt(variable)];
      if (slot)
        value->second.lose(slot, place.held(variable));
      slot = isa<rt::RecvOp, rt::ExchangeOp>(step.op) ? step.op : nullptr;
    }
    place.held(variable) = place.at(variable);
  }
  for (const End &end : step.ends) {
    Transfers &table = transfers[end.channel];
    (end.isSend ? table.sent : table.received)
        .push_back({step.op, end.place.at(variable)});
  }
  return success();
}

LogicalResult StageRun::run(ArrayRef<Step> steps) {
  for (const Step &step : steps) {
    if (auto loop = dyn_cast<rt::ForOp>(step.op)) {
      for (variable = loop.getBegin(); variable < int64_t(loop.getEnd());
           ++variable)
        if (failed(run(step.turn)))
          return failure();
      variable = 0;
    } else if (failed(run(step))) {
      return failure();
    }
  }
  return success();
}

LogicalResult StageRun::fill(rt::FillOp op, const SlotRef &place) {
  int64_t microbatch = place.at(variable);
  int64_t &next = filled[place.slots];
  // A loop may request one microbatch more than the step has; the runtime fills
  // nothing for it.
  if (microbatch != next || (microbatches && next > microbatches))
    return op.emitOpError()
           << "fills @" << rt::AddressOp(place.address).getBuffer()
           << " for microbatch " << microbatch << ", but the next one is "
           << next << " of " << microbatches;
  ++next;
  return success();
}

LogicalResult StageRun::checkInputs() {
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    auto slots = held.find(buffer.getSymName());
    auto input = slots == held.end() ? seen.end() : seen.find(&slots->second);
    if (input == seen.end() || input->second.none() || input->second.all())
      continue;
    return entry.emitOpError()
           << "reads the input @" << buffer.getSymName() << " of "
           << input->second.count() << " of " << input->second.size()
           << " microbatches, not of microbatch "
           << input->second.find_first_unset();
  }
  return success();
}

LogicalResult StageRun::checkReceived() {
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    auto slots = held.find(buffer.getSymName());
    auto value =
        slots == held.end() ? received.end() : received.find(&slots->second);
    if (value == received.end() || !value->second.isUsed)
      continue;
    for (auto [i, op] : llvm::enumerate(value->second.slots))
      if (op)
        value->second.lose(op, slots->second[i]);
    if (Operation *lost = value->second.lost)
      return lost->emitOpError()
             << "receives @" << buffer.getSymName() << " of microbatch "
             << value->second.microbatch << ", which nothing uses";
  }
  return success();
}

LogicalResult StageRun::verify() {
  for (StringRef name : rt::kEntries) {
    entry = functions.lookup(name);
    if (!entry)
      continue;
    held.clear();
    seen.clear();
    filled.clear();
    received.clear();
    for (auto &[symbol, buffer] : buffers) {
      int64_t slots = buffer.getSlots();
      if (buffer.getKind() == rt::BufferKind::Value) {
        held[symbol].assign(slots, -1);
        received[&held[symbol]].slots.assign(slots, nullptr);
      } else if (buffer.getRefilled()) {
        held[symbol].assign(slots, -1);
        if (microbatches)
          seen[&held[symbol]].resize(microbatches);
      } else if (buffer.getKind() == rt::BufferKind::Input && slots > 1) {
        held[symbol].resize(slots);
        std::iota(held[symbol].begin(), held[symbol].end(), 0);
        seen[&held[symbol]].resize(slots);
      }
    }
    if (failed(run(collect(*entry.getBlock()))) || failed(checkInputs()) ||
        failed(checkReceived()))
      return failure();
  }
  return success();
}

LogicalResult pcc::verifyMicrobatches(ModuleOp module) {
  TransferTable transfers;
  int64_t microbatches = 0;
  for (auto program : module.getOps<rt::ProgramOp>())
    microbatches = program.getMicrobatches();
  for (auto stage : module.getOps<rt::StageOp>())
    if (failed(StageRun(stage, transfers, microbatches).verify()))
      return failure();
  for (const Transfers &table : transfers.all)
    for (auto [send, recv] : llvm::zip(table.sent, table.received)) {
      // An end without a microbatch matches any.
      if (send.microbatch == recv.microbatch || send.microbatch < 0 ||
          recv.microbatch < 0)
        continue;
      InFlightDiagnostic diag = send.op->emitOpError()
                                << "sends microbatch " << send.microbatch
                                << " to stage " << table.channel.to
                                << " over channel " << table.channel.number;
      diag.attachNote(recv.op->getLoc())
          << "there it is received as microbatch " << recv.microbatch;
      return diag;
    }
  return success();
}
