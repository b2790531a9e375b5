//===- VerifyClocks.cpp - Race detection between streams ------------------===//
//
// Walks the entry points in program order with vector clocks (Clocks.h) over
// the bytes of the arena. A function whose ops are all on the compute stream
// counts as one operation with all of their accesses; these are collected once.
//
// Work that one entry point leaves running may race with the next one,
// whichever that is. So all entry points are run on every state that any of
// them leaves, until no new state appears. States are compared by canonical
// keys. If a program has one entry point, which waits for all streams at its
// end, two runs of it are enough.
//
// Iterations of a loop are skipped once they repeat, as in Verify.cpp. Buffers
// with many slots are tracked separately (SeparateBytes.h): for skipped
// iterations the accesses to them are simulated with the clocks that these
// iterations would have.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Verify/VerifyClocks.h"
#include "passes/Codegen/Verify/Clocks.h"
#include "passes/Codegen/Verify/SeparateBytes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <numeric>
#include <set>

using namespace mlir;
using namespace pcc;

namespace {

/// The most runs of entry points; more than any program needs whose states
/// repeat.
constexpr int64_t kMostRuns = 64;

/// Bytes that a function on the compute stream accesses.
struct FunctionAccess {
  /// The argument that they belong to; none: the frame.
  std::optional<unsigned> argument;
  int64_t begin, end;
  bool isWrite;
  /// One of the ops with this access.
  Operation *op;
};

/// The bytes of a value in the arena.
struct ByteRange {
  int64_t begin = 0, end = 0;
  /// The buffer, if it is tracked separately in the current loop; `behind` is
  /// the slot minus the loop's variable.
  rt::BufferOp separate = nullptr;
  int64_t behind = 0;
  /// Whether it is a shard of a bucket. The shard's offset depends on the rank,
  /// so its range is the whole bucket.
  bool isShard = false;
};

/// A buffer of the stage. Sizes are computed once: a schedule names a buffer
/// many times.
struct Buffer {
  rt::BufferOp op;
  SlotOffsets offsets;
  /// The bytes of a slot without padding.
  int64_t bytes;
};

/// The values of a function.
struct Scope {
  DenseMap<Value, ByteRange> ranges;
  /// The numbers of event instances.
  DenseMap<Value, int64_t> events;
  int64_t frame = 0;
  /// Null for an entry point.
  rt::CallOp call = nullptr;
};

/// An access in a loop to a buffer that is tracked separately.
struct SeparateAccess {
  Buffer buffer;
  int64_t behind;
  /// Within the slot.
  int64_t begin, end;
  bool isWrite;
  TimedAccess access;
  Clock clock;
  /// The iteration's variable.
  int64_t turn;
};

/// The loop that is being run.
struct TimedLoop {
  rt::ForOp op;
  int64_t variable = 0;
  /// The number of iterations after which slots repeat, except those of
  /// `separate`; 0: none that allows to skip iterations.
  int64_t period = 1;
  llvm::SetVector<Operation *> separate;
  /// The bytes of these buffers.
  SeparateBytes separateBytes;
  /// The accesses to them in the current period.
  std::vector<SeparateAccess> accesses;
};

class ClockVerifier {
public:
  explicit ClockVerifier(rt::StageOp stage);
  LogicalResult verify();

private:
  LogicalResult run(rt::FuncOp entry);
  LogicalResult walk(Block &block, Scope &scope);
  LogicalResult walk(Operation *op, Scope &scope);
  LogicalResult walk(rt::ForOp op, Scope &scope);
  LogicalResult call(rt::CallOp op, Scope &scope);
  LogicalResult wait(rt::WaitOp op, Scope &scope);
  /// Issues an operation to its stream.
  LogicalResult issue(Operation *op, Scope &scope);
  LogicalResult access(Operation *op, rt::CallOp call, int64_t stream,
                       const ByteRange &place, bool isWrite);
  /// Simulates the runtime's accesses before or after an entry point.
  LogicalResult accessByRuntime(rt::FuncOp entry, bool isBefore);
  LogicalResult report(Operation *op, rt::CallOp call, int64_t stream,
                       bool isWrite, const TimedAccess &other);
  /// Returns the accesses of a function if all of its ops are on the compute
  /// stream.
  const std::optional<std::vector<FunctionAccess>> &usesOf(rt::FuncOp function);
  void findPeriod();
  /// Skips the rest of a loop's whole periods. Returns false and does nothing
  /// if it cannot prove that these repeat the last one, which started from
  /// `before` (without separately tracked buffers).
  FailureOr<bool> skipPeriods(const ClockState &before);
  ByteRange rangeOf(rt::AddressOp address);
  const Buffer &bufferOf(FlatSymbolRefAttr name);
  const Buffer &bufferOf(rt::AddressOp address) {
    return bufferOf(address.getBufferAttr());
  }

