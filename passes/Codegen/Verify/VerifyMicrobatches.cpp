//===- VerifyMicrobatches.cpp - Is each value of its microbatch? ----------===//
//
// That a slot holds what its buffer last wrote there does not say for which
// microbatch that was. An address names the microbatch, whose slot is the
// number modulo the slots:
//
//     %x = rt.address @x slot %m + 1      // of 2: holds microbatch %m + 1
//     rt.call @forward.0(%w, %x, %y)      // %y is for %m + 1, too
//     rt.send %y to 1 channel 0           // and meets a recv for %m + 1
//
// Every turn of a loop is run: it is a few numbers for each call.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyMicrobatches.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;

namespace {

/// Of a function's argument.
struct Use {
  /// Whether what was there before the call is read, and whether it is written.
  bool isRead = false, isWritten = false;
};

/// What one stage sends to another, or receives, over one channel in an entry.
struct Channel {
  int64_t from, to, number;
  StringRef entry;

  bool operator==(const Channel &other) const {
    return from == other.from && to == other.to && number == other.number &&
           entry == other.entry;
  }
};

/// A transfer, and for which microbatch it is; -1 for none.
struct Transfer {
  Operation *op;
  int64_t microbatch;
};

/// The transfers of a channel, in order.
struct Transfers {
  Channel channel;
  std::vector<Transfer> sent, received;
};

/// In the order of the first transfer.
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

class StageRun {
public:
  StageRun(rt::StageOp stage, TransferTable &transfers);
  LogicalResult verify();

private:
  LogicalResult run(Block &ops);
  LogicalResult run(rt::CallOp op);
  /// An access of an op of an entry point, or of a call.
  LogicalResult read(Operation *op, Value value);
  void write(Value value);
  /// Notes a transfer of a buffer.
  void transfer(Operation *op, Value buffer, int64_t peer, int64_t channel,
                bool isSend);
  /// The microbatch that an address names; -1 where its buffer has none.
  int64_t microbatchOf(Value value);
  rt::AddressOp addressOf(Value value);
  ArrayRef<Use> usesOf(StringRef function);

  rt::StageOp stage;
  TransferTable &transfers;
  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  llvm::StringMap<SmallVector<Use>> uses;
  rt::FuncOp entry;
  /// Where the loop at hand is.
  int64_t variable = 0;
  /// Of each buffer that has one: the microbatch that each slot holds, -1 for
  /// none yet.
  llvm::DenseMap<Operation *, SmallVector<int64_t, 2>> held;
};

} // namespace

StageRun::StageRun(rt::StageOp stage, TransferTable &transfers)
    : stage(stage), transfers(transfers) {
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    buffers[buffer.getSymName()] = buffer;
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    functions[function.getSymName()] = function;
}

rt::AddressOp StageRun::addressOf(Value value) {
  return rt::getWhole(value).getDefiningOp<rt::AddressOp>();
}

int64_t StageRun::microbatchOf(Value value) {
  rt::AddressOp address = addressOf(value);
  if (!address || !held.contains(buffers.lookup(address.getBuffer())))
    return -1;
  return int64_t(address.getSlot()) + (address.getLoop() ? variable : 0);
}

/// The first access says whether what was there is needed: only what writes the
/// whole does without.
ArrayRef<Use> StageRun::usesOf(StringRef name) {
  auto [it, isNew] = uses.try_emplace(name);
  SmallVector<Use> &found = it->second;
  if (!isNew)
    return found;
  Block *block = functions.lookup(name).getBlock();
  found.resize(block->getNumArguments());
  auto elements = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements();
  };
  for (Operation &op : *block)
    for (const rt::Access &access : rt::getAccesses(&op)) {
      auto argument = dyn_cast<BlockArgument>(rt::getWhole(access.buffer));
      if (!argument)
        continue;
      Use &use = found[argument.getArgNumber()];
      if (!use.isWritten &&
          (!access.isWrite || elements(access.buffer) != elements(argument)))
        use.isRead = true;
      use.isWritten |= access.isWrite;
    }
  return found;
}

LogicalResult StageRun::read(Operation *op, Value value) {
  int64_t microbatch = microbatchOf(value);
  if (microbatch < 0)
    return success();
  rt::AddressOp address = addressOf(value);
  rt::BufferOp buffer = buffers.lookup(address.getBuffer());
  int64_t holds =
      held[buffer][address.getSlotAt(variable, int64_t(buffer.getSlots()))];
  // What nobody has written is refused elsewhere.
  if (holds < 0 || holds == microbatch)
    return success();
  return op->emitOpError() << "reads @" << buffer.getSymName()
                           << " of microbatch " << microbatch
                           << ", which holds that of microbatch " << holds;
}

