//===- LiveRanges.cpp - Live ranges of a stage's buffers ------------------===//
//
// Computes the live ranges of the buffers in the arena. Time is the order of
// ops, including the ops of the bodies that entry points call:
//
//     moment          0  1  2   3  4  5   6  7   8  9
//     calls           f(x, a)   f(y, b)   g(b)   g(a)
//     a                     [----------------------]
//     b                               [-----]
//     scratch of f    [--]      [--]
//     scratch of g                        []     []
//
// Hence an op can reuse the memory that an earlier op of the same call read
// last. The temporaries of a call are live only between their first and their
// last use.
//
// One program counter runs through all entry points, one after the other, since
// a buffer has the same offset in all of them. Most buffers whose slot depends
// on the iteration of a loop have the same number of slots, the loop's period:
// after that many iterations, the same slots are used again. So the counter
// simulates one period, skips whole periods, and simulates the last one and the
// remaining iterations. Each slot is live in the iterations that use it.
//
// If a buffer's number of slots does not divide the period, each iteration is
// assumed to use any slot that the loop reaches, and to overwrite none. If a
// buffer has many slots, neighbouring slots are one piece with a common live
// range.
//
// An operation on another stream than stream 0 may run at any moment in an
// interval. It begins after the last operation of stream 0 that the operation's
// stream has waited for, and ends when stream 0 has waited for the operation.
// The buffers of the operation are live throughout. If stream 0 never waits for
// it, they share memory with no other buffer. A buffer that one stream sends,
// and that the next stream, which waits for the first, receives into, stays
// live in between, although stream 0 waits for neither.
//
// Gradients and gathered weights are dead when an entry point begins, so they
// share memory as well. A bucket is one buffer. It is live from the first
// access to any part of it to the last, or until a call kills the whole bucket.
// If each fill of the bucket has its own offset (BucketOffsets.h), the offsets
// are the pieces of the bucket.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Lower/LiveRanges.h"
#include "passes/Codegen/Lower/BucketOffsets.h"
#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace pcc;

/// The maximum number of pieces of a buffer, and the maximum number of slots of
/// a buffer that is split into pieces. With more slots, a slot is too small to
/// be tracked separately, and too many iterations would have to be simulated.
static constexpr int64_t kMostPieces = 32, kMostSlots = 64;

/// Returns the number of slots per piece of a buffer.
static int64_t slotsOfPiece(int64_t slots) {
  return slots > kMostSlots ? slots : (slots + kMostPieces - 1) / kMostPieces;
}

static int64_t elementsOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getNumElements();
}

