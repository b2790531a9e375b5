//===- LowerSchedule.cpp - Lowering of schedules to entry points ----------===//

#include "passes/Codegen/Lower/LowerSchedule.h"
#include "dialects/Pipe/Cursor.h"

using namespace mlir;
using namespace pcc;

Schedules::Schedules(ModuleOp module, int64_t stage, bool overlap)
    : symbols(module), overlap(overlap) {
  for (auto task : module.getOps<pipe::TaskOp>()) {
    if (int64_t(task.getStage()) != stage)
      continue;
    auto body = symbols.lookup<pipe::BodyOp>(task.getBody());
    for (unsigned i = 0; i < task.getTargets().size(); ++i)
      if (std::optional<unsigned> replaced = body.getReplaced(i);
          replaced && task.getSource(*replaced) != task.getTarget(i))
        places[task.getTarget(i)] = task.getSource(*replaced);
  }
  for (auto schedule : module.getOps<pipe::ScheduleOp>())
    if (int64_t(schedule.getStage()) == stage) {
      schedules.push_back(schedule);
      findSlots(schedule);
    }
  if (overlap)
    findFills();
}

void Schedules::LiveSpans::touch(int64_t microbatch, int64_t moment) {
  if (microbatch >= int64_t(first.size())) {
    first.resize(microbatch + 1, -1);
    last.resize(microbatch + 1, -1);
  }
  if (first[microbatch] < 0)
    first[microbatch] = moment;
  last[microbatch] = moment;
}

int64_t Schedules::LiveSpans::findDistance() const {
  // The step at which the first instance of this or a later microbatch begins.
  int64_t count = first.size();
  std::vector<int64_t> earliest(count);
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t i = count; i-- > 0;) {
    if (first[i] >= 0)
      least = std::min(least, first[i]);
    earliest[i] = least;
  }
  int64_t distance = 1;
  for (int64_t i = 0; i < count; ++i)
    while (i + distance < count && earliest[i + distance] <= last[i])
      ++distance;
  return distance;
}

void Schedules::findSlots(pipe::ScheduleOp schedule) {
  // The values that each step uses, looked up once for all iterations of a
  // loop.
  llvm::StringMap<LiveSpans> lives;
  llvm::DenseMap<Operation *, SmallVector<LiveSpans *>> touched;
  auto find = [&](Attribute binding, Operation *op) {
    auto name = dyn_cast<FlatSymbolRefAttr>(binding);
    if (name && symbols.lookup<pipe::ValueOp>(name.getValue()))
      touched[op].push_back(&lives[name.getValue()]);
  };
  schedule.walk([&](pipe::RunOp run) {
    auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
    for (ArrayAttr bindings : {task.getSources(), task.getTargets()})
      for (Attribute binding : bindings)
        find(binding, run);
  });
  int64_t moment = 0;
  for (pipe::Cursor next(schedule); !next.isDone(); next.advance(), ++moment) {
    if (auto run = dyn_cast<pipe::RunOp>(*next))
      for (LiveSpans *value : touched[run])
        value->touch(next.microbatchOf(run), moment);
    for (const pipe::Half &half : next.getHalves()) {
      LiveSpans &life = lives[half.value];
      life.touch(half.microbatch, moment);
      if (!overlap || !isa<pipe::SendOp, pipe::RecvOp>(*next))
        continue;
      overlapped.insert(half.value);
      // The transfer may be in flight until the next one starts.
      if (half.isSend && half.microbatch > 0)
        life.touch(half.microbatch - 1, moment);
    }
  }
  for (auto &[name, life] : lives) {
    int64_t &slots = needed[name];
    slots = std::max(slots, life.findDistance());
    if (!overlapped.contains(name))
      modulus = std::max(modulus, slots);
  }
}

void Schedules::findFills() {
  /// The uses of an input by the schedules.
  struct Use {
    int64_t turns = 1;
    /// Whether the runs that use one microbatch first are first for all
    /// microbatches that they use, in the order of microbatches.
    bool isRegular = true;
    /// The runs that use a microbatch first.
    llvm::SetVector<Operation *> first;
  };
  llvm::MapVector<StringRef, Use> uses;
  for (pipe::ScheduleOp schedule : schedules) {
    llvm::MapVector<StringRef, LiveSpans> lives;
    llvm::StringMap<int64_t> next;
    int64_t moment = 0;
    for (pipe::Cursor at(schedule); !at.isDone(); at.advance(), ++moment) {
      auto run = dyn_cast<pipe::RunOp>(*at);
      if (!run)
        continue;
      auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
      llvm::SmallPtrSet<Operation *, 4> seen;
      for (Attribute source : task.getSources()) {
        auto name = dyn_cast<FlatSymbolRefAttr>(source);
        auto input =
            name ? symbols.lookup<pipe::InputOp>(name.getValue()) : nullptr;
        if (!input || !input.isPerMicrobatch() || !seen.insert(input).second)
          continue;
        StringRef symbol = input.getSymName();
        Use &use = uses[symbol];
        int64_t microbatch = at.microbatchOf(run);
        LiveSpans &life = lives[symbol];
        bool isFirst = microbatch >= next[symbol];
        if (isFirst) {
          use.isRegular &= run.getMicrobatch() && microbatch == next[symbol]++;
          use.first.insert(run);
          // The next microbatch is filled meanwhile.
          life.touch(microbatch + 1, moment);
        }
        use.isRegular &= isFirst == use.first.contains(run);
        life.touch(microbatch, moment);
      }
    }
    for (auto &[symbol, life] : lives)
      uses[symbol].turns = std::max(uses[symbol].turns, life.findDistance());
  }
  for (auto &[symbol, use] : uses) {
    int64_t microbatches = schedules.front().getMicrobatches();
    if (!use.isRegular || use.turns > microbatches)
      continue;
    turns[symbol] = use.turns;
    for (Operation *run : use.first)
      fills[run].push_back(symbol);
  }
}