void StageRun::write(Value value) {
  int64_t microbatch = microbatchOf(value);
  if (microbatch < 0)
    return;
  rt::AddressOp address = addressOf(value);
  rt::BufferOp buffer = buffers.lookup(address.getBuffer());
  held[buffer][address.getSlotAt(variable, int64_t(buffer.getSlots()))] =
      microbatch;
}

LogicalResult StageRun::run(rt::CallOp op) {
  ArrayRef<Use> uses = usesOf(op.getCallee());
  Value first;
  for (Value value : op.getArgs()) {
    if (microbatchOf(value) < 0)
      continue;
    if (!first)
      first = value;
    if (microbatchOf(value) == microbatchOf(first))
      continue;
    return op.emitOpError()
           << "takes @" << addressOf(first).getBuffer() << " of microbatch "
           << microbatchOf(first) << " and @" << addressOf(value).getBuffer()
           << " of microbatch " << microbatchOf(value);
  }
  for (auto [value, use] : llvm::zip(op.getArgs(), uses))
    if (use.isRead && failed(read(op, value)))
      return failure();
  for (auto [value, use] : llvm::zip(op.getArgs(), uses))
    if (use.isWritten)
      write(value);
  return success();
}

void StageRun::transfer(Operation *op, Value buffer, int64_t peer,
                        int64_t channel, bool isSend) {
  int64_t own = stage.getIndex();
  Transfers &table = transfers[{isSend ? own : peer, isSend ? peer : own,
                                channel, entry.getSymName()}];
  (isSend ? table.sent : table.received).push_back({op, microbatchOf(buffer)});
}

LogicalResult StageRun::run(Block &ops) {
  for (Operation &op : ops) {
    if (auto loop = dyn_cast<rt::ForOp>(op)) {
      for (variable = loop.getBegin(); variable < int64_t(loop.getEnd());
           ++variable)
        if (failed(run(*loop.getBlock())))
          return failure();
      variable = 0;
      continue;
    }
    if (auto call = dyn_cast<rt::CallOp>(op)) {
      if (failed(run(call)))
        return failure();
      continue;
    }
    SmallVector<rt::Access> accesses = rt::getAccesses(&op);
    for (const rt::Access &access : accesses)
      if (!access.isWrite && failed(read(&op, access.buffer)))
        return failure();
    for (const rt::Access &access : accesses)
      if (access.isWrite)
        write(access.buffer);
    if (auto send = dyn_cast<rt::SendOp>(op)) {
      transfer(&op, send.getBuffer(), send.getStage(), send.getChannel(),
               /*isSend=*/true);
    } else if (auto recv = dyn_cast<rt::RecvOp>(op)) {
      transfer(&op, recv.getBuffer(), recv.getStage(), recv.getChannel(),
               /*isSend=*/false);
    } else if (auto both = dyn_cast<rt::ExchangeOp>(op)) {
      transfer(&op, both.getSent(), both.getToStage(), both.getSendChannel(),
               /*isSend=*/true);
      transfer(&op, both.getReceived(), both.getFromStage(),
               both.getRecvChannel(), /*isSend=*/false);
    }
  }
  return success();
}

LogicalResult StageRun::verify() {
  for (StringRef name : rt::kEntries) {
    entry = functions.lookup(name);
    if (!entry)
      continue;
    held.clear();
    for (auto &[symbol, buffer] : buffers) {
      int64_t slots = buffer.getSlots();
      if (buffer.getKind() == rt::BufferKind::Value) {
        held[buffer].assign(slots, -1);
      } else if (buffer.getKind() == rt::BufferKind::Input && slots > 1) {
        held[buffer].assign(slots, 0);
        for (int64_t i = 0; i < slots; ++i)
          held[buffer][i] = i;
      }
    }
    if (failed(run(*entry.getBlock())))
      return failure();
  }
  return success();
}

LogicalResult pcc::verifyMicrobatches(ModuleOp module) {
  TransferTable transfers;
  for (auto stage : module.getOps<rt::StageOp>())
    if (failed(StageRun(stage, transfers).verify()))
      return failure();
  for (const Transfers &table : transfers.all)
    for (auto [send, recv] : llvm::zip(table.sent, table.received)) {
      // What is of none may be received as a value.
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
