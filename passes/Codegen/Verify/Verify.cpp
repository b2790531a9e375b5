//===- Verify.cpp - Proves that buffers hold what is read from them -------===//
//
// Shares no code with the passes that choose offsets. Runs every entry point on
// a model of the arena in which a byte holds only the name of the buffer that
// wrote it last.
//
// The effect of a loop's iteration follows from the arena before it and from
// the slots that it names, which repeat after a number of iterations, the
// period. So once a period leaves the arena as it found it, all later periods
// do, and they are skipped. A buffer whose slots would make the period longer
// than kMaxPeriod, or than a third of the loop, is tracked separately
// (SeparateBytes.h): for skipped iterations only the accesses to such buffers
// are simulated. If that is not possible, all iterations are.
//
//===----------------------------------------------------------------------===//

#include "dialects/RT/Persistence.h"
#include "passes/Codegen/Passes.h"
#include "passes/Codegen/Verify/ByteOwners.h"
#include "passes/Codegen/Verify/SeparateBytes.h"
#include "passes/Codegen/Verify/VerifyAttention.h"
#include "passes/Codegen/Verify/VerifyBuckets.h"
#include "passes/Codegen/Verify/VerifyClocks.h"
#include "passes/Codegen/Verify/VerifyCommunicators.h"
#include "passes/Codegen/Verify/VerifyGraphs.h"
#include "passes/Codegen/Verify/VerifyMicrobatches.h"
#include "passes/Codegen/Verify/VerifyTaskShardings.h"
#include "passes/Codegen/Verify/VerifyTransfers.h"
#include "passes/Codegen/Verify/VerifyValues.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

namespace pcc {
#define GEN_PASS_DEF_RTVERIFYPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// The accesses of a running function to gradients.
struct GradientUses {
  /// The gradients that held contents before the call, and those that the
  /// function kills (`gives_up`).
  SmallVector<OwnedRange> held, killed;
  SmallVector<OwnedRange> written;
  /// The killed ranges that it has read: other buffers may overwrite them from
  /// then on, before the function ends.
  SmallVector<OwnedRange> taken;
};

/// The kinds of access to bytes.
enum class Touch { Read, Write, Kill };

/// An access to a buffer that is tracked separately in a loop.
struct SlotAccess {
  Touch touch;
  rt::BufferOp buffer;
  SlotOffsets offsets;
  /// The slot minus the loop's variable.
  int64_t behind;
  /// The bytes within the slot.
  int64_t begin, end;
};

/// The loop that is being run.
struct Loop {
  rt::ForOp op;
  int64_t variable = 0;
  /// The number of iterations after which slots repeat, except those of
  /// `separate`. More than the loop has if none can be skipped.
  int64_t period = 1;
  llvm::SetVector<Operation *> separate;
  SeparateBytes separateBytes;
  /// The accesses of the last iteration to the `separate` buffers.
  SmallVector<SlotAccess> accesses;
};

/// The bytes of the buffers of a running function.
using BufferRanges = DenseMap<Value, OwnedRange>;

class StageVerifier {
public:
  /// `kernels` are the module's symbols; `program` may be null.
  StageVerifier(rt::StageOp stage, rt::ProgramOp program,
                const SymbolTable &kernels)
      : stage(stage), program(program), kernels(kernels), persistent(stage),
        parts(rt::findShards(stage)), gradients(rt::findGradients(stage)) {
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      buffers[buffer.getSymName()] = buffer;
    for (auto &[name, buffer] : buffers)
      if (buffer.getBucket())
        rows[buffer] = buffers.lookup(*buffer.getBucket());
    for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
      functions[function.getSymName()] = function;
    SymbolTable symbols(stage);
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      if (rt::BufferOp row = rt::bucketSummedIn(buffer, symbols);
          row && gradients.contains(row))
        sums[row] = buffer;
  }

