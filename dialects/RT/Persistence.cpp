//===- Persistence.cpp - What outlives an entry point of a stage ----------===//

#include "dialects/RT/Persistence.h"

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
