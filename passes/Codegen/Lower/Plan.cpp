//===- Plan.cpp - Offsets of buffers in the arena -------------------------===//
//
// Plans memory on two levels. The temporaries of a function share its scratch
// buffer, by the order of the function's ops. Inputs, outputs, values, scratch
// buffers and buffers that are dead when an entry point begins share the arena,
// by the live ranges that LiveRanges computes. A scratch buffer is one block,
// whose temporaries have separate live ranges.
//
// By default, the slots of a value are adjacent, and all calls of a function
// have the same scratch buffer. If this takes notably more memory than what is
// live at once, each slot and each call's scratch buffer is placed separately.
// The slots of a loop's buffers become free one after the other, in all buffers
// at nearly the same time. If they are adjacent, they leave holes of one slot
// each, in which no larger buffer fits:
//
//     adjacent      a.0 a.1 a.2  b.0 b.1 b.2  c.0 c.1 c.2
//     separate      a.0 b.0 c.0  a.1 b.1 c.1  a.2 b.2 c.2
//
// If that is not enough, buckets that are filled repeatedly get an offset for
// each fill (BucketOffsets.h), and scratch buffers of calls in loops 2 to 4,
// which the iterations use in turn.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Plan.h"
#include "passes/Codegen/Lower/BucketOffsets.h"
#include "passes/Codegen/Lower/LiveRanges.h"
#include "passes/Codegen/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace pcc {
#define GEN_PASS_DEF_RTPLANPASS
#include "passes/Codegen/Passes.h.inc"
#include <map>
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// The unused memory that is tolerated, as a fraction 1/n of the memory that is
/// live at once. kFar: with adjacent slots and one scratch buffer for all calls
/// of a function. kFarOfRows: with one offset for each bucket.
static constexpr int64_t kFar = 50, kFarOfRows = 44;

/// The maximum number of pairs of blocks to examine when each fill of a bucket
/// has its own offset: in total for all stages, and the minimum for each stage.
static constexpr int64_t kMostPairs = int64_t(1) << 26;
static constexpr int64_t kLeastPairs = int64_t(1) << 25;

/// The maximum number of pieces for separate placement, which takes time in
/// proportion to the pairs of pieces.
static constexpr size_t kMostPieces = 4096;

/// Assigns the offsets of a function's temporaries, and the size of its scratch
/// buffer.
static void planScratch(rt::FuncOp function) {
  llvm::MapVector<Operation *, MemoryBlock> blocks;
  llvm::SetVector<Operation *> elsewhere;
  // In the order of the first use. Unused temporaries may have any offset.
  auto lifeOf = [&](rt::TemporaryOp temporary) -> Piece & {
    return blocks
        .try_emplace(temporary, MemoryBlock::whole(temporary.getBytes()))
        .first->second.pieces.front();
  };
  for (auto [moment, op] : llvm::enumerate(*function.getBlock()))
    for (const rt::Access &access : rt::getAccesses(&op))
      if (auto temporary = rt::getViewedBuffer(access.buffer)
                               .getDefiningOp<rt::TemporaryOp>()) {
        lifeOf(temporary).touch(moment, /*begins=*/false);
        if (rt::getStream(&op) != 0)
          elsewhere.insert(temporary);
      }
  for (auto temporary : function.getBlock()->getOps<rt::TemporaryOp>())
    lifeOf(temporary);
  // A use on another stream has no known end within the function, so the
  // temporary is live throughout.
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

/// Creates a scratch buffer for each call whose function has temporaries.
static void createScratchBuffers(rt::StageOp stage) {
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
    auto frame = rt::BufferOp::create(builder, callee.getLoc(), name, type,
                                      rt::BufferKind::Frame, /*slots=*/1);
    symbols.insert(frame);
    call.setFrame(frame.getSymName());
  });
}

/// Returns the function that each scratch buffer belongs to.
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