  LogicalResult verify() {
    if (failed(checkOffsets()))
      return failure();
    for (StringRef name : rt::kEntries)
      if (rt::FuncOp entry = functions.lookup(name)) {
        memory = ByteOwners();
        if (failed(fillPersistent()))
          return failure();
        BufferRanges bufferRanges;
        if (failed(run(*entry.getBlock(), bufferRanges, 0)) ||
            failed(checkPersistent(entry)))
          return failure();
      }
    return success();
  }

private:
  LogicalResult checkOffsets();
  LogicalResult checkOffloaded(rt::BufferOp buffer, int64_t end);
  /// Whether a parameter has a working copy of a narrower type.
  bool hasNarrowCopy(rt::BufferOp param) const;
  LogicalResult fillPersistent();
  LogicalResult checkPersistent(rt::FuncOp entry);
  LogicalResult run(Block &ops, BufferRanges &bufferRanges, int64_t frame);
  LogicalResult run(rt::ForOp op, BufferRanges &bufferRanges);
  /// Determines the period and the buffers that are tracked separately.
  void findPeriod();
  /// Skips the rest of the loop's whole periods. Returns false and does nothing
  /// if it cannot prove that these repeat the last one, which started from
  /// `before` (without separately tracked buffers).
  bool skipPeriods(const ByteOwners &before);
  /// Records an access of an iteration.
  void note(const OwnedRange &range, Touch touch);
  /// Checks that an op does not overwrite a gradient that was accumulated.
  LogicalResult checkOverwrite(Operation *op, const OwnedRange &range,
                               const BufferRanges &bufferRanges);
  /// Returns a bucket of one microbatch's gradients, not yet accumulated into
  /// their sum, that a write of the range would destroy; nothing if there is
  /// none.
  std::optional<ByteOwner> findLost(const OwnedRange &range) const {
    return memory.find(range, [&](const ByteOwner &owner) {
      if (owner == range.owner || !sums.contains(owner.op))
        return false;
      return !used || llvm::none_of(used->taken, [&](const OwnedRange &taken) {
        return taken.owner == owner;
      });
    });
  }
  /// Whether a buffer's contents persist until the next entry point. Not for
  /// members of a bucket that does: the bucket stands for them.
  bool isPersistent(rt::BufferOp buffer) const {
    bool isMember =
        buffer.getBucket() && buffer.getKind() != rt::BufferKind::Part;
    return !isMember && persistent.contains(buffer);
  }
  std::optional<ByteOwner> findIntruder(const OwnedRange &range) const {
    auto row = isShard(range) ? rows.lookup(range.owner.op) : rt::BufferOp();
    return memory.findIntruder(range, row ? ByteOwner{row, 0} : range.owner);
  }
  /// Whether it is a rank's shard of a bucket. Its range is the whole bucket,
  /// because other ranks' shards are other bytes of it.
  static bool isShard(const OwnedRange &range) {
    auto buffer = dyn_cast_or_null<rt::BufferOp>(range.owner.op);
    return buffer && buffer.getKind() == rt::BufferKind::Part;
  }
  /// Checks that only an all_gather of its shard writes a bucket that is
  /// sharded.
  LogicalResult checkGather(Operation *op, const BufferRanges &bufferRanges);
  LogicalResult call(rt::CallOp op, const BufferRanges &bufferRanges);
  /// Kills the contents of a buffer; other buffers may occupy the bytes
  /// already.
  void kill(const OwnedRange &range);
  LogicalResult checkOp(Operation *op, const BufferRanges &bufferRanges);
  LogicalResult checkLaunch(rt::LaunchOp op);
  LogicalResult checkRanks(Operation *op);
  /// Whether an op may write `out` although it reads the same bytes through
  /// `in`.
  bool isInplace(Operation *op, Value in, Value out,
                 const BufferRanges &bufferRanges);
  /// Whether an op gathers a bucket, `out`, from the rank's shard of it, `in`.
  bool isGatherOf(Operation *op, const OwnedRange &in,
                  const OwnedRange &out) const;

  /// Returns the bytes of a slot; members of a bucket have the bucket as owner.
  /// Slots of a bucket that begin at the same byte count as one slot, because
  /// addresses that cycle through slots may name it by several numbers.
  OwnedRange rangeOf(rt::BufferOp buffer, int64_t slot) const {
    int64_t begin = buffer.getSlotOffset(slot);
    if (buffer.isInBucket())
      for (int64_t other = slot; other-- > 0;)
        if (buffer.getSlotOffset(other) == begin)
          slot = other;
    auto row = rows.find(buffer);
    if (buffer.getKind() == rt::BufferKind::Part)
      return {{buffer, 0}, begin, begin + rt::BufferOp(row->second).getBytes()};
    return {{row == rows.end() ? buffer : row->second, slot},
            begin,
            begin + buffer.getBytes()};
  }

