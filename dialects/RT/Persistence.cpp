//===- Persistence.cpp - What outlives an entry point of a stage ----------===//

#include "dialects/RT/Persistence.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc::rt;

bool pcc::rt::isTensor(BufferKind kind) {
  switch (kind) {
  case BufferKind::Param:
  case BufferKind::Copy:
  case BufferKind::State:
  case BufferKind::Number:
  case BufferKind::Gradient:
  case BufferKind::Sum:
    return true;
  case BufferKind::Bucket:
  case BufferKind::Part:
  case BufferKind::Input:
  case BufferKind::Output:
  case BufferKind::Value:
  case BufferKind::Frame:
    return false;
  }
  llvm_unreachable("all kinds are handled");
}

bool pcc::rt::hasLayout(BufferKind kind) {
  return isTensor(kind) || kind == BufferKind::Bucket ||
         kind == BufferKind::Part || kind == BufferKind::Input;
}

/// The bucket that a buffer belongs to, or null.
static BufferOp bucketOf(BufferOp buffer, const SymbolTable &symbols) {
  return buffer && buffer.getBucket()
             ? symbols.lookup<BufferOp>(*buffer.getBucket())
             : BufferOp();
}

llvm::DenseSet<Operation *> pcc::rt::findGradients(StageOp stage) {
  SymbolTable symbols(stage);
  llvm::DenseSet<Operation *> found;
  for (auto buffer : stage.getBlock()->getOps<BufferOp>()) {
    if (buffer.getKind() != BufferKind::Gradient)
      continue;
    BufferOp row = bucketOf(buffer, symbols);
    found.insert(row ? row : buffer);
  }
  return found;
}

llvm::DenseMap<Operation *, BufferOp> pcc::rt::findShards(StageOp stage) {
  SymbolTable symbols(stage);
  llvm::DenseMap<Operation *, BufferOp> found;
  for (auto part : stage.getBlock()->getOps<BufferOp>())
    if (part.getKind() == BufferKind::Part)
      found[bucketOf(part, symbols)] = part;
  return found;
}

BufferOp pcc::rt::bucketSummedIn(BufferOp buffer, const SymbolTable &symbols) {
  if (!buffer.getOf() || buffer.getKind() != BufferKind::Gradient ||
      buffer.getBucket())
    return {};
  auto row = symbols.lookup<BufferOp>(*buffer.getOf());
  return row && row.getKind() == BufferKind::Bucket ? row : BufferOp();
}

/// Calls `visit` for each op that accesses buffers of the stage, once for each
/// call of its body, with these buffers or the buckets that hold them.
static void forEachAccess(
    StageOp stage,
    function_ref<void(Operation *, const llvm::SetVector<Operation *> &)>
        visit) {
  SymbolTable symbols(stage);
  llvm::DenseMap<Value, Operation *> wholes;
  auto visitOps = [&](Block &block) {
    for (Operation &op : block) {
      llvm::SetVector<Operation *> accessed;
      if (!isa<CallOp, ForOp>(op))
        for (const Access &access : getAccesses(&op))
          if (Operation *whole = wholes.lookup(getViewedBuffer(access.buffer)))
            accessed.insert(whole);
      if (!accessed.empty())
        visit(&op, accessed);
    }
  };
  stage.walk([&](AddressOp address) {
    auto buffer = symbols.lookup<BufferOp>(address.getBuffer());
    BufferOp bucket = bucketOf(buffer, symbols);
    wholes[address] = bucket ? bucket : buffer;
  });
  for (StringRef name : kEntries)
    if (auto entry = symbols.lookup<FuncOp>(name))
      entry.walk([&](Block *block) { visitOps(*block); });
  stage.walk([&](CallOp call) {
    auto callee = symbols.lookup<FuncOp>(call.getCallee());
    for (auto [argument, value] :
         llvm::zip(callee.getBlock()->getArguments(), call.getArgs()))
      wholes[argument] = wholes.lookup(getViewedBuffer(value));
    visitOps(*callee.getBlock());
  });
}

llvm::DenseSet<Operation *> pcc::rt::findOffloadable(StageOp stage) {
  SymbolTable symbols(stage);
  llvm::DenseSet<Operation *> masters, found, others;
  for (auto copy : stage.getBlock()->getOps<BufferOp>()) {
    if (copy.getKind() != BufferKind::Copy || !copy.getOf())
      continue;
    auto param = symbols.lookup<BufferOp>(*copy.getOf());
    auto bytesOf = [](BufferOp buffer) {
      return getElementBytes(buffer.getMemRefType().getElementType());
    };
    if (param && param.getKind() == BufferKind::Param &&
        bytesOf(copy) < bytesOf(param))
      masters.insert(param);
  }
  for (auto buffer : stage.getBlock()->getOps<BufferOp>()) {
    if (buffer.getKind() == BufferKind::Bucket)
      continue;
    BufferOp bucket = bucketOf(buffer, symbols);
    bool isState =
        buffer.getKind() == BufferKind::State || masters.contains(buffer);
    (isState ? found : others).insert(bucket ? bucket : buffer);
  }
  forEachAccess(
      stage, [&](Operation *op, const llvm::SetVector<Operation *> &accessed) {
        if (!isa<LaunchOp>(op) || getStream(op) != 0)
          others.insert(accessed.begin(), accessed.end());
      });
  for (Operation *other : others)
    found.erase(other);
  return found;
}

int64_t pcc::rt::findOffloadWindow(StageOp stage) {
  int64_t most = 0, end = stage.getOffloadedBytes();
  if (end == 0)
    return 0;
  forEachAccess(
      stage, [&](Operation *, const llvm::SetVector<Operation *> &accessed) {
        int64_t bytes = 0;
        for (Operation *op : accessed) {
          auto buffer = cast<BufferOp>(op);
          if (buffer.getOffset() && int64_t(*buffer.getOffset()) < end)
            bytes += buffer.getTotalBytes();
        }
        most = std::max(most, bytes);
      });
  return most;
}

PersistentBuffers::PersistentBuffers(StageOp stage)
    : symbols(stage), shards(findShards(stage)),
      reinitialized(findGradients(stage)) {
  // A working copy is gathered if ranks hold shards of its parameter.
  for (auto copy : stage.getBlock()->getOps<BufferOp>()) {
    if (copy.getKind() != BufferKind::Copy || !copy.getOf())
      continue;
    BufferOp kept = bucketOf(symbols.lookup<BufferOp>(*copy.getOf()), symbols);
    if (kept && (!kept.getShardAxes().empty() || shards.contains(kept)))
      reinitialized.insert(wholeOf(copy));
  }
}

BufferOp PersistentBuffers::wholeOf(BufferOp buffer) const {
  BufferOp bucket = bucketOf(buffer, symbols);
  return bucket ? bucket : buffer;
}

bool PersistentBuffers::contains(BufferOp buffer) const {
  return buffer.getKind() == BufferKind::Part ||
         (isReserved(buffer) && !shards.contains(wholeOf(buffer)));
}

bool PersistentBuffers::isReserved(BufferOp buffer) const {
  return (isTensor(buffer.getKind()) ||
          buffer.getKind() == BufferKind::Bucket ||
          buffer.getKind() == BufferKind::Part) &&
         !reinitialized.contains(wholeOf(buffer));
}