  /// Counts a new operation of a stream.
  void begin(int64_t stream) {
    state.clocks[stream][stream] = ++state.counts[stream];
  }
  int64_t streamOf(Operation *op) const {
    return llvm::lower_bound(streams, rt::getStream(op)) - streams.begin();
  }

  rt::StageOp stage;
  SymbolTable symbols;
  SmallVector<rt::FuncOp> entries;
  /// The streams in use, ascending; the first is the compute stream.
  SmallVector<int64_t> streams;
  /// The number of each event's first slot.
  DenseMap<Operation *, int64_t> firstSlots;
  /// The buffers that were looked up so far.
  DenseMap<Attribute, Buffer> buffers;
  DenseMap<Operation *, std::optional<std::vector<FunctionAccess>>> uses;
  ClockState state;
  std::optional<TimedLoop> loop;
  /// The number of entry points that were run.
  int64_t runs = 0;
};

} // namespace

ClockVerifier::ClockVerifier(rt::StageOp stage) : stage(stage), symbols(stage) {
  std::set<int64_t> used = {0};
  stage.walk([&](Operation *op) { used.insert(rt::getStream(op)); });
  streams.assign(used.begin(), used.end());
  state.counts.assign(streams.size(), 0);
  state.clocks.assign(streams.size(), Clock(streams.size(), 0));
  int64_t slots = 0;
  for (auto event : stage.getBlock()->getOps<rt::EventOp>()) {
    firstSlots[event] = slots;
    slots += event.getSlots();
  }
  state.events.resize(slots);
  for (StringRef name : rt::kEntries)
    if (auto entry = symbols.lookup<rt::FuncOp>(name))
      entries.push_back(entry);
}

LogicalResult ClockVerifier::verify() {
  // With one stream nothing can be out of order.
  bool hasEvents = !state.events.empty();
  if (streams.size() == 1 && !hasEvents)
    return success();
  std::set<std::vector<int64_t>> known;
  std::deque<ClockState> open;
  auto add = [&] {
    if (known.insert(state.canonicalize()).second)
      open.push_back(state);
  };
  for (add(); !open.empty(); open.pop_front())
    for (rt::FuncOp entry : entries) {
      state = open.front();
      if (runs == kMostRuns)
        return stage.emitOpError() << "has stream synchronization that reaches "
                                      "no fixed point after "
                                   << runs << " runs of its entry points";
      if (failed(run(entry)))
        return failure();
      add();
    }
  return success();
}

