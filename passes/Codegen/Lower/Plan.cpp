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
// a buffer has one place in all of them, and twice through a loop, as in its
// last two turns: what lives from one turn to the next does so between these.
//
// What is on another stream than stream 0 may be done at any moment between
// what its stream knows that stream 0 is done with and the moment when stream 0
// has waited for it: its buffers live that long. If it never does, they share
// with none.
//
// Gradients and what is gathered hold nothing as an entry point begins, so they
// share memory as well. A row of a bucket is one buffer: it lives from the
// first access to any of it to the last, or to a call that gives all of it up.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/Plan.h"
#include "passes/Codegen/Lower/Packing.h"
#include "passes/Codegen/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <set>

namespace pcc {
#define GEN_PASS_DEF_RTPLANPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

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
  llvm::SetVector<Operation *> elsewhere;
  // In the order of their first use; what nothing touches lies anywhere.
  auto lifeOf = [&](rt::TemporaryOp temporary) -> Life & {
    return lives.try_emplace(temporary, Life{temporary.getBytes(), {}})
        .first->second;
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
    lives[temporary].spans = {{0, end}};
  function.setFrame(packAll<rt::TemporaryOp>(lives));
}

using Buffers = llvm::DenseSet<Operation *>;

/// Whether a buffer keeps what it holds from one entry point to the next.
static bool isKept(rt::BufferOp buffer, const Buffers &renewed) {
  return int(buffer.getKind()) < int(rt::BufferKind::Input) &&
         !renewed.contains(buffer);
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
          /*layout=*/rt::LayoutAttr(), /*bucket=*/FlatSymbolRefAttr(),
          /*element=*/IntegerAttr());
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
  /// `renewed`: those that hold nothing as an entry point begins.
  ArenaLives(rt::StageOp stage, const Buffers &renewed);

  /// Those that share the arena, in the order of the stage.
  llvm::MapVector<Operation *, Life> lives;

private:
  /// By stream: how many operations are over; of stream 0 the moment.
  using Known = SmallVector<int64_t, 6>;
  using Event = std::pair<Operation *, int64_t>;
  /// A buffer that an operation of another stream uses.
  struct Pending {
    rt::BufferOp buffer;
    unsigned stream;
    int64_t number;
  };
  /// What the values of a body are in a call.
  struct Scope {
    DenseMap<Value, rt::BufferOp> buffers;
    llvm::DenseSet<Value> parts; ///< those that are not all of their buffer
    DenseMap<Value, Event> events;
    rt::BufferOp frame = nullptr;
  };

  void run(rt::FuncOp entry);
  void run(Block &ops, Scope &scope);
  void call(rt::CallOp op, Scope &scope);
  /// What a call leaves of no use.
  void giveUp(rt::CallOp op, rt::FuncOp callee, const Scope &scope);
  /// Begins a moment of the compute stream.
  void advance() { known[0][0] = ++moment; }
  /// The compute stream learns what is over.
  void wait(const Event &event);
  /// What lies in a bucket is a part of that.
  rt::BufferOp bufferOf(Value value, const Scope &scope);
  /// Whether a value is all of the buffer that it lies in.
  bool isWhole(Value value, const Scope &scope);
  /// An op at the present moment touches a buffer; `begins`: what was there
  /// before is not needed. `since`: it may have done so at any moment from
  /// there on.
  void touch(rt::BufferOp buffer, bool begins, unsigned since);
  /// An access up to the present moment, to what a buffer has held so far.
  void extend(rt::BufferOp buffer);
  /// For each argument of a function: whether the whole of it is written before
  /// any of it is read.
  ArrayRef<bool> beginsOf(StringRef function);
  /// Whether a function uses streams.
  bool hasStreams(rt::FuncOp function);
  unsigned numberOf(int64_t stream) const {
    return llvm::lower_bound(streams, stream) - streams.begin();
  }

  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  llvm::StringMap<rt::EventOp> events;
  llvm::StringMap<SmallVector<bool>> begins;
  llvm::DenseMap<Operation *, bool> withStreams;
  /// What holds nothing any more.
  Buffers givenUp;
  /// Those that are used, in order.
  SmallVector<int64_t> streams;
  Known counts;
  std::vector<Known> known;
  llvm::DenseMap<Event, Known> recorded;
  std::vector<Pending> pending;
  unsigned moment = 0, entryBegin = 0;
  /// Where the loop at hand is.
  int64_t variable = 0;
};

} // namespace