  rt::StageOp stage;
  /// Null in a module without an rt.program.
  rt::ProgramOp program;
  const SymbolTable &kernels;
  rt::PersistentBuffers persistent;
  /// By bucket: the rank's shard of it.
  llvm::DenseMap<Operation *, rt::BufferOp> parts;
  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  /// By member: its bucket.
  llvm::DenseMap<Operation *, rt::BufferOp> rows;
  ByteOwners memory;
  /// Gradients, or the buckets that hold them: dead when an entry point starts.
  llvm::DenseSet<Operation *> gradients;
  /// By bucket of one microbatch's gradients: the buffer of their sum.
  llvm::MapVector<Operation *, rt::BufferOp> sums;
  /// The gradient accesses of the running function; none in an entry point.
  std::optional<GradientUses> used;
  /// By constant: its number. Constants have separate addresses below the
  /// arena.
  llvm::DenseMap<Operation *, int64_t> constants;
  std::optional<Loop> loop;
};

LogicalResult StageVerifier::checkOffsets() {
  if (!stage.getArena())
    return stage.emitOpError("has no arena; run --rt-plan");
  int64_t arena = *stage.getArena();
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    std::optional<uint64_t> offset = buffer.getOffset();
    if (buffer.getBucket())
      continue;
    if (!offset)
      return buffer.emitOpError("has no offset; run --rt-plan");
    if (*offset % rt::kAlignment)
      return buffer.emitOpError()
             << "has offset " << *offset << ", which is no multiple of "
             << rt::kAlignment;
    int64_t end = buffer.getEnd();
    if (end > arena)
      return buffer.emitOpError()
             << "ends at byte " << end << " of an arena of " << arena;
    if (failed(checkOffloaded(buffer, end)))
      return failure();
  }
  return verifyBuckets(stage, program);
}

/// Checks that a buffer is within the offloaded range or after it, and that a
/// buffer in the range holds nothing but optimizer state.
LogicalResult StageVerifier::checkOffloaded(rt::BufferOp buffer, int64_t end) {
  int64_t offloaded = stage.getOffloadedBytes();
  if (int64_t(*buffer.getOffset()) >= offloaded)
    return success();
  if (end > offloaded)
    return buffer.emitOpError() << "ends at byte " << end
                                << ", but begins in the offloaded range of "
                                << offloaded << " bytes";
  for (auto &[name, held] : buffers) {
    bool isHeld = buffer.getKind() == rt::BufferKind::Bucket
                      ? rows.lookup(held) == buffer
                      : held == buffer;
    if (!isHeld || held.getKind() == rt::BufferKind::State ||
        (held.getKind() == rt::BufferKind::Param && hasNarrowCopy(held)))
      continue;
    return held.emitOpError()
           << "is offloaded, but is neither a moment nor a master weight";
  }
  return success();
}

bool StageVerifier::hasNarrowCopy(rt::BufferOp param) const {
  unsigned width = param.getMemRefType().getElementTypeBitWidth();
  return llvm::any_of(buffers, [&](const auto &entry) {
    rt::BufferOp copy = entry.second;
    return copy.getKind() == rt::BufferKind::Copy &&
           copy.getOf() == param.getSymName() &&
           copy.getMemRefType().getElementTypeBitWidth() < width;
  });
}

/// Initializes the arena for an entry point: parameters, state, and inputs that
/// the entry point does not fill itself hold their contents; gathered buffers
/// and gradients do not.
LogicalResult StageVerifier::fillPersistent() {
  SmallVector<OwnedRange> kept;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (isPersistent(buffer) ||
        (buffer.getKind() == rt::BufferKind::Input && !buffer.getRefilled()))
      for (int64_t slot = 0; slot < int64_t(buffer.getSlots()); ++slot)
        kept.push_back(rangeOf(buffer, slot));
  llvm::sort(kept, [](const OwnedRange &a, const OwnedRange &b) {
    return a.begin < b.begin;
  });
  for (size_t i = 1; i < kept.size(); ++i)
    if (kept[i - 1].overlaps(kept[i])) {
      InFlightDiagnostic diag = kept[i].owner.op->emitOpError(
          "overlaps another buffer that keeps its content");
      diag.attachNote(kept[i - 1].owner.op->getLoc()) << "this one";
      return diag;
    }
  for (const OwnedRange &range : kept)
    memory.write(range);
  return success();
}