LogicalResult ClockVerifier::accessByRuntime(rt::FuncOp entry, bool isBefore) {
  begin(0);
  llvm::SmallPtrSet<Operation *, 4> named;
  if (!isBefore)
    entry.walk(
        [&](rt::AddressOp address) { named.insert(bufferOf(address).op); });
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    rt::BufferKind kind = buffer.getKind();
    // Members of a sharded bucket have no offset; the bucket is accessed
    // instead.
    bool isPersistent =
        kind == rt::BufferKind::Param || kind == rt::BufferKind::State;
    bool isRead =
        (isPersistent && buffer.getOffset()) ||
        (kind == rt::BufferKind::Bucket && !buffer.getShardAxes().empty()) ||
        (kind == rt::BufferKind::Output && named.contains(buffer));
    bool isFilled = kind == rt::BufferKind::Input && !buffer.getRefilled();
    if (isBefore ? !isFilled : !isRead)
      continue;
    int64_t begin = *buffer.getOffset();
    int64_t end = begin + buffer.getTotalBytes();
    std::optional<TimedAccess> other =
        state.add({0, state.counts[0], nullptr, runs}, state.clocks[0], begin,
                  end, isBefore);
    if (!other)
      continue;
    InFlightDiagnostic diag =
        other->op->emitOpError()
        << "on stream " << streams[other->stream] << " may still be running "
        << (isBefore ? "when inputs are filled for @"
                     : "when the runtime reads the results of @")
        << entry.getSymName() << ": stream 0 waits for no event "
        << "recorded after it";
    diag.attachNote(buffer.getLoc()) << "it accesses bytes of this buffer";
    return diag;
  }
  return success();
}

LogicalResult ClockVerifier::run(rt::FuncOp entry) {
  if (failed(accessByRuntime(entry, /*isBefore=*/true)))
    return failure();
  Clock now = state.clocks[0];
  for (Clock &clock : state.clocks)
    join(clock, now);
  Scope scope;
  if (failed(walk(*entry.getBlock(), scope)) ||
      failed(accessByRuntime(entry, /*isBefore=*/false)))
    return failure();
  now = state.clocks[0];
  for (Clock &clock : state.clocks)
    join(clock, now);
  ++runs;
  return success();
}

LogicalResult ClockVerifier::walk(Block &block, Scope &scope) {
  for (Operation &op : block)
    if (failed(walk(&op, scope)))
      return failure();
  return success();
}

const Buffer &ClockVerifier::bufferOf(FlatSymbolRefAttr name) {
  auto [it, isNew] = buffers.try_emplace(name);
  if (isNew) {
    auto op = cast<rt::BufferOp>(symbols.lookup(name.getAttr()));
    it->second = {op, SlotOffsets(op), op.getBytes()};
  }
  return it->second;
}

ByteRange ClockVerifier::rangeOf(rt::AddressOp address) {
  Buffer buffer = bufferOf(address);
  int64_t variable = loop ? loop->variable : 0;
  int64_t slot = address.getSlotAt(variable, buffer.offsets.slots);
  ByteRange place;
  place.begin = buffer.offsets[slot];
  place.end = place.begin + buffer.bytes;
  if (buffer.op.getKind() == rt::BufferKind::Part) {
    place.end = place.begin + bufferOf(buffer.op.getBucketAttr()).bytes;
    place.isShard = true;
  }
  if (loop && address.getLoop() && loop->separate.contains(buffer.op)) {
    place.separate = buffer.op;
    place.behind = slot - variable;
  }
  return place;
}

LogicalResult ClockVerifier::walk(Operation *op, Scope &scope) {
  if (auto address = dyn_cast<rt::AddressOp>(op)) {
    scope.ranges[address] = rangeOf(address);
  } else if (auto temporary = dyn_cast<rt::TemporaryOp>(op)) {
    int64_t begin = scope.frame + int64_t(temporary.getOffset().value_or(0));
    scope.ranges[temporary] = {begin,
                               begin + rt::getSpanBytes(temporary.getType())};
  } else if (auto view = dyn_cast<rt::ViewOp>(op)) {
    auto source = scope.ranges.find(view.getSource());
    if (source == scope.ranges.end())
      return success();
    ByteRange place = source->second;
    if (!place.isShard) {
      place.begin += int64_t(view.getOffset()) *
                     rt::getElementBytes(view.getType().getElementType());
      place.end = place.begin + rt::getSpanBytes(view.getType());
    }
    scope.ranges[view] = place;
  } else if (auto event = dyn_cast<rt::EventOfOp>(op)) {
    auto symbol =
        cast<rt::EventOp>(symbols.lookup(event.getEventAttr().getAttr()));
    scope.events[event] =
        firstSlots.lookup(symbol) +
        event.getSlotAt(loop ? loop->variable : 0, symbol.getSlots());
  } else if (auto record = dyn_cast<rt::RecordOp>(op)) {
    state.events[scope.events.lookup(record.getEvent())] =
        state.clocks[streamOf(op)];
  } else if (auto waits = dyn_cast<rt::WaitOp>(op)) {
    return wait(waits, scope);
  } else if (auto inner = dyn_cast<rt::ForOp>(op)) {
    return walk(inner, scope);
  } else if (auto inner = dyn_cast<rt::CallOp>(op)) {
    return call(inner, scope);
  } else if (!isa<rt::ConstantOp, rt::CommIndexOp, rt::GraphOp>(op)) {
    return issue(op, scope);
  }
  return success();
}

