//===- Plan.cpp - Offsets in frames and in the arena ----------------------===//
//
// Two levels. Temporaries of a function share its frame by the order of its
// ops. Inputs, values, frames and what is renewed share the arena by the lives
// that ArenaLives finds; a frame is one block, whose temporaries are needed at
// times of their own.
//
// Slots of a value lie side by side, and all calls of a function have one
// frame, where that takes hardly more than what is alive at once. Else each
// slot and each call's frame lie where there is room: the slots of a loop's
// buffers become free one after the other, in all of these buffers at nearly
// the same time, and side by side they leave holes of a slot each, in which
// nothing larger finds room:
//
//     side by side    a.0 a.1 a.2  b.0 b.1 b.2  c.0 c.1 c.2
//     by themselves   a.0 b.0 c.0  a.1 b.1 c.1  a.2 b.2 c.2
//
// Where that is not enough, rows that are filled again and again lie where
// there is room each time (RowLives.h), and so do frames of calls in loops.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Plan.h"
#include "passes/Codegen/Lower/ArenaLives.h"
#include "passes/Codegen/Lower/RowLives.h"
#include "passes/Codegen/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace pcc {
#define GEN_PASS_DEF_RTPLANPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// Which part of an arena may be unused with slots side by side and one frame
/// for all calls of a function; and which with one place for each row.
static constexpr int64_t kFar = 50, kFarOfRows = 44;

/// How many pairs of blocks are looked at for a place for each time that a row
/// is filled: so many in all stages, of one no fewer than so many.
static constexpr int64_t kMostPairs = int64_t(1) << 26;
static constexpr int64_t kLeastPairs = int64_t(1) << 25;

/// How many pieces are looked at one by one where slots and frames may lie
/// anywhere, which takes as long as there are pairs of them.
static constexpr size_t kMostPieces = 4096;

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
  SmallVector<MemoryBlock *> list;
  for (auto &[op, block] : blocks)
    list.push_back(&block);
  function.setFrame(pack(list));
  for (auto &[op, block] : blocks)
    cast<rt::TemporaryOp>(op).setOffset(block.offset);
}

/// Gives every call whose function has temporaries a frame of its own.
static void giveFrames(rt::StageOp stage) {
  for (auto buffer : llvm::to_vector(stage.getBlock()->getOps<rt::BufferOp>()))
    if (buffer.getKind() == rt::BufferKind::Frame)
      buffer.erase();
  stage.walk([](rt::CallOp call) { call.removeFrameAttr(); });
  SymbolTable symbols(stage);
  llvm::DenseMap<Operation *, unsigned> counts;
  stage.walk([&](rt::CallOp call) {
    auto callee = symbols.lookup<rt::FuncOp>(call.getCallee());
    if (callee.getFrame() == 0)
      return;
    std::string name = ("frame." + call.getCallee()).str();
    if (unsigned before = counts[callee]++)
      name += "." + std::to_string(before);
    auto type = MemRefType::get(int64_t(callee.getFrame()),
                                IntegerType::get(stage.getContext(), 8));
    OpBuilder builder(callee);
    auto frame = rt::BufferOp::create(
        builder, callee.getLoc(), name, type, rt::BufferKind::Frame,
        /*offset=*/IntegerAttr(), /*slots=*/1, /*others=*/DenseI64ArrayAttr(),
        /*layout=*/rt::LayoutAttr(), /*bucket=*/FlatSymbolRefAttr(),
        /*element=*/IntegerAttr(), /*refilled=*/false);
    symbols.insert(frame);
    call.setFrame(frame.getSymName());
  });
}

/// The function that each frame is for.
static llvm::DenseMap<Operation *, Operation *>
findFunctions(rt::StageOp stage) {
  SymbolTable symbols(stage);
  llvm::DenseMap<Operation *, Operation *> functions;
  stage.walk([&](rt::CallOp call) {
    if (auto frame = call.getFrame())
      functions[symbols.lookup(*frame)] = symbols.lookup(call.getCallee());
  });
  return functions;
}