/// Checks the end of an entry point: persistent buffers and outputs are intact,
/// and all per-microbatch gradients were accumulated.
LogicalResult StageVerifier::checkPersistent(rt::FuncOp entry) {
  llvm::SmallPtrSet<Operation *, 4> outputs;
  entry.walk([&](rt::AddressOp address) {
    outputs.insert(buffers.lookup(address.getBuffer()));
  });
  for (auto &[op, sum] : sums) {
    auto row = cast<rt::BufferOp>(op);
    for (int64_t slot = 0; slot < int64_t(row.getSlots()); ++slot)
      if (memory.isAnyOf(rangeOf(row, slot)))
        return row.emitOpError()
               << "holds gradients when @" << entry.getSymName()
               << " ends that were not accumulated into @" << sum.getSymName();
  }
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    bool isOutput =
        buffer.getKind() == rt::BufferKind::Output && outputs.contains(buffer);
    if (!isPersistent(buffer) && !isOutput)
      continue;
    std::optional<ByteOwner> intruder = findIntruder(rangeOf(buffer, 0));
    if (!intruder)
      continue;
    InFlightDiagnostic diag = buffer.emitOpError();
    if (!intruder->op) {
      diag << "is not written by @" << entry.getSymName();
      return diag;
    }
    diag << "is overwritten when @" << entry.getSymName() << " ends";
    diag.attachNote(intruder->op->getLoc()) << "by " << intruder->name();
    return diag;
  }
  return success();
}

/// Checks that a launch passes the buffers that its kernel takes. A lowered
/// kernel does not declare them.
LogicalResult StageVerifier::checkLaunch(rt::LaunchOp op) {
  Operation *symbol = kernels.lookup(op.getKernel());
  auto kernel = dyn_cast_or_null<func::FuncOp>(symbol);
  if (symbol && !kernel)
    return success();
  if (!kernel || !kernel->hasAttr(rt::kKernelAttr))
    return op.emitOpError()
           << "launches " << op.getKernelAttr() << ", which is no kernel";
  SmallVector<Type> types(kernel.getArgumentTypes());
  llvm::append_range(types, kernel.getResultTypes());
  auto isSame = [](Value buffer, Type type) {
    auto given = cast<MemRefType>(buffer.getType());
    auto taken = cast<ShapedType>(type);
    return given.getNumElements() == taken.getNumElements() &&
           given.getElementType() == taken.getElementType();
  };
  if (types.size() != op->getNumOperands() ||
      op.getIns().size() != kernel.getNumArguments() ||
      !llvm::all_of(llvm::zip(op->getOperands(), types), [&](auto pair) {
        return isSame(std::get<0>(pair), std::get<1>(pair));
      }))
    return op.emitOpError() << "passes to " << op.getKernelAttr()
                            << " buffers that do not match its arguments";
  if (!op.getInplace())
    return success();
  for (auto [index, in] : llvm::enumerate(*op.getInplace())) {
    auto allowed =
        kernel.getResultAttrOfType<IntegerAttr>(index, rt::kInplaceAttr);
    if (in >= 0 && (!allowed || allowed.getInt() != in))
      return op.emitOpError()
             << "writes out " << index << " over in " << in << ", which "
             << op.getKernelAttr() << " does not allow";
  }
  return success();
}

/// Checks that a collective's buffers have a block for each of its ranks.
LogicalResult StageVerifier::checkRanks(Operation *op) {
  if (!program || !isa<rt::AllGatherOp, rt::ReduceScatterOp, rt::AllToAllOp,
                       rt::ShardSliceOp>(op))
    return success();
  int64_t ranks = 1;
  for (Attribute axis : op->getAttrOfType<ArrayAttr>("axes"))
    ranks *= program.getAxisSize(cast<StringAttr>(axis).getValue());
  auto elements = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getNumElements();
  };
  int64_t in = elements(op->getOperand(0)), out = elements(op->getOperand(1));
  bool isRight = isa<rt::AllToAllOp>(op)    ? in % ranks == 0
                 : isa<rt::AllGatherOp>(op) ? out == in * ranks
                                            : in == out * ranks;
  if (isRight)
    return success();
  return op->emitOpError() << "maps " << in << " elements to " << out
                           << ", which does not match " << ranks << " ranks";
}

