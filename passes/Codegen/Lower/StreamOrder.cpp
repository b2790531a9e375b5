//===- StreamOrder.cpp - Stream synchronization ---------------------------===//
//
// Orders the operations of streams by events. A buffer has an event for each
// stream other than stream 0 that uses it and is waited for, with as many slots
// as the buffer. The event is recorded after each use, and waited for ahead of
// the next use on another stream. So a wait for the transfer of one slot does
// not wait for the next slot's. One event, `issued`, serves all buffers that
// stream 0 uses:
//
//     rt.wait %sent               the previous send from this slot, if any
//     rt.call @make(..., %x)
//     rt.record %issued
//     rt.wait %issued stream 1    all operations issued on stream 0 so far
//     rt.send %x ... stream 1
//     rt.record %sent stream 1
//
// The waits that are needed are found with vector clocks, simulated through the
// whole entry point, iteration by iteration. A wait that is needed in any
// iteration of a loop is emitted for all iterations. In the first iterations
// the event may not have been recorded yet; then the entry point begins with a
// record.
//
// A bucket of gradients that is reduced in each microbatch is dead after its
// reduction. The compute stream waits for that reduction once the reductions of
// the next task are issued, so that later buckets can reuse the memory:
//
//     rt.call @backward.1(..., %row.1)
//     rt.call @reduce.1(%sum.1, %row.1)        stream 1
//     rt.wait %row.2.done
//     rt.call @backward.0(..., %row.0)         may reuse the memory of %row.2
//
//===----------------------------------------------------------------------===//

#include "dialects/RT/Persistence.h"
#include "passes/Codegen/Lower/Streams.h"
#include "llvm/ADT/SetVector.h"
#include <set>

using namespace mlir;
using namespace pcc;

namespace {

/// The number of operations of each stream that are known to be complete.
using Known = SmallVector<int64_t, 6>;

/// An operation of a stream: one op, or a call.
struct StreamOp {
  /// A use of a buffer's slot.
  struct Use {
    rt::AddressOp address;
    rt::BufferOp buffer;
    bool isWrite;
  };

  Operation *op;
  unsigned stream;
  SmallVector<Use, 2> uses;
  /// Whether it waits for all operations issued on stream 0 so far. Its own
  /// buffers may not require this, but other buffers may have used the memory
  /// before.
  bool waitsForCompute = false;
  /// The waits for other streams: the index of the use whose buffer is waited
  /// for, and the stream.
  llvm::SetVector<std::pair<unsigned, unsigned>> waits;
  /// `freed`: the gradient bucket of a microbatch that is dead after this
  /// operation, or null. `freedBefore`, set on the last operation that frees a
  /// bucket after a task: the last bucket that was freed after previous tasks.
  rt::BufferOp freed, freedBefore;
  /// Whether stream 0 waits for `freedBefore` after this operation.
  bool isAwaited = false;
};

/// A sequence of operations, executed once or in a loop.
struct OpList {
  int64_t begin = 0, end = 1;
  std::vector<StreamOp> units;
};

/// The last uses of a slot: the last writer, and for each stream the number of
/// its last operation; 0 for none.
struct Uses {
  std::pair<unsigned, int64_t> writer = {0, 0};
  Known readers;
};

class StreamOrder {
public:
  explicit StreamOrder(rt::StageOp stage) : stage(stage), symbols(stage) {
    for (auto sum : stage.getBlock()->getOps<rt::BufferOp>())
      if (rt::BufferOp row = rt::bucketSummedIn(sum, symbols))
        summed.insert(row);
  }
  LogicalResult run();

private:
  /// An instance of an event: buffer, stream and slot.
  using Instance = std::tuple<Operation *, unsigned, int64_t>;