ArenaLives::ArenaLives(rt::StageOp stage, const Buffers &renewed) {
  SymbolTable symbols(stage);
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    rt::BufferOp whole = buffer.getBucket()
                             ? symbols.lookup<rt::BufferOp>(*buffer.getBucket())
                             : buffer;
    buffers[buffer.getSymName()] = whole;
    if (buffer == whole && !isKept(buffer, renewed))
      lives[buffer] = Life{buffer.getTotalBytes(), {}};
  }
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
    functions[function.getSymName()] = function;
  for (auto event : stage.getBlock()->getOps<rt::EventOp>())
    events[event.getSymName()] = event;
  std::set<int64_t> used = {0};
  stage.walk([&](Operation *op) { used.insert(rt::getStream(op)); });
  streams.assign(used.begin(), used.end());
  counts.assign(streams.size(), 0);
  known.assign(streams.size(), counts);
  llvm::SetVector<Operation *> endless;
  for (StringRef name : rt::kEntries)
    if (rt::FuncOp entry = functions.lookup(name)) {
      run(entry);
      for (const Pending &use : pending)
        endless.insert(use.buffer);
      pending.clear();
    }
  for (Operation *buffer : endless)
    lives[buffer].spans = {{0, moment}};
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
      auto argument = dyn_cast<BlockArgument>(rt::getWhole(access.buffer));
      if (!argument || isKnown[argument.getArgNumber()])
        continue;
      isKnown[argument.getArgNumber()] = true;
      // What a view leaves out keeps what it holds.
      found[argument.getArgNumber()] =
          access.isWrite && elementsOf(access.buffer) == elementsOf(argument);
    }
  return found;
}

bool ArenaLives::hasStreams(rt::FuncOp function) {
  auto [it, isNew] = withStreams.try_emplace(function, false);
  if (isNew)
    it->second = llvm::any_of(*function.getBlock(), [](Operation &op) {
      return isa<rt::RecordOp, rt::WaitOp>(op) || rt::getStream(&op) != 0;
    });
  return it->second;
}

rt::BufferOp ArenaLives::bufferOf(Value value, const Scope &scope) {
  value = rt::getWhole(value);
  if (auto address = value.getDefiningOp<rt::AddressOp>())
    return buffers.lookup(address.getBuffer());
  if (value.getDefiningOp<rt::TemporaryOp>())
    return scope.frame;
  return scope.buffers.lookup(value);
}

void ArenaLives::touch(rt::BufferOp buffer, bool begins, unsigned since) {
  auto life = buffer ? lives.find(buffer) : lives.end();
  if (life == lives.end())
    return;
  // The slots of a buffer take turns: while one is needed, so is the buffer.
  auto &spans = life->second.spans;
  bool isFirst = spans.empty() || spans.back().second < entryBegin;
  begins |= givenUp.erase(buffer);
  since = std::max(since, spans.empty() ? 0 : spans.back().second);
  life->second.touch(since, isFirst || (begins && buffer.getSlots() == 1));
  life->second.touch(moment, /*begins=*/false);
}

void ArenaLives::extend(rt::BufferOp buffer) {
  auto life = buffer ? lives.find(buffer) : lives.end();
  if (life != lives.end())
    life->second.touch(moment, /*begins=*/false);
}

bool ArenaLives::isWhole(Value value, const Scope &scope) {
  if (value.getDefiningOp<rt::ViewOp>() || scope.parts.contains(value))
    return false;
  auto address = value.getDefiningOp<rt::AddressOp>();
  return !address || buffers.lookup(address.getBuffer()).getSymName() ==
                         address.getBuffer();
}

void ArenaLives::wait(const Event &event) {
  advance();
  auto record = recorded.find(event);
  if (record == recorded.end())
    return;
  for (auto [mine, theirs] : llvm::zip(known[0], record->second))
    mine = std::max(mine, theirs);
  llvm::erase_if(pending, [&](const Pending &use) {
    if (known[0][use.stream] < use.number)
      return false;
    extend(use.buffer);
    return true;
  });
}