LogicalResult StageVerifier::call(rt::CallOp op,
                                  const BufferRanges &bufferRanges) {
  rt::FuncOp callee = functions.lookup(op.getCallee());
  BufferRanges inner;
  for (auto [arg, value] :
       llvm::zip(callee.getBlock()->getArguments(), op.getArgs()))
    if (bufferRanges.contains(value))
      inner[arg] = bufferRanges.lookup(value);
  int64_t frame = 0;
  if (auto symbol = op.getFrame()) {
    rt::BufferOp buffer = buffers.lookup(*symbol);
    OwnedRange range =
        rangeOf(buffer, loop ? loop->variable % int64_t(buffer.getSlots()) : 0);
    // Temporaries of earlier calls are dead; other buffers may have used their
    // bytes since.
    memory.change(
        range, [](const ByteOwner &owner) { return owner.isTemporary(); },
        range.owner);
    frame = range.begin;
  }
  GradientUses uses;
  for (BlockArgument argument : callee.getBlock()->getArguments())
    if (OwnedRange range = inner.lookup(argument);
        callee.isDeadAfterCall(argument.getArgNumber()))
      uses.killed.push_back(range);
    else if (gradients.contains(range.owner.op) && memory.isAnyOf(range))
      uses.held.push_back(range);
  std::optional<GradientUses> outer = std::exchange(used, std::move(uses));
  if (failed(run(*callee.getBlock(), inner, frame)))
    return failure();
  for (const OwnedRange &range : used->killed) {
    note(range, Touch::Kill);
    kill(range);
  }
  used = std::move(outer);
  return success();
}

void StageVerifier::kill(const OwnedRange &range) {
  rt::BufferOp part = parts.lookup(range.owner.op);
  memory.change(
      range,
      [&](const ByteOwner &owner) {
        return owner == range.owner || (part && owner.op == part);
      },
      ByteOwner());
  memory.kill(range.owner);
}

void StageVerifier::findPeriod() {
  int64_t turns = int64_t(loop->op.getEnd()) - int64_t(loop->op.getBegin());
  // Two periods are simulated and compared, and at least one more is skipped.
  int64_t longest = std::min(turns / 3, kMaxPeriod);
  auto fits = [&](int64_t slots) {
    int64_t period = std::lcm(loop->period, slots);
    if (period <= longest)
      loop->period = period;
    return period <= longest;
  };
  auto rotatesSlots = [&](rt::AddressOp address, rt::BufferOp buffer) {
    return fits(address.getTurns(buffer.getSlots()).second);
  };
  bool isEndless = false;
  for (auto call : loop->op.getBlock()->getOps<rt::CallOp>())
    if (auto frame = call.getFrame())
      isEndless |= !fits(buffers.lookup(*frame).getSlots());
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>())
    if (address.getAmong())
      isEndless |= !rotatesSlots(address, buffers.lookup(address.getBuffer()));
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>()) {
    rt::BufferOp buffer = buffers.lookup(address.getBuffer());
    if (address.getLoop() && !address.getAmong() &&
        !rotatesSlots(address, buffer))
      loop->separate.insert(buffer);
  }
  // Separate tracking needs a slot that is relative to the loop's variable.
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>())
    isEndless |= (!address.getLoop() || address.getAmong()) &&
                 loop->separate.contains(buffers.lookup(address.getBuffer()));
  if (isEndless)
    loop->period = turns + 1;
  for (Operation *op : loop->separate)
    loop->separateBytes.add(cast<rt::BufferOp>(op));
}

void StageVerifier::note(const OwnedRange &range, Touch touch) {
  if (!loop)
    return;
  auto buffer = dyn_cast<rt::BufferOp>(range.owner.op);
  if (buffer && loop->separate.contains(buffer)) {
    SlotOffsets offsets(buffer);
    int64_t slot = range.owner.slot, begin = offsets[slot];
    loop->accesses.push_back({touch, buffer, offsets, slot - loop->variable,
                              range.begin - begin, range.end - begin});
    return;
  }
  loop->separateBytes.disturb(range.begin, range.end);
}