  LogicalResult collect(rt::FuncOp entry, std::vector<OpList> &parts);
  LogicalResult collect(Operation *op, OpList &part);
  /// Returns the stream of a function's operations; fails if there are several.
  FailureOr<unsigned> streamOf(rt::FuncOp function);
  /// Sets `freedBefore` of all operations.
  void linkFreed(std::vector<OpList> &parts);
  void follow(std::vector<OpList> &parts);
  void follow(StreamOp &unit, int64_t variable);
  void awaitFreed(StreamOp &unit);
  void emit(StreamOp &unit);
  void emitBorders(rt::FuncOp entry);
  Value eventOf(OpBuilder &builder, Location loc, rt::BufferOp buffer,
                unsigned stream, Value loop, int64_t slot);
  Value issued(OpBuilder &builder, Location loc);
  unsigned numberOf(int64_t stream) const {
    return llvm::lower_bound(streams, stream) - streams.begin();
  }

  rt::StageOp stage;
  SymbolTable symbols;
  /// The streams that are used; the first is the compute stream.
  SmallVector<int64_t> streams;
  /// The buffers that streams other than the compute stream use.
  llvm::DenseSet<Operation *> shared;
  /// Gradient buckets whose sum is sharded over ranks.
  llvm::DenseSet<Operation *> summed;
  /// The suffixes of the names of events, by buffer and stream; the events that
  /// are waited for; and their declarations.
  std::map<std::pair<Operation *, unsigned>, StringRef> kinds;
  std::set<std::pair<Operation *, unsigned>> waited;
  std::map<std::pair<Operation *, unsigned>, rt::EventOp> events;
  rt::EventOp issuedEvent;

  // State of the current entry point.
  bool hasComputed = false;
  Known counts;
  std::vector<Known> known;
  DenseMap<std::pair<Operation *, int64_t>, Uses> uses;
  std::map<Instance, Known> recorded;
  /// The events that are waited for before they are recorded, in this order.
  llvm::SetVector<Instance, std::vector<Instance>, std::set<Instance>> early;
  /// By stream, the event that is recorded after its last operation.
  std::vector<std::optional<Instance>> last;
};

} // namespace

static void join(Known &known, const Known &other) {
  for (auto [mine, theirs] : llvm::zip(known, other))
    mine = std::max(mine, theirs);
}

FailureOr<unsigned> StreamOrder::streamOf(rt::FuncOp function) {
  std::optional<unsigned> found;
  for (Operation &op : *function.getBlock()) {
    if (rt::getAccesses(&op).empty())
      continue;
    unsigned stream = numberOf(rt::getStream(&op));
    if (found && *found != stream)
      return LogicalResult(op.emitOpError()
                           << "is on another stream than the preceding "
                              "operations of '@"
                           << function.getSymName() << "'");
    found = stream;
  }
  return found.value_or(0);
}

LogicalResult StreamOrder::collect(Operation *op, OpList &part) {
  StreamOp unit{op, numberOf(rt::getStream(op)), {}, false, {}, {}, {}};
  auto use = [&](Value value, bool isWrite) {
    auto address = rt::getViewedBuffer(value).getDefiningOp<rt::AddressOp>();
    if (!address)
      return;
    auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
    // A use of a member is a use of its bucket.
    if (auto bucket = buffer.getBucket())
      buffer = symbols.lookup<rt::BufferOp>(*bucket);
    unit.uses.push_back({address, buffer, isWrite});
  };
  if (auto call = dyn_cast<rt::CallOp>(op)) {
    auto callee = symbols.lookup<rt::FuncOp>(call.getCallee());
    FailureOr<unsigned> stream = streamOf(callee);
    if (failed(stream))
      return failure();
    unit.stream = *stream;
    for (Operation &inner : *callee.getBlock())
      for (const rt::Access &access : rt::getAccesses(&inner))
        if (auto argument =
                dyn_cast<BlockArgument>(rt::getViewedBuffer(access.buffer)))
          use(call.getArgs()[argument.getArgNumber()], access.isWrite);
    for (const StreamOp::Use &one : unit.uses)
      if (unit.stream != 0 && summed.contains(one.buffer))
        unit.freed = one.buffer;
  }
  for (const rt::Access &access : rt::getAccesses(op))
    use(access.buffer, access.isWrite);
  unit.waitsForCompute = unit.stream != 0 && hasComputed;
  if (unit.stream == 0)
    hasComputed |= !unit.uses.empty();
  if (!unit.uses.empty())
    part.units.push_back(std::move(unit));
  return success();
}