LogicalResult ClockVerifier::wait(rt::WaitOp op, Scope &scope) {
  const std::optional<Clock> &event =
      state.events[scope.events.lookup(op.getEvent())];
  if (!event) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "waits for an event that nothing has recorded";
    if (scope.call)
      diag.attachNote(scope.call.getLoc()) << "called here";
    return diag;
  }
  join(state.clocks[streamOf(op)], *event);
  return success();
}

LogicalResult ClockVerifier::issue(Operation *op, Scope &scope) {
  int64_t stream = streamOf(op);
  begin(stream);
  for (const rt::Access &made : rt::getAccesses(op)) {
    // Constants are not in the arena.
    auto place = scope.ranges.find(made.buffer);
    if (place != scope.ranges.end() &&
        failed(access(op, scope.call, stream, place->second, made.isWrite)))
      return failure();
  }
  return success();
}

LogicalResult ClockVerifier::access(Operation *op, rt::CallOp call,
                                    int64_t stream, const ByteRange &place,
                                    bool isWrite) {
  TimedAccess access = {stream, state.counts[stream], op, runs};
  const Clock &clock = state.clocks[stream];
  if (loop && place.separate) {
    rt::BufferOp slotted = place.separate;
    const Buffer &buffer =
        bufferOf(FlatSymbolRefAttr::get(slotted.getSymNameAttr()));
    int64_t slotBegin = buffer.offsets[place.behind + loop->variable];
    loop->accesses.push_back({buffer, place.behind, place.begin - slotBegin,
                              place.end - slotBegin, isWrite, access, clock,
                              loop->variable});
  } else if (loop) {
    loop->separateBytes.disturb(place.begin, place.end);
  }
  std::optional<TimedAccess> other =
      state.add(access, clock, place.begin, place.end, isWrite);
  return other ? report(op, call, stream, isWrite, *other) : success();
}

LogicalResult ClockVerifier::report(Operation *op, rt::CallOp call,
                                    int64_t stream, bool isWrite,
                                    const TimedAccess &other) {
  InFlightDiagnostic diag = op->emitOpError();
  diag << (isWrite ? "writes" : "reads") << " bytes on stream "
       << streams[stream] << " that stream " << streams[other.stream]
       << " may still be using: no event orders the two";
  if (other.op)
    diag.attachNote(other.op->getLoc())
        << "used here"
        << (other.run < runs ? ", by an earlier entry point" : "");
  else
    diag.attachNote(stage.getLoc()) << "used by the runtime between entries";
  if (call)
    diag.attachNote(call.getLoc()) << "called here";
  return diag;
}