int64_t
pcc::findPeriod(rt::ForOp loop,
                llvm::function_ref<rt::BufferOp(rt::AddressOp)> bufferOf) {
  std::map<int64_t, int64_t> counts;
  for (auto address : loop.getBlock()->getOps<rt::AddressOp>()) {
    int64_t slots = bufferOf(address).getSlots();
    if (address.getLoop() && slots > 1 && slots <= kMostSlots)
      ++counts[slots];
  }
  // The smallest of the most common counts.
  auto most = llvm::max_element(
      counts, [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == counts.end() ? 1 : most->first;
}

LiveRanges::LiveRanges(rt::StageOp stage,
                       const rt::PersistentBuffers &persistent,
                       const BucketOffsets *rows)
    : rows(rows) {
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>()) {
    functions[function.getSymName()] = function;
    summarize(function);
  }
  addBlocks(stage, persistent);
  for (auto event : stage.getBlock()->getOps<rt::EventOp>())
    events[event.getSymName()] = event;
  std::set<int64_t> used = {0};
  stage.walk([&](Operation *op) { used.insert(rt::getStream(op)); });
  streams.assign(used.begin(), used.end());
  counts.assign(streams.size(), 0);
  known.assign(streams.size(), counts);
  std::vector<Pending> endless;
  for (StringRef name : rt::kEntries)
    if (rt::FuncOp entry = functions.lookup(name)) {
      run(entry);
      llvm::append_range(endless, pending);
      pending.clear();
      users.clear();
    }
  for (const Pending &use : endless)
    for (Piece *piece : piecesOf(use.place))
      piece->spans = {{0, moment}};
}

void LiveRanges::addBlocks(rt::StageOp stage,
                           const rt::PersistentBuffers &persistent) {
  SymbolTable symbols(stage);
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    rt::BufferOp whole = buffer.getBucket()
                             ? symbols.lookup<rt::BufferOp>(*buffer.getBucket())
                             : buffer;
    buffers[buffer.getSymName()] = whole;
    if (buffer != whole || persistent.isReserved(buffer))
      continue;
    int64_t slots = buffer.getSlots(), bytes = buffer.getSlotBytes();
    int64_t step = slotsOfPiece(slots);
    if (rows && rows->contains(buffer)) {
      slots = rows->countOffsets(buffer);
      step = 1;
    }
    MemoryBlock &block = blocks[buffer] = MemoryBlock::whole(slots * bytes);
    block.pieces.clear();
    for (int64_t slot = 0; slot < slots; slot += step)
      block.pieces.push_back(
          {slot * bytes, std::min(slot + step, slots) * bytes, {}});
    if (step == 1 && (buffer.getKind() == rt::BufferKind::Value ||
                      buffer.getKind() == rt::BufferKind::Bucket))
      block.parts = slots;
  }
  // The pieces of a scratch buffer are the temporaries of its callee.
  stage.walk([&](rt::CallOp call) {
    if (!call.getFrame())
      return;
    MemoryBlock &frame = blocks[buffers.lookup(*call.getFrame())];
    rt::FuncOp callee = functions.lookup(call.getCallee());
    int64_t bytes = callee.getFrame();
    if (auto around = dyn_cast<rt::ForOp>(call->getParentOp()); around && rows)
      frame.parts = rows->getTurns(around);
    frame.bytes = frame.parts * bytes;
    frame.pieces.clear();
    for (unsigned part = 0; part < frame.parts; ++part)
      for (auto temporary : callee.getBlock()->getOps<rt::TemporaryOp>()) {
        int64_t begin = part * bytes + int64_t(*temporary.getOffset());
        frame.pieces.push_back({begin, begin + temporary.getBytes(), {}});
      }
  });
}

void LiveRanges::summarize(rt::FuncOp function) {
  Summary &summary = summaries[function];
  for (auto temporary : function.getBlock()->getOps<rt::TemporaryOp>())
    summary.pieces.try_emplace(temporary, summary.pieces.size());
  summary.temporaries.assign(summary.pieces.size(), {1, 0});
  // For each argument, its last two uses.
  DenseMap<unsigned, std::pair<int64_t, int64_t>> last;
  for (Operation &op : *function.getBlock()) {
    unsigned at = summary.ops++;
    summary.hasStreams |=
        isa<rt::RecordOp, rt::WaitOp>(op) || rt::getStream(&op) != 0;
    for (const rt::Access &access : rt::getAccesses(&op)) {
      Value whole = rt::getViewedBuffer(access.buffer);
      if (auto temporary = whole.getDefiningOp<rt::TemporaryOp>()) {
        auto &[first, end] =
            summary.temporaries[summary.pieces.lookup(temporary)];
        first = std::min(first > end ? at : first, at);
        end = at;
      }
      auto argument = dyn_cast<BlockArgument>(whole);
      if (!argument)
        continue;
      unsigned number = argument.getArgNumber();
      // A write through a view of a part leaves the rest unchanged.
      bool begins =
          access.isWrite && elementsOf(access.buffer) == elementsOf(argument);
      auto [it, isFirst] = last.try_emplace(number, -1, -1);
      auto &[before, previous] = it->second;
      // Of accesses that do not overwrite, only the last one matters.
      if (before >= 0 && !begins && !summary.uses[previous].begins) {
        summary.uses[previous].at = at;
        continue;
      }
      before = previous;
      previous = summary.uses.size();
      summary.uses.push_back({number, at, begins});
    }
  }
  llvm::sort(summary.uses, [](const Use &a, const Use &b) {
    return std::tie(a.at, a.begins, a.argument) <
           std::tie(b.at, b.begins, b.argument);
  });
}