LogicalResult StreamOrder::collect(rt::FuncOp entry,
                                   std::vector<OpList> &parts) {
  hasComputed = false;
  auto flat = [&]() -> OpList & {
    if (parts.empty() || parts.back().end != 1 || parts.back().begin != 0)
      parts.emplace_back();
    return parts.back();
  };
  for (Operation &op : *entry.getBlock()) {
    auto loop = dyn_cast<rt::ForOp>(op);
    if (!loop) {
      if (failed(collect(&op, flat())))
        return failure();
      continue;
    }
    OpList &part = parts.emplace_back();
    part.begin = loop.getBegin();
    part.end = loop.getEnd();
    for (Operation &inner : *loop.getBlock())
      if (failed(collect(&inner, part)))
        return failure();
    // The first operations of an iteration wait for the computation of the
    // previous one.
    if (hasComputed && part.end - part.begin > 1)
      for (StreamOp &unit : part.units)
        unit.waitsForCompute = unit.stream != 0;
    parts.emplace_back();
  }
  return success();
}

void StreamOrder::linkFreed(std::vector<OpList> &parts) {
  /// The buckets that a stream frees between two calls on the compute stream.
  struct Freed {
    rt::BufferOp before, last;
    StreamOp *unit = nullptr;
  };
  std::map<unsigned, Freed> known;
  auto close = [&] {
    for (auto &[stream, freed] : known)
      if (freed.unit) {
        freed.unit->freedBefore = std::exchange(freed.before, freed.last);
        freed.unit = nullptr;
      }
  };
  for (OpList &part : parts) {
    // In a loop, the last operation of an iteration precedes the first of the
    // next.
    if (part.end - part.begin > 1)
      for (StreamOp &unit : part.units)
        if (unit.freed)
          known[unit.stream].before = unit.freed;
    for (StreamOp &unit : part.units) {
      if (unit.stream == 0 && isa<rt::CallOp>(unit.op))
        close();
      if (unit.freed)
        known[unit.stream] = {known[unit.stream].before, unit.freed, &unit};
    }
    close();
  }
}

/// Makes stream 0 wait for the last use of the bucket `unit.freedBefore` on the
/// stream of `unit`, after which that bucket is dead.
void StreamOrder::awaitFreed(StreamOp &unit) {
  auto before = uses.find({unit.freedBefore, 0});
  if (before == uses.end() && !unit.isAwaited)
    return;
  if (!unit.isAwaited &&
      known[0][unit.stream] >= before->second.readers[unit.stream])
    return;
  unit.isAwaited = true;
  waited.insert({unit.freedBefore, unit.stream});
  Instance instance = {unit.freedBefore, unit.stream, 0};
  auto record = recorded.find(instance);
  if (record == recorded.end())
    early.insert(instance);
  else
    join(known[0], record->second);
}

