//===- Issue.cpp - Issue of a stage's operations to streams ---------------===//

#include "interpreter/rt/Issue.h"
#include "analysis/ElementTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

void MemoryOperand::forEachRun(
    llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) const {
  // The contiguous inner dims form runs; the outer dims are iterated over.
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> strides = rt::getStrides(type);
  size_t outer = shape.size();
  int64_t count = 1;
  while (outer > 0 && (shape[outer - 1] == 1 || strides[outer - 1] == count))
    count *= shape[--outer];
  int64_t bytes = rt::getElementBytes(type.getElementType());
  forEachStrided(shape.take_front(outer), 0,
                 ArrayRef<int64_t>(strides).take_front(outer),
                 [&](int64_t run, int64_t at) {
                   visit(offset + at * bytes, run * count, count);
                 });
}

int32_t MemoryOperand::dtype() const {
  return analysis::dtypeOf(type.getElementType());
}

MemoryOperand MemoryOperand::ofRank(int64_t number) const {
  MemoryOperand place = *this;
  place.number = number;
  place.offset += number * rt::BufferOp(part).getBytes();
  return place;
}

bool MemoryOperand::overlaps(const MemoryOperand &other) const {
  if (constant || other.constant || !range().overlaps(other.range()))
    return false;
  if (part || other.part)
    return true;
  if (rt::isContiguous(type) && rt::isContiguous(other.type))
    return true;
  std::vector<std::pair<ByteRange, const MemoryOperand *>> runs;
  for (const MemoryOperand *place : {this, &other}) {
    int64_t bytes = rt::getElementBytes(place->type.getElementType());
    place->forEachRun([&](int64_t at, int64_t, int64_t count) {
      runs.push_back({{at, at + count * bytes}, place});
    });
  }
  llvm::sort(runs, [](const auto &a, const auto &b) {
    return a.first.begin < b.first.begin;
  });
  // The runs of one operand do not overlap, so the last one of each is enough.
  int64_t ends[2] = {0, 0};
  for (const auto &[run, place] : runs) {
    bool isOther = place == &other;
    if (run.begin < ends[!isOther])
      return true;
    ends[isOther] = std::max(ends[isOther], run.end);
  }
  return false;
}

/// Attaches notes at the calls that led to an op.
static void attachCallers(Diagnostic &diag, const Caller *caller) {
  for (; caller; caller = caller->outer) {
    rt::CallOp call = caller->call;
    diag.attachNote(call.getLoc())
        << "called as @" << call.getCallee() << " here";
  }
}

InFlightDiagnostic Issued::emitError() const {
  InFlightDiagnostic diag = op->emitOpError();
  attachCallers(*diag.getUnderlyingDiagnostic(), caller);
  return diag;
}

Issuer::Issuer(rt::StageOp stage, rt::ProgramOp program, bool reportsRaces)
    : stage(stage), program(program), symbols(stage),
      reportsRaces(reportsRaces) {
  streamOf(0);
  stage.walk([&](Operation *op) { hasStreams |= rt::getStream(op) != 0; });
}

Issuer::Stream &Issuer::streamOf(int64_t number) {
  if (number >= numStreams())
    streams.resize(number + 1);
  return streams[number];
}

void Issuer::forget(int64_t stream, int64_t index) {
  Stream &from = streams[stream];
  for (; from.forgotten < index; ++from.forgotten)
    from.operations.pop_front();
}

LogicalResult Issuer::issue(rt::FuncOp entry, ArrayRef<ByteRange> inputs) {
  // Operations issued from here on start after the previous operations of
  // stream 0, and so did the writes to the inputs.
  Clock &host = streams[0].clock;
  for (ByteRange range : inputs) {
    std::optional<Races::Access> other =
        races.add({0, count(0), nullptr}, host, range, /*isWrite=*/true);
    if (other && reportsRaces)
      return other->op->emitOpError()
             << "may still be under way when inputs are filled for @"
             << entry.getSymName() << ": stream " << other->stream
             << " uses them, and stream 0 never waits for it";
  }
  Clock begun = host;
  for (Stream &stream : streams)
    stream.clock.join(begun);
  Scope scope;
  return walk(*entry.getBlock(), scope);
}

