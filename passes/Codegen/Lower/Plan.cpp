//===- Plan.cpp - Offsets in frames and in the arena ----------------------===//
//
// Two levels. Temporaries of a function share its frame by the order of its
// ops. Inputs, values, frames and what is renewed share the arena by the lives
// that ArenaLives finds; a frame is one block, whose temporaries are needed at
// times of their own.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Plan.h"
#include "passes/Codegen/Lower/ArenaLives.h"
#include "passes/Codegen/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace pcc {
#define GEN_PASS_DEF_RTPLANPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// Packs what ops need, in their order, and gives each op its offset. Returns
/// the bytes needed.
template <typename OpT>
static int64_t packAll(llvm::MapVector<Operation *, MemoryBlock> &blocks,
                       int64_t begin = 0) {
  SmallVector<MemoryBlock *> packed;
  for (auto &[op, block] : blocks)
    packed.push_back(&block);
  int64_t bytes = pack(packed);
  for (auto &[op, block] : blocks)
    cast<OpT>(op).setOffset(begin + block.offset);
  return bytes;
}

/// Assigns the offsets of a function's temporaries and the size of its frame.
static void planFrame(rt::FuncOp function) {
  llvm::MapVector<Operation *, MemoryBlock> blocks;
  llvm::SetVector<Operation *> elsewhere;
  // In the order of their first use; what nothing touches lies anywhere.
  auto lifeOf = [&](rt::TemporaryOp temporary) -> Piece & {
    return blocks
        .try_emplace(temporary, MemoryBlock::whole(temporary.getBytes()))
        .first->second.pieces.front();
  };
  for (auto [moment, op] : llvm::enumerate(*function.getBlock()))
    for (const rt::Access &access : rt::getAccesses(&op))
      if (auto temporary =
              rt::getWhole(access.buffer).getDefiningOp<rt::TemporaryOp>()) {
        lifeOf(temporary).touch(moment, /*begins=*/false);
        if (rt::getStream(&op) != 0)
          elsewhere.insert(temporary);
      }
  for (auto temporary : function.getBlock()->getOps<rt::TemporaryOp>())
    lifeOf(temporary);
  // Nobody asks here when another stream is done.
  unsigned end =
      std::distance(function.getBlock()->begin(), function.getBlock()->end());
  for (Operation *temporary : elsewhere)
    blocks[temporary].pieces.front().spans = {{0, end}};
  function.setFrame(packAll<rt::TemporaryOp>(blocks));
}

/// Gives every call the frame that its function needs; calls of one function
/// share one.
static void giveFrames(rt::StageOp stage) {
  for (auto buffer : llvm::to_vector(stage.getBlock()->getOps<rt::BufferOp>()))
    if (buffer.getKind() == rt::BufferKind::Frame)
      buffer.erase();
  stage.walk([](rt::CallOp call) { call.removeFrameAttr(); });
  SymbolTable symbols(stage);
  llvm::DenseMap<Operation *, rt::BufferOp> frames;
  stage.walk([&](rt::CallOp call) {
    auto callee = symbols.lookup<rt::FuncOp>(call.getCallee());
    rt::BufferOp &frame = frames[callee];
    if (!frame && callee.getFrame() > 0) {
      auto type = MemRefType::get(int64_t(callee.getFrame()),
                                  IntegerType::get(stage.getContext(), 8));
      OpBuilder builder(callee);
      frame = rt::BufferOp::create(
          builder, callee.getLoc(), ("frame." + call.getCallee()).str(), type,
          rt::BufferKind::Frame, /*offset=*/IntegerAttr(), /*slots=*/1,
          /*stride=*/IntegerAttr(), /*layout=*/rt::LayoutAttr(),
          /*bucket=*/FlatSymbolRefAttr(),
          /*element=*/IntegerAttr(), /*refilled=*/false);
      symbols.insert(frame);
    }
    if (frame)
      call.setFrame(frame.getSymName());
  });
}

/// What lies in a bucket lies where that is; of a part of one only the runtime
/// knows.
static void placeMembers(rt::StageOp stage) {
  SymbolTable symbols(stage);
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    if (!buffer.getBucket())
      continue;
    auto bucket = symbols.lookup<rt::BufferOp>(*buffer.getBucket());
    int64_t before =
        int64_t(buffer.getElement().value_or(0)) *
        rt::getElementBytes(buffer.getMemRefType().getElementType());
    if (bucket.getCut().empty())
      buffer.setOffset(int64_t(*bucket.getOffset()) + before);
    else
      buffer.removeOffsetAttr();
  }
}

void pcc::planArena(rt::StageOp stage) {
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    planFrame(function);
  giveFrames(stage);
  Buffers renewed = rt::findRenewed(stage);
  // What is kept lies by kinds, one after the other.
  int64_t end = 0;
  for (int kind = 0; kind < int(rt::BufferKind::Input); ++kind)
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      if (int(buffer.getKind()) == kind && !buffer.getBucket() &&
          isKept(buffer, renewed)) {
        buffer.setOffset(end);
        end += buffer.getTotalBytes();
      }
  ArenaLives arena(stage, renewed);
  stage.setArena(end + packAll<rt::BufferOp>(arena.blocks, end));
  for (auto &[op, block] : arena.blocks) {
    auto buffer = cast<rt::BufferOp>(op);
    buffer.removeStrideAttr();
    if (block.canSpread && block.getStride() != buffer.getSlotBytes())
      buffer.setStride(block.getStride());
  }
  placeMembers(stage);
}

namespace {

struct RTPlanPass : pcc::impl::RTPlanPassBase<RTPlanPass> {
  void runOnOperation() override {
    for (auto stage : getOperation().getOps<rt::StageOp>())
      planArena(stage);
  }
};

} // namespace