int64_t Schedules::getSlots(StringRef value) const {
  if (places.contains(value))
    return 0;
  int64_t slots = needed.lookup(value);
  return slots <= 1 ? 1 : overlapped.contains(value) ? slots : modulus;
}

namespace {

/// Elements [begin, end) of a bucket.
using Run = std::pair<int64_t, int64_t>;

/// By gradient bucket, the padding between its members.
using Gaps = llvm::StringMap<SmallVector<Run>>;

/// By run, the inputs that are filled ahead of it for the next microbatch.
using Fills = llvm::DenseMap<Operation *, SmallVector<StringRef, 2>>;

/// Builds an entry point from a schedule's steps.
class EntryLowering {
public:
  EntryLowering(const SymbolTable &symbols, const SymbolTable &buffers,
                const llvm::StringMap<StringRef> &places, const Fills &fills,
                const Gaps &gaps, OpBuilder builder)
      : symbols(symbols), buffers(buffers), places(places), fills(fills),
        gaps(gaps), builder(builder) {}

  /// Emits the fills of the first microbatch's inputs.
  void fillFirst(pipe::ScheduleOp schedule) {
    llvm::SetVector<StringRef> inputs;
    schedule.walk([&](pipe::RunOp run) {
      if (auto found = fills.find(run); found != fills.end())
        inputs.insert_range(found->second);
    });
    loc = schedule.getLoc();
    for (StringRef input : inputs)
      rt::FillOp::create(builder, loc, address(input, Value(), 0));
  }

  void lowerAll(Block &steps) {
    for (Operation &op : steps) {
      loc = op.getLoc();
      if (auto inner = dyn_cast<pipe::LoopOp>(op))
        lower(inner);
      else if (auto run = dyn_cast<pipe::RunOp>(op))
        lower(run);
      else if (auto release = dyn_cast<pipe::ReleaseOp>(op))
        rt::ReleaseOp::create(builder, loc,
                              address(release.getRow(), Value(), 0));
      else
        lowerTransfer(&op);
    }
  }

private:
  void lower(pipe::LoopOp op);
  void lower(pipe::RunOp run);
  void lowerTransfer(Operation *op);
  /// Emits ops that zero the padding between the gradients of a bucket before a
  /// task reads it.
  void clearGaps(StringRef bucket);
  Value address(StringRef symbol, Value loop, int64_t microbatch);
  Value address(const pipe::Half &half) {
    return address(half.value, variable, half.microbatch);
  }

  const SymbolTable &symbols, &buffers;
  const llvm::StringMap<StringRef> &places;
  const Fills &fills;
  const Gaps &gaps;
  /// The buckets whose padding is zero.
  llvm::StringSet<> cleared;
  OpBuilder builder;
  Location loc = builder.getUnknownLoc();
  /// The induction variable of the current loop, or null.
  Value variable;
};

} // namespace

Value EntryLowering::address(StringRef symbol, Value loop, int64_t microbatch) {
  if (auto place = places.find(symbol); place != places.end())
    symbol = place->second;
  auto buffer = buffers.lookup<rt::BufferOp>(symbol);
  // Buffers with a single slot do not depend on the microbatch.
  if (!buffer.rotatesSlots() && buffer.getSlots() == 1) {
    loop = Value();
    microbatch = 0;
  }
  return rt::AddressOp::create(builder, loc, buffer.getType(), symbol, loop,
                               microbatch, /*among=*/DenseI64ArrayAttr());
}

void EntryLowering::lower(pipe::LoopOp op) {
  auto loop =
      rt::ForOp::create(builder, op.getLoc(), op.getBegin(), op.getEnd());
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&loop.getBody(), {},
                                     builder.getIndexType(), op.getLoc());
  variable = block->getArgument(0);
  // An iteration may kill a bucket that the previous one has cleared.
  cleared.clear();
  lowerAll(*op.getBlock());
  cleared.clear();
  variable = Value();
}