const std::optional<std::vector<FunctionAccess>> &
ClockVerifier::usesOf(rt::FuncOp function) {
  auto [it, isNew] = uses.try_emplace(function);
  if (!isNew)
    return it->second;
  struct Part {
    bool isWrite;
    Operation *op;
    bool operator==(const Part &other) const {
      return isWrite == other.isWrite;
    }
  };
  // The base of a value: the frame or an argument.
  struct Root {
    std::optional<unsigned> argument;
    int64_t begin;
  };
  DenseMap<Value, Root> roots;
  for (BlockArgument argument : function.getBlock()->getArguments())
    roots[argument] = {argument.getArgNumber(), 0};
  std::vector<Intervals<Part>> parts(1 +
                                     function.getBlock()->getNumArguments());
  for (Operation &op : *function.getBlock()) {
    if (isa<rt::RecordOp, rt::WaitOp>(op) || rt::getStream(&op) != 0)
      return it->second;
    if (auto temporary = dyn_cast<rt::TemporaryOp>(op))
      roots[temporary] = {std::nullopt,
                          int64_t(temporary.getOffset().value_or(0))};
    if (auto view = dyn_cast<rt::ViewOp>(op);
        view && roots.contains(view.getSource())) {
      Root root = roots.lookup(view.getSource());
      root.begin += int64_t(view.getOffset()) *
                    rt::getElementBytes(view.getType().getElementType());
      roots[view] = root;
    }
    for (const rt::Access &access : rt::getAccesses(&op)) {
      auto root = roots.find(access.buffer);
      if (root == roots.end())
        continue;
      auto [argument, begin] = root->second;
      int64_t end =
          begin + rt::getSpanBytes(cast<MemRefType>(access.buffer.getType()));
      Intervals<Part> &all = parts[argument ? 1 + *argument : 0];
      if (access.isWrite) {
        all.set(begin, end, {true, &op});
        continue;
      }
      // A write conflicts with all accesses that a read conflicts with, so a
      // read of bytes that the function writes adds nothing.
      all.change(begin, end, [&](Part &part) {
        if (!part.op)
          part = {false, &op};
      });
    }
  }
  std::vector<FunctionAccess> found;
  for (auto [index, all] : llvm::enumerate(parts))
    for (const auto &[begin, end, part] : all.getRuns())
      found.push_back(
          {index ? std::optional<unsigned>(index - 1) : std::nullopt, begin,
           end, part.isWrite, part.op});
  it->second = std::move(found);
  return it->second;
}

LogicalResult ClockVerifier::call(rt::CallOp op, Scope &scope) {
  auto callee = cast<rt::FuncOp>(symbols.lookup(op.getCalleeAttr().getAttr()));
  int64_t frame = 0;
  if (FlatSymbolRefAttr symbol = op.getFrameAttr())
    frame = bufferOf(symbol).offsets[loop ? loop->variable : 0];
  if (const auto &uses = usesOf(callee)) {
    begin(0);
    for (const FunctionAccess &use : *uses) {
      ByteRange place;
      if (use.argument) {
        auto found = scope.ranges.find(op.getArgs()[*use.argument]);
        if (found == scope.ranges.end())
          continue;
        place = found->second;
      } else {
        place.begin = frame;
      }
      if (!place.isShard) {
        place.end = place.begin + use.end;
        place.begin += use.begin;
      }
      if (failed(access(use.op, op, 0, place, use.isWrite)))
        return failure();
    }
    return success();
  }
  Scope inner;
  inner.frame = frame;
  inner.call = op;
  for (auto [argument, value] :
       llvm::zip(callee.getBlock()->getArguments(), op.getArgs())) {
    if (auto place = scope.ranges.find(value); place != scope.ranges.end())
      inner.ranges[argument] = place->second;
    if (isa<rt::EventType>(value.getType()))
      inner.events[argument] = scope.events.lookup(value);
  }
  return walk(*callee.getBlock(), inner);
}