LogicalResult Issuer::walk(Block &block, Scope &scope) {
  for (Operation &op : block)
    if (failed(walk(&op, scope)))
      return failure();
  return success();
}

LogicalResult Issuer::walk(Operation *op, Scope &scope) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](rt::AddressOp address) {
        auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
        int64_t slot = address.getSlotAt(variable, buffer.getSlots());
        MemoryOperand &place = scope.places[address];
        place.type = address.getType();
        place.offset = buffer.getSlotOffset(slot);
        if (buffer.getKind() == rt::BufferKind::Part) {
          auto row = symbols.lookup<rt::BufferOp>(*buffer.getBucket());
          place.part = buffer;
          place.row = {place.offset, place.offset + row.getBytes()};
        }
        return success();
      })
      .Case([&](rt::TemporaryOp temporary) -> LogicalResult {
        if (!temporary.getOffset())
          return temporary.emitOpError("has no offset; run --rt-plan");
        scope.places[temporary] = {
            temporary.getType(), scope.frame + int64_t(*temporary.getOffset())};
        return success();
      })
      .Case([&](rt::ConstantOp constant) {
        scope.places[constant] = {constant.getType(), 0,
                                  int64_t(constant.getValue())};
        return success();
      })
      .Case([&](rt::CommIndexOp index) -> LogicalResult {
        if (program.getCommIndex(index.getAxes()) < 0)
          return index.emitOpError()
                 << "is over " << index.getAxes()
                 << ", which is no communicator of the program";
        scope.places[index] = {index.getType(), 0, int64_t(index.getTimes()),
                               index};
        return success();
      })
      .Case([&](rt::ViewOp view) {
        MemoryOperand place = scope.places.lookup(view.getSource());
        place.offset += int64_t(view.getOffset()) *
                        rt::getElementBytes(view.getType().getElementType());
        place.type = view.getType();
        scope.places[view] = place;
        return success();
      })
      .Case([&](rt::EventOfOp event) {
        auto symbol = symbols.lookup<rt::EventOp>(event.getEvent());
        scope.events[event] = {symbol,
                               event.getSlotAt(variable, symbol.getSlots())};
        return success();
      })
      .Case([&](rt::RecordOp record) {
        int64_t stream = record.getStream();
        Clock clock = streamOf(stream).clock;
        events[scope.events.lookup(record.getEvent())] = {
            {stream, count(stream)}, std::move(clock)};
        return success();
      })
      .Case([&](rt::WaitOp op) { return wait(op, scope); })
      .Case([](rt::GraphOp) { return success(); })
      .Case([&](rt::CallOp op) { return call(op, scope); })
      .Case([&](rt::ForOp op) -> LogicalResult {
        int64_t end = op.getEnd();
        for (variable = op.getBegin(); variable < end; ++variable)
          if (failed(walk(*op.getBlock(), scope)))
            return failure();
        return success();
      })
      .Default(
          [&](Operation *op) { return enqueue(op, rt::getStream(op), scope); });
}

LogicalResult Issuer::call(rt::CallOp op, Scope &scope) {
  auto callee = symbols.lookup<rt::FuncOp>(op.getCallee());
  Scope inner;
  inner.caller = &callers.emplace_back(Caller{op, scope.caller});
  if (auto name = op.getFrame()) {
    auto frame = symbols.lookup<rt::BufferOp>(*name);
    inner.frame = frame.getSlotOffset(variable % int64_t(frame.getSlots()));
  }
  for (auto [argument, value] :
       llvm::zip_equal(callee.getBlock()->getArguments(), op.getArgs()))
    if (isa<rt::EventType>(value.getType()))
      inner.events[argument] = scope.events.lookup(value);
    else
      inner.places[argument] = scope.places.lookup(value);
  return walk(*callee.getBlock(), inner);
}