void EntryLowering::clearGaps(StringRef bucket) {
  auto found = gaps.find(bucket);
  if (found == gaps.end() || !cleared.insert(bucket).second)
    return;
  for (auto [begin, end] : found->second) {
    Value row = address(bucket, Value(), 0);
    auto type = MemRefType::get(
        end - begin, cast<MemRefType>(row.getType()).getElementType());
    rt::ZeroOp::create(builder, loc,
                       rt::ViewOp::create(builder, loc, type, row, begin));
  }
}

void EntryLowering::lower(pipe::RunOp run) {
  auto task = symbols.lookup<pipe::TaskOp>(run.getTask());
  FlatSymbolRefAttr callee = task.getCallee(run.getFirst());
  auto body = symbols.lookup<pipe::BodyOp>(callee.getValue());
  // A run without a microbatch belongs to the whole step, in a loop, too.
  Value loop = run.getMicrobatch() ? variable : Value();
  auto addressOf = [&](StringRef symbol) {
    return address(symbol, loop, run.getMicrobatchAt(0));
  };
  // In a loop, the fill may run for one microbatch too many; outside of loops
  // it is left out.
  int64_t microbatches =
      run->getParentOfType<pipe::ScheduleOp>().getMicrobatches();
  if (auto found = fills.find(run); found != fills.end())
    for (StringRef input : found->second)
      if (int64_t next = run.getMicrobatchAt(0) + 1;
          loop || next < microbatches)
        rt::FillOp::create(builder, loc, address(input, loop, next));
  for (unsigned i = 0; i < task.getSources().size(); ++i)
    clearGaps(task.getSource(i));
  if (body.isRename())
    return;
  SmallVector<Value> args;
  for (unsigned i = 0; i < task.getSources().size(); ++i)
    if (auto integer = task.getInteger(i))
      args.push_back(rt::ConstantOp::create(
          builder, loc, MemRefType::get({}, builder.getI64Type()), *integer));
    else
      args.push_back(addressOf(task.getSource(i)));
  for (unsigned i = 0; i < task.getTargets().size(); ++i)
    if (!body.getReplaced(i))
      args.push_back(addressOf(task.getTarget(i)));
  rt::CallOp::create(builder, loc, callee, args,
                     /*frame=*/FlatSymbolRefAttr());
  for (unsigned i = 0; i < task.getSources().size(); ++i)
    if (body.isDeadAfterCall(i))
      cleared.erase(task.getSource(i));
}

void EntryLowering::lowerTransfer(Operation *op) {
  SmallVector<pipe::Half, 2> halves = pipe::halvesOf(op);
  if (halves.size() == 2) {
    const pipe::Half &sent = halves[0], &received = halves[1];
    Value from = address(sent), to = address(received);
    rt::ExchangeOp::create(builder, loc, from, sent.peer, sent.channel, to,
                           received.peer, received.channel);
  } else if (halves[0].isSend) {
    rt::SendOp::create(builder, loc, address(halves[0]), halves[0].peer,
                       halves[0].channel);
  } else {
    rt::RecvOp::create(builder, loc, address(halves[0]), halves[0].peer,
                       halves[0].channel);
  }
}

static Gaps findGaps(rt::StageOp stage, const SymbolTable &buffers) {
  llvm::StringMap<SmallVector<Run>> members;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (buffer.getBucket() && buffer.getKind() == rt::BufferKind::Gradient) {
      int64_t begin = *buffer.getElement();
      members[*buffer.getBucket()].push_back(
          {begin, begin + buffer.getMemRefType().getNumElements()});
    }
  Gaps gaps;
  for (auto &entry : members) {
    SmallVector<Run> &runs = entry.second;
    llvm::sort(runs);
    auto row = buffers.lookup<rt::BufferOp>(entry.getKey());
    int64_t elements = row.getMemRefType().getNumElements(), end = 0;
    runs.push_back({elements, elements});
    for (auto [begin, next] : runs) {
      if (begin > end)
        gaps[entry.getKey()].push_back({end, begin});
      end = next;
    }
  }
  return gaps;
}

void Schedules::lower(rt::StageOp stage) {
  OpBuilder builder = OpBuilder::atBlockEnd(stage.getBlock());
  SymbolTable buffers(stage);
  Gaps gaps = findGaps(stage, buffers);
  for (pipe::ScheduleOp schedule : schedules) {
    builder.setInsertionPointToEnd(stage.getBlock());
    auto function =
        rt::FuncOp::create(builder, schedule.getLoc(),
                           rt::kEntries[static_cast<int>(schedule.getEntry())],
                           /*frame=*/0, /*gives_up=*/DenseI64ArrayAttr());
    builder.createBlock(&function.getBody());
    EntryLowering entry(symbols, buffers, places, fills, gaps, builder);
    entry.fillFirst(schedule);
    entry.lowerAll(*schedule.getBlock());
  }
}