/// Merges scratch buffers of a function that have the same offsets.
static void mergeScratchBuffers(rt::StageOp stage) {
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

/// An assignment of offsets to the blocks of an arena.
struct Arrangement {
  int64_t bytes = 0;
  /// By block, its offset, or the offset of each slot if slots are placed
  /// separately.
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

/// Keeps slots adjacent, and uses one scratch buffer for all calls of a
/// function. This takes less time than arrangeLoose(), and the IR is shorter.
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

/// Places each call's scratch buffer, each slot of a value, each offset of a
/// bucket, and each iteration's part of a scratch buffer in a loop separately.
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

/// Sets the offsets of buffers, plus `begin`. `rows` assigns the offsets of
/// buckets with several; null: each bucket has one.
static void assign(const Blocks &blocks, const Arrangement &found,
                   int64_t begin, BucketOffsets *rows) {
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
    // The scratch buffer of a call in a loop has one offset, or several that
    // the iterations use in turn.
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

/// Places the buffers that share the arena, from `begin` on. Returns the end.
/// Bytes before `resident` are offloaded; unused memory is compared with the
/// others.
static int64_t placeShared(rt::StageOp stage,
                           const rt::PersistentBuffers &persistent,
                           int64_t begin, int64_t resident) {
  LiveRanges lives(stage, persistent);
  Blocks &blocks = lives.blocks;
  Arrangement found = arrangeTight(blocks, findFunctions(stage));
  int64_t held = begin - resident;
  int64_t most = held + findPeak(listOf(blocks));
  if (held + found.bytes > most + most / kFar &&
      countPieces(blocks) <= kMostPieces) {
    Arrangement loose = arrangeLoose(blocks, pack);
    if (loose.bytes < found.bytes)
      found = std::move(loose);
  }
  std::optional<BucketOffsets> rows;
  bool haveRows = false;
  if (held + found.bytes > most + most / kFarOfRows) {
    rows.emplace(stage, persistent);
    LiveRanges each(stage, persistent, &*rows);
    size_t pieces = countPieces(each.blocks);
    if (pieces > countPieces(blocks) && pieces <= kMostPieces) {
      auto module = stage->getParentOfType<ModuleOp>();
      int64_t stages = llvm::range_size(module.getOps<rt::StageOp>());
      // With several offsets for a bucket, less memory is live at once.
      int64_t least = held + findPeak(listOf(each.blocks)),
              enough = least + least / kFarOfRows - held;
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
  mergeScratchBuffers(stage);
  return begin + found.bytes;
}

/// Sets the offsets of a bucket's members in all slots of the bucket. If the
/// bucket is sharded, only the runtime knows them.
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
    if (!bucket.getShardAxes().empty())
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

void pcc::planArena(rt::StageOp stage, bool offload) {
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    planScratch(function);
  createScratchBuffers(stage);
  resetOffsets(stage);
  rt::PersistentBuffers persistent(stage);
  llvm::DenseSet<Operation *> offloadable;
  if (offload)
    offloadable = rt::findOffloadable(stage);
  // Buffers that keep their contents come first, ordered by kind: the offloaded
  // ones, then the others.
  using ByKind = std::map<rt::BufferKind, SmallVector<rt::BufferOp>>;
  ByKind kept, moved;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (!buffer.getBucket() && persistent.isReserved(buffer))
      (offloadable.contains(buffer) ? moved : kept)[buffer.getKind()].push_back(
          buffer);
  int64_t end = 0;
  auto place = [&](const ByKind &list) {
    for (const auto &[kind, buffers] : list)
      for (rt::BufferOp buffer : buffers) {
        buffer.setOffset(end);
        end += buffer.getTotalBytes();
      }
  };
  place(moved);
  int64_t offloaded = end = llvm::alignTo(end, rt::kOffloadAlignment);
  place(kept);
  stage.removeOffloadedAttr();
  stage.setArena(placeShared(stage, persistent, end, offloaded));
  if (offloaded)
    stage.setOffloaded(offloaded);
  placeMembers(stage);
}

namespace {

struct RTPlanPass : pcc::impl::RTPlanPassBase<RTPlanPass> {
  using RTPlanPassBase::RTPlanPassBase;

  void runOnOperation() override {
    for (auto stage : getOperation().getOps<rt::StageOp>())
      planArena(stage, offload);
  }
};

} // namespace