LogicalResult Issuer::wait(rt::WaitOp op, Scope &scope) {
  auto recorded = events.find(scope.events.lookup(op.getEvent()));
  if (recorded == events.end()) {
    InFlightDiagnostic diag =
        op.emitOpError("waits for an event that was not recorded");
    attachCallers(*diag.getUnderlyingDiagnostic(), scope.caller);
    return diag;
  }
  if (failed(enqueue(op, op.getStream(), scope)))
    return failure();
  Stream &stream = streamOf(op.getStream());
  stream.operations.back().mark = recorded->second.mark;
  stream.clock.join(recorded->second.clock);
  return success();
}

LogicalResult Issuer::enqueue(Operation *op, int64_t number, Scope &scope) {
  Stream &stream = streamOf(number);
  Issued &issued = stream.operations.emplace_back();
  issued.op = op;
  issued.stream = number;
  issued.caller = scope.caller;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      issued.places.push_back(scope.places.lookup(operand));
  if (auto fill = dyn_cast<rt::FillOp>(op)) {
    rt::AddressOp named = fill.getAddress();
    issued.microbatch =
        int64_t(named.getSlot()) + (named.getLoop() ? variable : 0);
  }
  auto turn = [&](OpSequence turn) {
    issued.turns.push_back({turn, turns[turn]++});
  };
  if (auto send = dyn_cast<rt::SendOp>(op)) {
    turn({OpSequence::Send, int64_t(send.getStage()),
          int64_t(send.getChannel())});
  } else if (auto recv = dyn_cast<rt::RecvOp>(op)) {
    turn({OpSequence::Receive, int64_t(recv.getStage()),
          int64_t(recv.getChannel())});
  } else if (auto both = dyn_cast<rt::ExchangeOp>(op)) {
    turn({OpSequence::Send, int64_t(both.getToStage()),
          int64_t(both.getSendChannel())});
    turn({OpSequence::Receive, int64_t(both.getFromStage()),
          int64_t(both.getRecvChannel())});
  } else if (rt::isCollective(op)) {
    auto axes = op->getAttrOfType<ArrayAttr>("axes");
    int64_t comm = program.getCommIndex(axes, rt::getStream(op));
    if (comm < 0)
      return issued.emitError() << "is over " << axes
                                << ", which is no communicator of the program";
    turn({OpSequence::Collective, comm, 0});
  }
  stream.clock.set(number, count(number));
  if (failed(checkPlaces(issued)))
    return failure();
  return checkRaces(issued);
}

/// Whether an op may write `out` in place of `in`.
static bool isInplace(const Issued &issued, unsigned in, unsigned out) {
  // An all-gather of a bucket's shards writes them in place.
  const MemoryOperand &from = issued.places[in];
  if (auto gather = dyn_cast<rt::AllGatherOp>(issued.op); gather && from.part) {
    rt::BufferOp part = from.part;
    return gather.getAxes() == part.getShardAxes() &&
           from.type.getNumElements() == part.getMemRefType().getNumElements();
  }
  auto launch = dyn_cast<rt::LaunchOp>(issued.op);
  if (!launch || !launch.getInplace())
    return false;
  return (*launch.getInplace())[out - launch.getIns().size()] == int64_t(in);
}