bool StageVerifier::skipPeriods(const ByteOwners &before) {
  if (loop->separateBytes.takeNew() ||
      !(before == memory.outside(loop->separateBytes.list())))
    return false;
  int64_t left = int64_t(loop->op.getEnd()) - loop->variable;
  int64_t end = loop->variable + left / loop->period * loop->period;
  auto rangeIn = [](const SlotAccess &access, int64_t variable) {
    int64_t slot = access.offsets.slotOf(variable + access.behind);
    int64_t begin = access.offsets[slot];
    return OwnedRange{
        {access.buffer, slot}, begin + access.begin, begin + access.end};
  };
  for (int64_t variable = loop->variable - loop->period; variable < end;
       ++variable)
    for (const SlotAccess &access : loop->accesses)
      if (OwnedRange range = rangeIn(access, variable);
          loop->separateBytes.isDisturbed(range.begin, range.end))
        return false;
  ByteOwners now = memory;
  for (int64_t variable = loop->variable; variable < end; ++variable)
    for (const SlotAccess &access : loop->accesses) {
      if (!loop->separateBytes.mustSimulate(variable, loop->variable, end,
                                            access.offsets.slots))
        continue;
      OwnedRange range = rangeIn(access, variable);
      if (access.touch == Touch::Kill) {
        kill(range);
        continue;
      }
      bool isWrite = access.touch == Touch::Write;
      if (isWrite ? findLost(range) : findIntruder(range)) {
        memory = std::move(now);
        return false;
      }
      if (isWrite)
        memory.write(range);
    }
  loop->variable = end;
  return true;
}

LogicalResult StageVerifier::run(rt::ForOp op, BufferRanges &bufferRanges) {
  loop.emplace();
  loop->op = op;
  findPeriod();
  std::optional<ByteOwners> before;
  int64_t begin = op.getBegin(), end = op.getEnd();
  for (loop->variable = begin; loop->variable < end; ++loop->variable) {
    int64_t turn = loop->variable - begin;
    if (turn % loop->period == 0) {
      if (before && skipPeriods(*before) && loop->variable == end)
        break;
      before.reset();
      if (isCompared(turn / loop->period)) {
        loop->separateBytes.takeNew();
        before = memory.outside(loop->separateBytes.list());
      }
    }
    loop->accesses.clear();
    if (failed(run(*op.getBlock(), bufferRanges, 0)))
      return failure();
  }
  loop.reset();
  return success();
}

LogicalResult StageVerifier::run(Block &ops, BufferRanges &bufferRanges,
                                 int64_t frame) {
  for (Operation &op : ops) {
    if (auto address = dyn_cast<rt::AddressOp>(op)) {
      rt::BufferOp buffer = buffers.lookup(address.getBuffer());
      bufferRanges[address] =
          rangeOf(buffer, address.getSlotAt(loop ? loop->variable : 0,
                                            buffer.getSlots()));
    } else if (auto inner = dyn_cast<rt::ForOp>(op)) {
      if (failed(run(inner, bufferRanges)))
        return failure();
    } else if (auto temporary = dyn_cast<rt::TemporaryOp>(op)) {
      if (!temporary.getOffset())
        return temporary.emitOpError("has no offset; run --rt-plan");
      int64_t begin = frame + int64_t(*temporary.getOffset());
      bufferRanges[temporary] = {
          {temporary}, begin, begin + rt::getSpanBytes(temporary.getType())};
    } else if (isa<rt::ConstantOp, rt::CommIndexOp>(op)) {
      Value constant = op.getResult(0);
      int64_t number =
          constants.try_emplace(&op, constants.size() + 1).first->second;
      int64_t begin = -number * rt::kAlignment;
      bufferRanges[constant] = {{&op}, begin, begin + 8};
      memory.write(bufferRanges[constant]);
    } else if (auto view = dyn_cast<rt::ViewOp>(op)) {
      OwnedRange range = bufferRanges.lookup(view.getSource());
      MemRefType type = view.getType();
      if (!isShard(range)) {
        range.begin += int64_t(view.getOffset()) *
                       rt::getElementBytes(type.getElementType());
        range.end = range.begin + rt::getSpanBytes(type);
      }
      bufferRanges[view] = range;
    } else if (auto inner = dyn_cast<rt::CallOp>(op)) {
      if (failed(call(inner, bufferRanges)))
        return failure();
    } else if (auto release = dyn_cast<rt::ReleaseOp>(op)) {
      OwnedRange range = bufferRanges.lookup(release.getBuffer());
      // Other buffers may occupy the bytes already, after its last use.
      if (!memory.wasFilled(range.owner))
        return release.emitOpError() << "releases " << range.owner.name()
                                     << ", which was not filled before";
      note(range, Touch::Kill);
      kill(range);
    } else if (failed(checkOp(&op, bufferRanges))) {
      return failure();
    }
  }
  return success();
}