/// Frames of a function that lie in the same places become one.
static void mergeFrames(rt::StageOp stage) {
  SymbolTable symbols(stage);
  llvm::DenseMap<Operation *, SmallVector<rt::BufferOp>> known;
  stage.walk([&](rt::CallOp call) {
    if (!call.getFrame())
      return;
    auto frame = symbols.lookup<rt::BufferOp>(*call.getFrame());
    auto &frames = known[symbols.lookup(call.getCallee())];
    auto same = llvm::find_if(frames, [&](rt::BufferOp other) {
      return other.getOffset() == frame.getOffset() &&
             other.getSlots() == frame.getSlots() &&
             other.getOthers() == frame.getOthers();
    });
    if (same == frames.end()) {
      frames.push_back(frame);
      return;
    }
    call.setFrame(same->getSymName());
    symbols.erase(frame);
  });
}

namespace {

/// A way to lay out the blocks of an arena.
struct Arrangement {
  int64_t bytes = 0;
  /// By block, its offset; where its slots lie by themselves, that of each.
  std::vector<SmallVector<int64_t, 1>> offsets;
};

using Blocks = llvm::MapVector<Operation *, MemoryBlock>;

} // namespace

static SmallVector<MemoryBlock *> listOf(Blocks &blocks) {
  SmallVector<MemoryBlock *> list;
  for (auto &[op, block] : blocks)
    list.push_back(&block);
  return list;
}

/// Slots lie side by side, and all calls of a function have one frame: little
/// to say, and to look at.
static Arrangement
arrangeTight(const Blocks &blocks,
             const llvm::DenseMap<Operation *, Operation *> &functions) {
  Blocks merged;
  auto keyOf = [&](Operation *op) {
    Operation *function = functions.lookup(op);
    return function ? function : op;
  };
  for (const auto &[op, block] : blocks) {
    auto [known, isNew] = merged.try_emplace(keyOf(op), block);
    if (isNew)
      continue;
    for (auto [piece, other] : llvm::zip(known->second.pieces, block.pieces))
      piece.merge(other);
  }
  Arrangement found;
  found.bytes = pack(listOf(merged));
  for (const auto &[op, block] : blocks)
    found.offsets.push_back({merged.lookup(keyOf(op)).offset});
  return found;
}

/// Each call has a frame where there is room for its temporaries, and each slot
/// of a value, and each place of a row or of a loop's frame, lies by itself.
static Arrangement
arrangeLoose(const Blocks &blocks,
             llvm::function_ref<int64_t(ArrayRef<MemoryBlock *>)> pack) {
  std::vector<MemoryBlock> parts;
  for (const auto &[op, block] : blocks) {
    int64_t bytes = block.bytes / block.parts;
    size_t count = block.pieces.size() / block.parts;
    for (unsigned i = 0; i < block.parts; ++i) {
      MemoryBlock &part = parts.emplace_back();
      part.bytes = bytes;
      for (Piece piece : ArrayRef(block.pieces).slice(i * count, count)) {
        piece.begin -= i * bytes;
        piece.end -= i * bytes;
        part.pieces.push_back(std::move(piece));
      }
    }
  }
  SmallVector<MemoryBlock *> list;
  for (MemoryBlock &part : parts)
    list.push_back(&part);
  Arrangement found;
  found.bytes = pack(list);
  const MemoryBlock *part = parts.data();
  for (const auto &[op, block] : blocks) {
    auto &offsets = found.offsets.emplace_back();
    for (unsigned i = 0; i < block.parts; ++i)
      offsets.push_back((part++)->offset);
  }
  return found;
}