void ArenaLives::call(rt::CallOp op, Scope &scope) {
  rt::BufferOp frame =
      op.getFrame() ? buffers.lookup(*op.getFrame()) : rt::BufferOp();
  rt::FuncOp callee = functions.lookup(op.getCallee());
  if (hasStreams(callee)) {
    Scope inner;
    inner.frame = frame;
    for (auto [argument, value] :
         llvm::zip(callee.getBlock()->getArguments(), op.getArgs()))
      if (isa<rt::EventType>(value.getType()))
        inner.events[argument] = scope.events.lookup(value);
      else {
        inner.buffers[argument] = bufferOf(value, scope);
        if (!isWhole(value, scope))
          inner.parts.insert(argument);
      }
    run(*callee.getBlock(), inner);
    return giveUp(op, callee, scope);
  }
  advance();
  // What is read, or not written whole, is needed from before.
  for (bool begins : {false, true})
    for (auto [argument, isWritten] :
         llvm::zip(op.getArgs(), beginsOf(op.getCallee())))
      if ((isWritten && isWhole(argument, scope)) == begins)
        touch(bufferOf(argument, scope), begins, moment);
  touch(frame, /*begins=*/true, moment);
  giveUp(op, callee, scope);
}

void ArenaLives::giveUp(rt::CallOp op, rt::FuncOp callee, const Scope &scope) {
  for (auto [i, argument] : llvm::enumerate(op.getArgs()))
    if (callee.givesUp(i) && isWhole(argument, scope))
      givenUp.insert(bufferOf(argument, scope));
}

void ArenaLives::run(Block &ops, Scope &scope) {
  for (Operation &op : ops) {
    if (isa<rt::AddressOp, rt::ConstantOp, rt::ViewOp, rt::TemporaryOp>(op))
      continue;
    unsigned stream = numberOf(rt::getStream(&op));
    if (auto loop = dyn_cast<rt::ForOp>(op)) {
      int64_t begin = loop.getBegin(), end = loop.getEnd();
      for (variable = std::max(begin, end - 2); variable < end; ++variable)
        run(*loop.getBlock(), scope);
    } else if (auto event = dyn_cast<rt::EventOfOp>(op)) {
      rt::EventOp symbol = events.lookup(event.getEvent());
      scope.events[event] = {symbol,
                             event.getSlotAt(variable, symbol.getSlots())};
    } else if (auto record = dyn_cast<rt::RecordOp>(op)) {
      recorded[scope.events.lookup(record.getEvent())] = known[stream];
    } else if (auto waiting = dyn_cast<rt::WaitOp>(op)) {
      Event event = scope.events.lookup(waiting.getEvent());
      if (stream == 0) {
        wait(event);
        continue;
      }
      for (auto [mine, theirs] :
           llvm::zip(known[stream], recorded.lookup(event)))
        mine = std::max(mine, theirs);
    } else if (auto inner = dyn_cast<rt::CallOp>(op)) {
      call(inner, scope);
    } else {
      advance();
      unsigned since = moment;
      if (stream != 0) {
        since = known[stream][0] + 1;
        known[stream][stream] = ++counts[stream];
      }
      for (const rt::Access &access : rt::getAccesses(&op)) {
        rt::BufferOp buffer = bufferOf(access.buffer, scope);
        touch(buffer, access.isWrite && isWhole(access.buffer, scope), since);
        if (stream != 0 && buffer)
          pending.push_back({buffer, stream, counts[stream]});
      }
    }
  }
}

void ArenaLives::run(rt::FuncOp entry) {
  entryBegin = moment;
  // What is given to any stream begins after what the last entry did.
  known[0][0] = moment;
  for (Known &stream : known)
    stream[0] = moment;
  // The runtime fills the inputs before.
  for (auto &[op, life] : lives)
    if (cast<rt::BufferOp>(op).getKind() == rt::BufferKind::Input)
      life.touch(moment, /*begins=*/true);
  Scope scope;
  run(*entry.getBlock(), scope);
  ++moment;
  // The runtime reads the outputs afterwards.
  entry.walk([&](rt::AddressOp address) {
    rt::BufferOp buffer = buffers.lookup(address.getBuffer());
    if (buffer.getKind() == rt::BufferKind::Output)
      lives[buffer].touch(moment, /*begins=*/false);
  });
  ++moment;
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
  stage.setArena(end + packAll<rt::BufferOp>(arena.lives, end));
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