bool StageVerifier::isGatherOf(Operation *op, const OwnedRange &in,
                               const OwnedRange &out) const {
  auto gather = dyn_cast<rt::AllGatherOp>(op);
  if (!gather || !isShard(in) || rows.lookup(in.owner.op) != out.owner.op)
    return false;
  auto part = cast<rt::BufferOp>(in.owner.op),
       row = cast<rt::BufferOp>(out.owner.op);
  return gather.getAxes() == part.getShardAxes() &&
         gather.getInput().getType().getNumElements() ==
             part.getMemRefType().getNumElements() &&
         out == rangeOf(row, 0);
}

LogicalResult StageVerifier::checkGather(Operation *op,
                                         const BufferRanges &bufferRanges) {
  for (const rt::Access &access : rt::getAccesses(op)) {
    OwnedRange out = bufferRanges.lookup(access.buffer);
    auto part = parts.find(out.owner.op);
    if (!access.isWrite || part == parts.end())
      continue;
    if (!isGatherOf(op, bufferRanges.lookup(op->getOperand(0)), out))
      return op->emitOpError()
             << "writes " << out.owner.name()
             << ", which only an all_gather may write, " << "from its shard @"
             << rt::BufferOp(part->second).getSymName();
  }
  return success();
}

bool StageVerifier::isInplace(Operation *op, Value in, Value out,
                              const BufferRanges &bufferRanges) {
  if (auto launch = dyn_cast<rt::LaunchOp>(op)) {
    auto inplace = launch.getInplace();
    if (!inplace)
      return false;
    for (auto [value, index] : llvm::zip(launch.getOuts(), *inplace))
      if (value == out && index >= 0 && launch.getIns()[index] == in)
        return true;
    return false;
  }
  // An accumulating GEMM reads its own result, which is no other operand.
  if (auto gemm = dyn_cast<rt::GemmOp>(op))
    return in == out && out == gemm.getC() &&
           llvm::count(gemm->getOperands(), out) == 1;
  if (auto grouped = dyn_cast<rt::GroupedGemmOp>(op))
    return in == out && llvm::count(grouped->getOperands(), out) == 1;
  // So does an accumulating reduce_scatter.
  if (auto scatter = dyn_cast<rt::ReduceScatterOp>(op))
    return in == out && scatter.getInput() != out;
  return (in == out && isa<rt::AllReduceOp>(op)) ||
         isGatherOf(op, bufferRanges.lookup(in), bufferRanges.lookup(out));
}

LogicalResult StageVerifier::checkOverwrite(Operation *op,
                                            const OwnedRange &range,
                                            const BufferRanges &bufferRanges) {
  // A killed buffer may hold anything afterwards.
  auto isIn = [&](const OwnedRange &whole) { return whole.contains(range); };
  if (!gradients.contains(range.owner.op) ||
      (used && llvm::any_of(used->killed, isIn)))
    return success();
  bool isRead = llvm::any_of(rt::getAccesses(op), [&](const rt::Access &other) {
    return !other.isWrite && bufferRanges.lookup(other.buffer) == range;
  });
  bool isAgain = used ? llvm::any_of(used->held, isIn) ||
                            llvm::is_contained(used->written, range)
                      : memory.isAnyOf(range);
  // Interleaved results of GEMMs overlap each other's range.
  if (used)
    used->written.push_back(range);
  if (isRead || !isAgain)
    return success();
  return op->emitOpError() << "overwrites " << range.owner.name()
                           << ", whose accumulated gradients are lost";
}

