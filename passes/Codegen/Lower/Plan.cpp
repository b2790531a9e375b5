//===- Plan.cpp - Offsets in frames and in the arena ----------------------===//
//
// Two levels. Within a function, time is the order of its ops, and temporaries
// share its frame. Within an entry point, time is the order of its calls and
// transfers, and inputs, values and frames share the arena:
//
//     moment        0        1        2        3
//     calls         f(x, a)  f(y, b)  g(b)     g(a)
//     a             [--------------------------]
//     b                      [--------]
//     frame of f    [--------------]
//     frame of g                      [--------]        may lie where f's does
//
// One program counter runs through all entry points, one after the other, since
// a buffer has one place in all of them, and twice through a loop: what lives
// from one turn to the next does so from the first to the second.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Plan.h"
#include "passes/Codegen/Lower/Packing.h"
#include "passes/Codegen/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {
#define GEN_PASS_DEF_RTPLANPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

/// What a buffer is a view of, through views of views.
static Value wholeOf(Value value) {
  while (auto view = value.getDefiningOp<rt::ViewOp>())
    value = view.getSource();
  return value;
}

/// The op that a buffer is the result of, through views; null for an argument.
static Operation *rootOf(Value value) { return wholeOf(value).getDefiningOp(); }

static int64_t elementsOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getNumElements();
}

/// Packs the lives of ops, in their order, and gives each op its offset.
/// Returns the bytes needed.
template <typename OpT>
static int64_t packAll(llvm::MapVector<Operation *, Life> &lives,
                       int64_t begin = 0) {
  SmallVector<Life> packed;
  for (auto &[op, life] : lives)
    packed.push_back(life);
  int64_t bytes = pack(packed);
  for (auto [life, entry] : llvm::zip(packed, lives))
    cast<OpT>(entry.first).setOffset(begin + life.offset);
  return bytes;
}

/// Assigns the offsets of a function's temporaries and the size of its frame.
static void planFrame(rt::FuncOp function) {
  llvm::MapVector<Operation *, Life> lives;
  // In the order of their first use; what nothing touches lies anywhere.
  auto lifeOf = [&](rt::TemporaryOp temporary) -> Life & {
    return lives.try_emplace(temporary, Life{temporary.getBytes(), {}})
        .first->second;
  };
  for (auto [moment, op] : llvm::enumerate(*function.getBlock()))
    for (const rt::Access &access : rt::getAccesses(&op))
      if (auto temporary =
              dyn_cast_or_null<rt::TemporaryOp>(rootOf(access.buffer)))
        lifeOf(temporary).touch(moment, /*begins=*/false);
  for (auto temporary : function.getBlock()->getOps<rt::TemporaryOp>())
    lifeOf(temporary);
  function.setFrame(packAll<rt::TemporaryOp>(lives));
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
          /*layout=*/rt::LayoutAttr());
      symbols.insert(frame);
    }
    if (frame)
      call.setFrame(frame.getSymName());
  });
}

namespace {

/// Finds out when the buffers of a stage are needed.
class ArenaLives {
public:
  explicit ArenaLives(rt::StageOp stage);

  /// Those that share the arena, in the order of the stage.
  llvm::MapVector<Operation *, Life> lives;

private:
  void run(rt::FuncOp entry);
  void run(Block &ops);
  /// An op at the present moment touches a buffer; `begins`: what was there
  /// before is not needed.
  void touch(Value address, bool begins);
  /// For each argument of a function: whether the whole of it is written before
  /// any of it is read.
  ArrayRef<bool> beginsOf(StringRef function);

  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  llvm::StringMap<SmallVector<bool>> begins;
  unsigned moment = 0, entryBegin = 0;
};

} // namespace

ArenaLives::ArenaLives(rt::StageOp stage) {
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    buffers[buffer.getSymName()] = buffer;
    if (int(buffer.getKind()) >= int(rt::BufferKind::Input))
      lives[buffer] = Life{buffer.getTotalBytes(), {}};
  }
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    functions[function.getSymName()] = function;
  for (StringRef name : rt::kEntries)
    if (rt::FuncOp entry = functions.lookup(name))
      run(entry);
}