/// Tells buffers where they lie, from `begin` on, and `rows`, unless these have
/// one place each.
static void assign(const Blocks &blocks, const Arrangement &found,
                   int64_t begin, RowLives *rows) {
  for (auto [entry, places] : llvm::zip(blocks, found.offsets)) {
    auto buffer = cast<rt::BufferOp>(entry.first);
    SmallVector<int64_t> offsets;
    for (int64_t place : places)
      offsets.push_back(begin + place);
    if (rows && rows->contains(buffer)) {
      rows->assign(buffer, offsets);
      continue;
    }
    buffer.setOffset(offsets.front());
    buffer.removeOthersAttr();
    // A frame of a loop has a place for each turn, or one.
    if (buffer.getKind() == rt::BufferKind::Frame) {
      bool isOne = llvm::all_equal(offsets);
      buffer.setSlots(isOne ? 1 : offsets.size());
      if (isOne)
        continue;
    }
    bool isApart = false;
    for (auto [slot, offset] : llvm::enumerate(offsets))
      isApart |= offset != buffer.getSlotOffset(slot);
    if (isApart)
      buffer.setOthers(ArrayRef(offsets).drop_front());
  }
}

static size_t countPieces(const Blocks &blocks) {
  size_t pieces = 0;
  for (const auto &[op, block] : blocks)
    pieces += block.pieces.size();
  return pieces;
}

/// Lays out what shares the arena, from `begin` on. Returns where that ends.
static int64_t placeShared(rt::StageOp stage, const Buffers &renewed,
                           int64_t begin) {
  ArenaLives lives(stage, renewed);
  Blocks &blocks = lives.blocks;
  Arrangement found = arrangeTight(blocks, findFunctions(stage));
  int64_t most = begin + findMost(listOf(blocks));
  if (begin + found.bytes > most + most / kFar &&
      countPieces(blocks) <= kMostPieces) {
    Arrangement loose = arrangeLoose(blocks, pack);
    if (loose.bytes < found.bytes)
      found = std::move(loose);
  }
  std::optional<RowLives> rows;
  bool haveRows = false;
  if (begin + found.bytes > most + most / kFarOfRows) {
    rows.emplace(stage, renewed);
    ArenaLives each(stage, renewed, &*rows);
    size_t pieces = countPieces(each.blocks);
    if (pieces > countPieces(blocks) && pieces <= kMostPieces) {
      auto module = stage->getParentOfType<ModuleOp>();
      int64_t stages = llvm::range_size(module.getOps<rt::StageOp>());
      // Less is alive at once where a row is not in one place at all times.
      int64_t least = begin + findMost(listOf(each.blocks)),
              enough = least + least / kFarOfRows - begin;
      Arrangement apart = arrangeLoose(each.blocks, [&](auto list) {
        return packWithin(list, enough,
                          std::max(kMostPairs / stages, kLeastPairs));
      });
      haveRows = apart.bytes < found.bytes;
      if (haveRows)
        found = std::move(apart);
    }
  }
  assign(blocks, found, begin, haveRows ? &*rows : nullptr);
  mergeFrames(stage);
  return begin + found.bytes;
}

/// What lies in a bucket lies where that is, in all of its slots; of a part of
/// one only the runtime knows.
static void placeMembers(rt::StageOp stage) {
  SymbolTable symbols(stage);
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    if (!buffer.getBucket())
      continue;
    auto bucket = symbols.lookup<rt::BufferOp>(*buffer.getBucket());
    int64_t before =
        int64_t(buffer.getElement().value_or(0)) *
        rt::getElementBytes(buffer.getMemRefType().getElementType());
    buffer.removeOffsetAttr();
    if (!bucket.getCut().empty())
      continue;
    SmallVector<int64_t> offsets;
    for (int64_t slot = 0; slot < int64_t(bucket.getSlots()); ++slot)
      offsets.push_back(bucket.getSlotOffset(slot) + before);
    buffer.setSlots(offsets.size());
    buffer.setOffset(offsets.front());
    if (offsets.size() > 1)
      buffer.setOthers(ArrayRef(offsets).drop_front());
  }
}

void pcc::planArena(rt::StageOp stage) {
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    planFrame(function);
  giveFrames(stage);
  forgetPlaces(stage);
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
  stage.setArena(placeShared(stage, renewed, end));
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