LogicalResult Issuer::checkPlaces(const Issued &issued) {
  int64_t arena = *stage.getArena();
  for (const MemoryOperand &place : issued.places) {
    Type element = place.type.getElementType();
    if (analysis::dtypeOf(element) < 0)
      return issued.emitError() << "has elements of type " << element
                                << ", which the runtime does not know";
    ByteRange range = place.range();
    if (!place.constant && (range.begin < 0 || range.end > arena))
      return issued.emitError() << "touches the bytes [" << range.begin << ", "
                                << range.end << ") of an arena of " << arena;
  }
  Operation *op = issued.op;
  if (isa<rt::AllReduceOp>(op))
    for (size_t i = 1; i < issued.places.size(); ++i) {
      int64_t end = issued.places[i - 1].range().end;
      int64_t next = llvm::alignTo(end, rt::kAlignment);
      if (issued.places[i].offset != next)
        return issued.emitError() << "reduces buffers at once of which number "
                                  << i << " does not follow the one before it";
    }
  // An op may overwrite an operand only if it is marked as in-place.
  SmallVector<unsigned> ins, outs;
  if (auto launch = dyn_cast<rt::LaunchOp>(op)) {
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      (i < launch.getIns().size() ? ins : outs).push_back(i);
  } else if (auto gemm = dyn_cast<rt::GemmOp>(op)) {
    ins = {0, 1};
    outs = {2};
    unsigned next = 3;
    if (gemm.getVector())
      (gemm.writesVector() ? outs : ins).push_back(next++);
    if (gemm.getMatrix())
      (gemm.writesMatrix() ? outs : ins).push_back(next++);
    if (gemm.getAdded())
      ins.push_back(next);
  } else if (isa<rt::GroupedGemmOp>(op)) {
    ins = {0, 1, 3};
    outs = {2};
  } else if (isa<rt::AttentionOp>(op)) {
    ins = {0, 1, 2};
    outs = {3, 4};
  } else if (isa<rt::AttentionGradOp>(op)) {
    ins = {0, 1, 2, 3, 4, 5};
    outs = {6, 7, 8, 9};
  } else if (isa<rt::CopyOp>(op)) {
    outs = {0};
    ins = {1};
  } else if (isa<rt::AllGatherOp, rt::ReduceScatterOp, rt::AllToAllOp,
                 rt::ShardSliceOp, rt::ExchangeOp>(op)) {
    ins = {0};
    outs = {1};
  }
  auto overlaps = [&](unsigned a, unsigned b) {
    return issued.places[a].overlaps(issued.places[b]);
  };
  for (unsigned out : outs) {
    if (issued.places[out].constant)
      return issued.emitError() << "writes to a constant";
    for (unsigned other : outs)
      if (other != out && overlaps(out, other))
        return issued.emitError() << "writes operands " << other << " and "
                                  << out << " to the same bytes";
    for (unsigned in : ins)
      if (overlaps(in, out) &&
          !(isInplace(issued, in, out) &&
            issued.places[in].range() == issued.places[out].range()))
        return issued.emitError()
               << "writes operand " << out << " over operand " << in
               << ", which it reads";
  }
  return success();
}

LogicalResult Issuer::checkRaces(const Issued &issued) {
  // Without a second stream there are no races.
  if (!hasStreams)
    return success();
  Stream &stream = streams[issued.stream];
  Races::Access access = {issued.stream, count(issued.stream), issued.op};
  llvm::DenseMap<Value, const MemoryOperand *> places;
  unsigned number = 0;
  for (Value operand : issued.op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      places[operand] = &issued.places[number++];
  for (const rt::Access &made : rt::getAccesses(issued.op)) {
    const MemoryOperand &place = *places.lookup(made.buffer);
    if (place.constant)
      continue;
    int64_t bytes = rt::getElementBytes(place.type.getElementType());
    std::optional<Races::Access> other;
    auto add = [&](ByteRange range) {
      std::optional<Races::Access> found =
          races.add(access, stream.clock, range, made.isWrite);
      if (!other)
        other = found;
    };
    if (place.part)
      add(place.range());
    else
      place.forEachRun([&](int64_t offset, int64_t, int64_t count) {
        add({offset, offset + count * bytes});
      });
    if (!other || !reportsRaces)
      continue;
    InFlightDiagnostic diag = issued.emitError()
                              << (made.isWrite ? "writes" : "reads")
                              << " bytes on stream " << issued.stream
                              << " that stream " << other->stream
                              << " may be using: no event orders the two";
    if (other->op)
      diag.attachNote(other->op->getLoc()) << "used here";
    else
      diag.attachNote() << "inputs are filled there between entries";
    return diag;
  }
  return success();
}