LiveRanges::PieceRange LiveRanges::placeOf(rt::AddressOp address) {
  rt::BufferOp buffer = buffers.lookup(address.getBuffer());
  auto found = blocks.find(buffer);
  if (found == blocks.end())
    return {};
  PieceRange place;
  place.block = &found->second;
  int64_t slots = buffer.getSlots(), step = slotsOfPiece(slots);
  place.isPiece = step == 1 && buffer.getSymName() == address.getBuffer();
  if (rows && rows->contains(buffer)) {
    place.first = rows->placeOf(address, loop ? variable : 0);
    return place;
  }
  if (!address.getLoop() || !loop || period % slots == 0) {
    int64_t now = address.getLoop() && loop ? variable : 0;
    place.first = address.getSlotAt(now, slots) / step;
    return place;
  }
  // Any slot that the loop reaches.
  int64_t first = address.getSlotAt(loop.getBegin(), slots);
  int64_t last = first + int64_t(loop.getEnd()) - int64_t(loop.getBegin()) - 1;
  place.count = place.block->pieces.size();
  if (last < slots) {
    place.first = first / step;
    place.count = last / step - first / step + 1;
  }
  place.isPiece &= slots == 1;
  return place;
}

LiveRanges::PieceRange LiveRanges::placeOf(Value value, const Scope &scope) {
  Value whole = rt::getViewedBuffer(value);
  PieceRange place;
  if (auto address = whole.getDefiningOp<rt::AddressOp>())
    place = placeOf(address);
  else if (auto temporary = whole.getDefiningOp<rt::TemporaryOp>())
    place = {scope.frame,
             scope.first + scope.function->pieces.lookup(temporary),
             /*count=*/1, /*isPiece=*/true};
  else
    place = scope.places.lookup(whole);
  place.isPiece &= elementsOf(value) == elementsOf(whole);
  return place;
}

SmallVector<Piece *> LiveRanges::piecesOf(const PieceRange &place) {
  SmallVector<Piece *> found;
  auto &pieces = place.block->pieces;
  for (unsigned i = 0; i < place.count; ++i)
    found.push_back(&pieces[(place.first + i) % pieces.size()]);
  return found;
}

void LiveRanges::touch(const PieceRange &place, bool begins, unsigned since) {
  if (!place.block)
    return;
  for (Piece *piece : piecesOf(place)) {
    unsigned last = piece->spans.empty() ? 0 : piece->spans.back().second;
    bool isFirst = piece->spans.empty() || last < entryBegin;
    bool isNew = deadPieces.erase(piece) || (begins && place.isPiece);
    piece->touch(std::max(since, last),
                 isFirst || (isNew && users.lookup(piece) == 0));
    piece->touch(moment, /*begins=*/false);
  }
}

void LiveRanges::touchOn(unsigned stream, const PieceRange &place, bool begins,
                         unsigned since) {
  touch(place, begins, since);
  if (!place.block)
    return;
  pending.push_back({place, stream, counts[stream]});
  for (Piece *piece : piecesOf(place))
    ++users[piece];
}

void LiveRanges::extend(const PieceRange &place) {
  for (Piece *piece : piecesOf(place))
    piece->touch(moment, /*begins=*/false);
}

void LiveRanges::wait(const Event &event) {
  advance();
  auto record = recorded.find(event);
  if (record == recorded.end())
    return;
  for (auto [mine, theirs] : llvm::zip(known[0], record->second))
    mine = std::max(mine, theirs);
  llvm::erase_if(pending, [&](const Pending &use) {
    if (known[0][use.stream] < use.number)
      return false;
    extend(use.place);
    for (Piece *piece : piecesOf(use.place))
      --users[piece];
    return true;
  });
}