LogicalResult StageVerifier::checkOp(Operation *op,
                                     const BufferRanges &bufferRanges) {
  if (auto launch = dyn_cast<rt::LaunchOp>(op);
      launch && failed(checkLaunch(launch)))
    return failure();
  if (failed(checkRanks(op)))
    return failure();
  SmallVector<rt::Access> accesses = rt::getAccesses(op);
  for (const rt::Access &access : accesses) {
    OwnedRange range = bufferRanges.lookup(access.buffer);
    bool isOffloaded =
        range.begin >= 0 && range.begin < stage.getOffloadedBytes();
    if (isOffloaded && (!isa<rt::LaunchOp>(op) || rt::getStream(op) != 0))
      return op->emitOpError()
             << "accesses " << range.owner.name()
             << ", which is offloaded: only kernels on the compute stream may";
    note(range, access.isWrite ? Touch::Write : Touch::Read);
    if (access.isWrite)
      continue;
    std::optional<ByteOwner> intruder = findIntruder(range);
    if (!intruder)
      continue;
    InFlightDiagnostic diag = op->emitOpError()
                              << "reads " << range.owner.name();
    if (auto part = parts.find(range.owner.op);
        part != parts.end() && intruder->op == part->second) {
      diag << ", which is stale: its shard @"
           << rt::BufferOp(part->second).getSymName() << " was not gathered";
      return diag;
    }
    bool isFresh = range.owner.isTemporary() && intruder->isFrame();
    if (!intruder->op || isFresh) {
      diag << ", which nothing has written";
      return diag;
    }
    diag << ", part of which is overwritten";
    diag.attachNote(intruder->op->getLoc()) << "by " << intruder->name();
    return diag;
  }
  if (failed(checkGather(op, bufferRanges)))
    return failure();
  for (const rt::Access &access : accesses)
    if (access.isWrite &&
        failed(checkOverwrite(op, bufferRanges.lookup(access.buffer),
                              bufferRanges)))
      return failure();
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (!access.isWrite)
      continue;
    OwnedRange out = bufferRanges.lookup(access.buffer);
    if (isa<rt::ConstantOp, rt::CommIndexOp>(out.owner.op))
      return op->emitOpError("writes a constant");
    for (auto [j, other] : llvm::enumerate(accesses)) {
      if (i == j || !out.overlaps(bufferRanges.lookup(other.buffer)))
        continue;
      if (!other.isWrite &&
          isInplace(op, other.buffer, access.buffer, bufferRanges))
        continue;
      if (other.isWrite &&
          rt::areInterleaved(cast<MemRefType>(access.buffer.getType()),
                             out.begin,
                             cast<MemRefType>(other.buffer.getType()),
                             bufferRanges.lookup(other.buffer).begin))
        continue;
      return op->emitOpError()
             << "writes " << out.owner.name() << " over "
             << bufferRanges.lookup(other.buffer).owner.name() << ", which it "
             << (other.isWrite ? "also writes" : "reads");
    }
  }
  for (const rt::Access &access : accesses) {
    if (!access.isWrite)
      continue;
    OwnedRange out = bufferRanges.lookup(access.buffer);
    if (std::optional<ByteOwner> lost = findLost(out))
      return op->emitOpError()
             << "writes " << out.owner.name() << " over " << lost->name()
             << ", whose gradients were not accumulated into @"
             << sums.lookup(lost->op).getSymName();
    memory.write(out);
  }
  for (const rt::Access &access : accesses)
    if (OwnedRange in = bufferRanges.lookup(access.buffer);
        !access.isWrite && used && llvm::is_contained(used->killed, in))
      used->taken.push_back(in);
  // A merged all_reduce covers its buffers and the padding between them only.
  if (auto reduce = dyn_cast<rt::AllReduceOp>(op)) {
    OperandRange operands = reduce.getBuffers();
    for (size_t i = 1; i < operands.size(); ++i) {
      OwnedRange last = bufferRanges.lookup(operands[i - 1]);
      OwnedRange next = bufferRanges.lookup(operands[i]);
      if (int64_t(llvm::alignTo(last.end, rt::kAlignment)) != next.begin)
        return op->emitOpError()
               << "reduces " << last.owner.name() << " and "
               << next.owner.name() << ", which are not contiguous";
    }
  }
  return success();
}

struct RTVerifyPass : pcc::impl::RTVerifyPassBase<RTVerifyPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto programs = getOperation().getOps<rt::ProgramOp>();
    rt::ProgramOp program = programs.empty() ? nullptr : *programs.begin();
    SymbolTable symbols(getOperation());
    for (auto stage : getOperation().getOps<rt::StageOp>())
      if (failed(StageVerifier(stage, program, symbols).verify()) ||
          failed(verifyValues(stage)) || failed(verifySums(stage, program)) ||
          failed(verifyClocks(stage)) || failed(verifyGraphs(stage)) ||
          failed(verifyAttention(stage)))
        return signalPassFailure();
    if (failed(verifyCommunicators(getOperation())) ||
        failed(verifyTransfers(getOperation())) ||
        failed(verifyMicrobatches(getOperation())))
      return signalPassFailure();
  }
};

} // namespace