void StreamOrder::follow(StreamOp &unit, int64_t variable) {
  Known &mine = known[unit.stream];
  auto slotOf = [&](const StreamOp::Use &use) {
    rt::BufferOp buffer = use.buffer;
    rt::AddressOp address = use.address;
    return address.getSlotAt(variable, buffer.getSlots());
  };
  auto wait = [&](unsigned number, unsigned stream) {
    const StreamOp::Use &use = unit.uses[number];
    Instance instance = {use.buffer, stream, slotOf(use)};
    auto record = recorded.find(instance);
    if (record == recorded.end())
      early.insert(instance);
    else
      join(mine, record->second);
  };
  for (auto [number, stream] : unit.waits)
    wait(number, stream);
  if (unit.waitsForCompute)
    join(mine, known[0]);
  for (unsigned number = 0; number < unit.uses.size(); ++number) {
    const StreamOp::Use &use = unit.uses[number];
    auto needs = [&](unsigned stream, int64_t count) {
      if (stream == unit.stream || mine[stream] >= count)
        return;
      if (stream == 0) {
        unit.waitsForCompute = true;
        join(mine, known[0]);
        return;
      }
      unit.waits.insert({number, stream});
      waited.insert({use.buffer, stream});
      wait(number, stream);
    };
    auto before = uses.find({use.buffer, slotOf(use)});
    if (before == uses.end())
      continue;
    needs(before->second.writer.first, before->second.writer.second);
    if (use.isWrite)
      for (auto [stream, count] : llvm::enumerate(before->second.readers))
        needs(stream, count);
  }
  int64_t count = mine[unit.stream] = ++counts[unit.stream];
  for (const StreamOp::Use &use : unit.uses) {
    Uses &now = uses[{use.buffer, slotOf(use)}];
    now.readers.resize(streams.size());
    now.readers[unit.stream] = count;
    if (use.isWrite)
      now.writer = {unit.stream, count};
    if (unit.stream == 0)
      continue;
    Instance instance = {use.buffer, unit.stream, slotOf(use)};
    recorded[instance] = mine;
    last[unit.stream] = instance;
  }
  if (unit.freedBefore && unit.freedBefore != unit.freed)
    awaitFreed(unit);
}

void StreamOrder::follow(std::vector<OpList> &parts) {
  counts.assign(streams.size(), 0);
  known.assign(streams.size(), counts);
  last.assign(streams.size(), std::nullopt);
  uses.clear();
  recorded.clear();
  early.clear();
  for (OpList &part : parts)
    for (int64_t variable = part.begin; variable < part.end; ++variable)
      for (StreamOp &unit : part.units)
        follow(unit, variable);
  for (std::optional<Instance> &end : last) {
    if (!end)
      continue;
    auto [buffer, stream, slot] = *end;
    if (known[0][stream] < counts[stream])
      waited.insert({buffer, stream});
    else
      end.reset();
  }
}

Value StreamOrder::eventOf(OpBuilder &builder, Location loc,
                           rt::BufferOp buffer, unsigned stream, Value loop,
                           int64_t slot) {
  rt::EventOp &event = events[{buffer, stream}];
  if (!event) {
    OpBuilder top(*stage.getBlock()->getOps<rt::FuncOp>().begin());
    event = rt::EventOp::create(
        top, buffer.getLoc(),
        (buffer.getSymName() + kinds.at({buffer, stream})).str(),
        buffer.getSlots());
    symbols.insert(event);
  }
  return rt::EventOfOp::create(builder, loc,
                               rt::EventType::get(builder.getContext()),
                               event.getSymName(), loop, slot);
}

Value StreamOrder::issued(OpBuilder &builder, Location loc) {
  if (!issuedEvent) {
    OpBuilder top(*stage.getBlock()->getOps<rt::FuncOp>().begin());
    issuedEvent = rt::EventOp::create(top, stage.getLoc(), "issued", 1);
    symbols.insert(issuedEvent);
  }
  return rt::EventOfOp::create(builder, loc,
                               rt::EventType::get(builder.getContext()),
                               issuedEvent.getSymName(), Value(), 0);
}