ArrayRef<bool> ArenaLives::beginsOf(StringRef name) {
  auto [it, isNew] = begins.try_emplace(name);
  if (!isNew)
    return it->second;
  Block *block = functions.lookup(name).getBlock();
  SmallVector<bool> &found = it->second;
  found.assign(block->getNumArguments(), false);
  SmallVector<bool> isKnown(block->getNumArguments(), false);
  for (Operation &op : *block)
    for (const rt::Access &access : rt::getAccesses(&op)) {
      auto argument = dyn_cast<BlockArgument>(wholeOf(access.buffer));
      if (!argument || isKnown[argument.getArgNumber()])
        continue;
      isKnown[argument.getArgNumber()] = true;
      // What a view leaves out keeps what it holds.
      found[argument.getArgNumber()] =
          access.isWrite && elementsOf(access.buffer) == elementsOf(argument);
    }
  return found;
}

void ArenaLives::touch(Value address, bool begins) {
  auto made = dyn_cast_or_null<rt::AddressOp>(rootOf(address));
  if (!made)
    return;
  rt::BufferOp buffer = buffers.lookup(made.getBuffer());
  auto life = lives.find(buffer);
  if (life == lives.end())
    return;
  // The slots of a buffer take turns: while one is needed, so is the buffer.
  bool isFirst = life->second.spans.empty() ||
                 life->second.spans.back().second < entryBegin;
  life->second.touch(moment, isFirst || (begins && buffer.getSlots() == 1));
}

void ArenaLives::run(Block &ops) {
  for (Operation &op : ops) {
    if (isa<rt::AddressOp, rt::ConstantOp, rt::ViewOp>(op))
      continue;
    if (auto loop = dyn_cast<rt::ForOp>(op)) {
      int64_t turns = int64_t(loop.getEnd()) - int64_t(loop.getBegin());
      for (int64_t i = 0; i < std::min<int64_t>(turns, 2); ++i)
        run(*loop.getBlock());
      continue;
    }
    ++moment;
    if (auto call = dyn_cast<rt::CallOp>(op)) {
      // What is read, or not written whole, is needed from before.
      for (bool begins : {false, true})
        for (auto [argument, isWritten] :
             llvm::zip(call.getArgs(), beginsOf(call.getCallee())))
          if ((isWritten && !argument.getDefiningOp<rt::ViewOp>()) == begins)
            touch(argument, begins);
      if (auto frame = call.getFrame())
        lives[buffers.lookup(*frame)].touch(moment, /*begins=*/true);
    }
    for (const rt::Access &access : rt::getAccesses(&op))
      touch(access.buffer,
            access.isWrite && !access.buffer.getDefiningOp<rt::ViewOp>());
  }
}

void ArenaLives::run(rt::FuncOp entry) {
  entryBegin = moment;
  // The runtime fills the inputs before.
  for (auto &[op, life] : lives)
    if (cast<rt::BufferOp>(op).getKind() == rt::BufferKind::Input)
      life.touch(moment, /*begins=*/true);
  run(*entry.getBlock());
  ++moment;
  // The runtime reads the outputs afterwards.
  entry.walk([&](rt::AddressOp address) {
    rt::BufferOp buffer = buffers.lookup(address.getBuffer());
    if (buffer.getKind() == rt::BufferKind::Output)
      lives[buffer].touch(moment, /*begins=*/false);
  });
  ++moment;
}

void pcc::planArena(rt::StageOp stage) {
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    planFrame(function);
  giveFrames(stage);
  // Gradients lie one after the other: reductions of neighbours are one.
  int64_t end = 0;
  for (int kind = 0; kind < int(rt::BufferKind::Input); ++kind)
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      if (int(buffer.getKind()) == kind) {
        buffer.setOffset(end);
        end += buffer.getTotalBytes();
      }
  ArenaLives arena(stage);
  stage.setArena(end + packAll<rt::BufferOp>(arena.lives, end));
}

namespace {

struct RTPlanPass : pcc::impl::RTPlanPassBase<RTPlanPass> {
  void runOnOperation() override {
    for (auto stage : getOperation().getOps<rt::StageOp>())
      planArena(stage);
  }
};

} // namespace