void LiveRanges::call(rt::CallOp op, Scope &scope) {
  rt::FuncOp callee = functions.lookup(op.getCallee());
  const Summary &summary = summaries.find(callee)->second;
  MemoryBlock *frame =
      op.getFrame() ? &blocks[buffers.lookup(*op.getFrame())] : nullptr;
  // In a loop, the part of the scratch buffer for the current iteration.
  unsigned first =
      frame && loop ? variable % frame->parts * summary.temporaries.size() : 0;
  SmallVector<PieceRange> given;
  for (Value value : op.getArgs())
    given.push_back(isa<MemRefType>(value.getType()) ? placeOf(value, scope)
                                                     : PieceRange());
  if (summary.hasStreams) {
    Scope inner;
    inner.frame = frame;
    inner.first = first;
    inner.function = &summary;
    for (auto [argument, value, place] :
         llvm::zip(callee.getBlock()->getArguments(), op.getArgs(), given))
      if (isa<rt::EventType>(value.getType()))
        inner.events[argument] = scope.events.lookup(value);
      else
        inner.places[argument] = place;
    run(*callee.getBlock(), inner);
  } else {
    unsigned begin = moment + 1;
    for (const Use &use : summary.uses) {
      moment = begin + use.at;
      touch(given[use.argument], use.begins, moment);
    }
    for (auto [i, span] : llvm::enumerate(summary.temporaries)) {
      if (span.first > span.second)
        continue;
      Piece &piece = frame->pieces[first + i];
      piece.touch(begin + span.first, /*begins=*/true);
      piece.touch(begin + span.second, /*begins=*/false);
    }
    moment = begin + summary.ops;
    known[0][0] = moment;
  }
  for (auto [i, place] : llvm::enumerate(given))
    if (place.block && place.isPiece && callee.isDeadAfterCall(i))
      deadPieces.insert(piecesOf(place).front());
}

void LiveRanges::skipIterations(int64_t turns) {
  llvm::DenseSet<Operation *> turning;
  for (auto event : loop.getBlock()->getOps<rt::EventOfOp>())
    if (event.getLoop())
      turning.insert(events.lookup(event.getEvent()));
  llvm::DenseMap<Event, Known> moved;
  for (auto &[event, what] : recorded) {
    auto [op, slot] = event;
    if (turning.contains(op))
      slot = (slot + turns) % int64_t(cast<rt::EventOp>(op).getSlots());
    moved[{op, slot}] = what;
  }
  recorded = std::move(moved);
  variable += turns;
}

void LiveRanges::run(rt::ForOp op, Scope &scope) {
  loop = op;
  period = findPeriod(op, [&](rt::AddressOp address) {
    return buffers.lookup(address.getBuffer());
  });
  if (rows)
    period = std::lcm(period, rows->getTurns(op));
  int64_t begin = op.getBegin(), end = op.getEnd();
  int64_t left = std::max<int64_t>((end - begin) / period - 2, 0);
  for (variable = begin; variable < end; ++variable) {
    if (left > 0 && variable == begin + period)
      skipIterations(left * period);
    run(*op.getBlock(), scope);
  }
  loop = nullptr;
}

void LiveRanges::run(Block &ops, Scope &scope) {
  for (Operation &op : ops) {
    if (isa<rt::AddressOp, rt::ConstantOp, rt::CommIndexOp, rt::ViewOp>(op))
      continue;
    // A temporary is dead when a call begins.
    if (isa<rt::TemporaryOp>(op)) {
      deadPieces.insert(
          &scope.frame->pieces[scope.first + scope.function->pieces.at(&op)]);
      continue;
    }
    unsigned stream = numberOf(rt::getStream(&op));
    if (auto inner = dyn_cast<rt::ForOp>(op)) {
      run(inner, scope);
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
        PieceRange place = placeOf(access.buffer, scope);
        if (stream == 0)
          touch(place, access.isWrite, since);
        else
          touchOn(stream, place, access.isWrite, since);
      }
    }
  }
}

void LiveRanges::run(rt::FuncOp entry) {
  entryBegin = moment;
  // Operations of all streams start after the previous entry point has ended.
  for (Known &stream : known)
    stream[0] = moment;
  // The runtime fills inputs beforehand, except those that the entry point
  // fills.
  for (auto &[op, block] : blocks)
    if (auto buffer = cast<rt::BufferOp>(op);
        buffer.getKind() == rt::BufferKind::Input && !buffer.getRefilled())
      for (Piece &piece : block.pieces)
        piece.touch(moment, /*begins=*/true);
  Scope scope;
  run(*entry.getBlock(), scope);
  ++moment;
  // The runtime reads the outputs afterwards.
  entry.walk([&](rt::AddressOp address) {
    rt::BufferOp buffer = buffers.lookup(address.getBuffer());
    if (buffer.getKind() == rt::BufferKind::Output)
      for (Piece &piece : blocks[buffer].pieces)
        piece.touch(moment, /*begins=*/false);
  });
  ++moment;
}