void StreamOrder::emit(StreamOp &unit) {
  OpBuilder builder(unit.op);
  Location loc = unit.op->getLoc();
  auto eventFor = [&](const StreamOp::Use &use, unsigned stream) {
    rt::AddressOp address = use.address;
    return eventOf(builder, loc, use.buffer, stream, address.getLoop(),
                   address.getSlot());
  };
  for (auto [number, stream] : unit.waits)
    rt::WaitOp::create(builder, loc, eventFor(unit.uses[number], stream),
                       streams[unit.stream]);
  if (unit.waitsForCompute) {
    Value event = issued(builder, loc);
    rt::RecordOp::create(builder, loc, event, 0);
    rt::WaitOp::create(builder, loc, event, streams[unit.stream]);
  }
  builder.setInsertionPointAfter(unit.op);
  llvm::SmallPtrSet<Operation *, 2> done;
  for (const StreamOp::Use &use : unit.uses)
    if (waited.count({use.buffer, unit.stream}) &&
        done.insert(use.address).second)
      rt::RecordOp::create(builder, loc, eventFor(use, unit.stream),
                           streams[unit.stream]);
  if (unit.isAwaited)
    rt::WaitOp::create(
        builder, loc,
        eventOf(builder, loc, unit.freedBefore, unit.stream, Value(), 0), 0);
}

/// Emits the records at the begin and the waits at the end of an entry point.
void StreamOrder::emitBorders(rt::FuncOp entry) {
  OpBuilder builder = OpBuilder::atBlockBegin(entry.getBlock());
  Location loc = entry.getLoc();
  for (auto [buffer, stream, slot] : early)
    rt::RecordOp::create(builder, loc,
                         eventOf(builder, loc, cast<rt::BufferOp>(buffer),
                                 stream, Value(), slot),
                         0);
  builder.setInsertionPointToEnd(entry.getBlock());
  for (const auto &end : last)
    if (end) {
      auto [buffer, stream, slot] = *end;
      rt::WaitOp::create(builder, loc,
                         eventOf(builder, loc, cast<rt::BufferOp>(buffer),
                                 stream, Value(), slot),
                         0);
    }
}

LogicalResult StreamOrder::run() {
  std::set<int64_t> used = {0};
  stage.walk([&](Operation *op) { used.insert(rt::getStream(op)); });
  streams.assign(used.begin(), used.end());
  SmallVector<rt::FuncOp> entries;
  for (StringRef name : rt::kEntries)
    if (auto entry = symbols.lookup<rt::FuncOp>(name))
      entries.push_back(entry);
  std::vector<std::vector<OpList>> parts(entries.size());
  for (auto [entry, list] : llvm::zip(entries, parts)) {
    if (failed(collect(entry, list)))
      return failure();
    for (OpList &part : list)
      for (StreamOp &unit : part.units)
        for (StreamOp::Use &use : unit.uses)
          if (unit.stream != 0) {
            shared.insert(use.buffer);
            kinds.try_emplace({use.buffer, unit.stream},
                              isa<rt::SendOp>(unit.op)   ? ".sent"
                              : isa<rt::RecvOp>(unit.op) ? ".received"
                              : isa<rt::FillOp>(unit.op) ? ".filled"
                                                         : ".done");
          }
  }
  if (streams.size() == 1)
    return success();
  // The set of awaited events is complete only after all entry points were
  // simulated.
  for (auto [entry, list] : llvm::zip(entries, parts)) {
    for (OpList &part : list) {
      // Buffers that only the compute stream uses need no ordering.
      for (StreamOp &unit : part.units)
        llvm::erase_if(unit.uses, [&](const StreamOp::Use &use) {
          return !shared.contains(use.buffer);
        });
      llvm::erase_if(part.units,
                     [](const StreamOp &u) { return u.uses.empty(); });
    }
    linkFreed(list);
    follow(list);
    // Simulated again, since a wait found in a late iteration applies to all
    // iterations.
    follow(list);
    emitBorders(entry);
  }
  for (std::vector<OpList> &list : parts)
    for (OpList &part : list)
      for (StreamOp &unit : part.units)
        emit(unit);
  return success();
}

LogicalResult pcc::orderStreams(rt::StageOp stage) {
  return StreamOrder(stage).run();
}