void ClockVerifier::findPeriod() {
  // Two periods are simulated and compared, and at least one more is skipped.
  int64_t turns = int64_t(loop->op.getEnd()) - int64_t(loop->op.getBegin());
  auto fits = [&](int64_t slots, int64_t longest) {
    int64_t period = std::lcm(loop->period, slots);
    if (loop->period == 0 || period > longest)
      return false;
    loop->period = period;
    return true;
  };
  for (auto event : loop->op.getBlock()->getOps<rt::EventOfOp>())
    if (event.getLoop() &&
        !fits(symbols.lookup<rt::EventOp>(event.getEvent()).getSlots(),
              turns / 3))
      loop->period = 0;
  int64_t longest = std::min(turns / 3, std::max(loop->period, kMaxPeriod));
  auto turnsOf = [&](rt::AddressOp address) {
    return address.getTurns(bufferOf(address).offsets.slots).second;
  };
  for (auto call : loop->op.getBlock()->getOps<rt::CallOp>())
    if (FlatSymbolRefAttr frame = call.getFrameAttr();
        frame && !fits(bufferOf(frame).offsets.slots, longest))
      loop->period = 0;
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>())
    if (address.getAmong() && !fits(turnsOf(address), longest))
      loop->period = 0;
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>())
    if (address.getLoop() && !address.getAmong() &&
        !fits(turnsOf(address), longest))
      loop->separate.insert(bufferOf(address).op);
  // Separate tracking needs a slot that is relative to the loop's variable.
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>())
    if ((!address.getLoop() || address.getAmong()) &&
        loop->separate.contains(bufferOf(address).op))
      loop->period = 0;
  for (Operation *op : loop->separate)
    loop->separateBytes.add(cast<rt::BufferOp>(op));
}

FailureOr<bool> ClockVerifier::skipPeriods(const ClockState &before) {
  if (loop->separateBytes.takeNew())
    return false;
  Ranges separate = loop->separateBytes.list();
  std::optional<Growth> growth = Growth::find(before, state.outside(separate));
  if (!growth)
    return false;
  int64_t periods =
      (int64_t(loop->op.getEnd()) - loop->variable) / loop->period;
  int64_t end = loop->variable + periods * loop->period;
  for (int64_t i = 0; i <= periods; ++i)
    for (const SeparateAccess &made : loop->accesses)
      if (int64_t base =
              made.buffer.offsets[made.turn + i * loop->period + made.behind];
          loop->separateBytes.isDisturbed(base + made.begin, base + made.end))
        return false;
  for (int64_t i = 1; i <= periods; ++i)
    for (const SeparateAccess &made : loop->accesses) {
      int64_t turn = made.turn + i * loop->period;
      if (!loop->separateBytes.mustSimulate(turn, loop->variable, end,
                                            made.buffer.offsets.slots))
        continue;
      int64_t base = made.buffer.offsets[turn + made.behind];
      TimedAccess access = made.access;
      access.number = growth->grow(access.stream, access.number, i);
      std::optional<TimedAccess> other =
          state.add(access, growth->grow(made.clock, i), base + made.begin,
                    base + made.end, made.isWrite);
      if (other)
        return report(access.op, nullptr, access.stream, made.isWrite, *other);
    }
  growth->grow(state, periods, separate);
  loop->variable = end;
  return true;
}

LogicalResult ClockVerifier::walk(rt::ForOp op, Scope &scope) {
  loop.emplace();
  loop->op = op;
  findPeriod();
  std::optional<ClockState> before;
  int64_t begin = op.getBegin(), end = op.getEnd();
  loop->variable = begin;
  while (loop->variable < end) {
    if (loop->period && (loop->variable - begin) % loop->period == 0) {
      if (before) {
        FailureOr<bool> isSkipped = skipPeriods(*before);
        if (failed(isSkipped))
          return failure();
        before.reset();
        // Less than a period remains.
        if (*isSkipped)
          loop->period = 0;
      }
      if (loop->period && loop->variable + 2 * loop->period <= end &&
          isCompared((loop->variable - begin) / loop->period)) {
        loop->separateBytes.takeNew();
        before = state.outside(loop->separateBytes.list());
      }
      loop->accesses.clear();
      if (loop->variable == end)
        break;
    }
    if (failed(walk(*op.getBlock(), scope)))
      return failure();
    ++loop->variable;
  }
  loop.reset();
  return success();
}

LogicalResult pcc::verifyClocks(rt::StageOp stage) {
  return ClockVerifier(stage).verify();
}
