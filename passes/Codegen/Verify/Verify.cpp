//===- Verify.cpp - Proves that buffers hold what is read from them -------===//
//
// Independent of how offsets were chosen: it runs every entry point on a model
// of the arena in which a byte holds nothing but the name of the buffer that
// last wrote it.
//
// What a turn of a loop does follows from the arena before it and from which
// slots it names, which come again after a number of turns, its period. So once
// a period has left the arena as it found it, all that follow do. Buffers that
// have a slot for more turns than that are apart: of the turns that are left
// out, only the accesses to these are done.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Passes.h"
#include "passes/Codegen/Verify/ApartBytes.h"
#include "passes/Codegen/Verify/ByteOwners.h"
#include "passes/Codegen/Verify/VerifyAttention.h"
#include "passes/Codegen/Verify/VerifyBuckets.h"
#include "passes/Codegen/Verify/VerifyClocks.h"
#include "passes/Codegen/Verify/VerifyCommunicators.h"
#include "passes/Codegen/Verify/VerifyGraphs.h"
#include "passes/Codegen/Verify/VerifyMicrobatches.h"
#include "passes/Codegen/Verify/VerifySums.h"
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

/// What a running function does to gradients.
struct GradientUses {
  /// Those that held something before it, and those that it gives up.
  SmallVector<OwnedRange> held, givenUp;
  /// What it has written of them.
  SmallVector<OwnedRange> written;
  /// What it has read of those that it gives up: others may lie there from then
  /// on, ahead of its end.
  SmallVector<OwnedRange> taken;
};

/// What is done to bytes.
enum class Touch { Read, Write, GiveUp };

/// An access to a buffer that has a slot for each turn of a loop, or nearly.
struct SlotAccess {
  Touch touch;
  rt::BufferOp buffer;
  SlotOffsets offsets;
  /// The slot, less the microbatch that the loop is at.
  int64_t behind;
  /// Which bytes of the slot.
  int64_t begin, end;
};

/// A loop that is being run.
struct Loop {
  rt::ForOp op;
  /// The microbatch it is at.
  int64_t variable = 0;
  /// After how many turns slots come again, but for those of `apart`.
  int64_t period = 1;
  llvm::SetVector<Operation *> apart;
  ApartBytes apartBytes;
  /// What the last turn did to these.
  SmallVector<SlotAccess> accesses;
};

/// Where the buffers of a running function lie.
using Places = DenseMap<Value, OwnedRange>;

class StageVerifier {
public:
  /// `kernels` are the module's symbols; `program` may be null.
  StageVerifier(rt::StageOp stage, rt::ProgramOp program,
                const SymbolTable &kernels)
      : stage(stage), program(program), kernels(kernels),
        gathered(rt::findGathered(stage)), parts(rt::findParts(stage)),
        gradients(rt::findGradients(stage)) {
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      buffers[buffer.getSymName()] = buffer;
    for (auto &[name, buffer] : buffers)
      if (buffer.getBucket())
        rows[buffer] = buffers.lookup(*buffer.getBucket());
    for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
      functions[function.getSymName()] = function;
    SymbolTable symbols(stage);
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      if (rt::BufferOp row = rt::rowSummedIn(buffer, symbols);
          row && gradients.contains(row))
        sums[row] = buffer;
  }

  LogicalResult verify() {
    if (failed(checkOffsets()))
      return failure();
    for (StringRef name : rt::kEntries)
      if (rt::FuncOp entry = functions.lookup(name)) {
        memory = ByteOwners();
        if (failed(fillKept()))
          return failure();
        Places places;
        if (failed(run(*entry.getBlock(), places, 0)) ||
            failed(checkKept(entry)))
          return failure();
      }
    return success();
  }

private:
  LogicalResult checkOffsets();
  LogicalResult fillKept();
  LogicalResult checkKept(rt::FuncOp entry);
  LogicalResult run(Block &ops, Places &places, int64_t frame);
  LogicalResult run(rt::ForOp op, Places &places);
  /// Says which buffers are apart, and how often turns are alike.
  void findPeriod();
  /// Does what is left of the loop's whole periods; false, and nothing, if it
  /// is not sure that these are as the last one was, which met `before`, less
  /// what is apart.
  bool skipPeriods(const ByteOwners &before);
  /// Notes an access in a turn of a loop.
  void note(const OwnedRange &range, Touch touch);
  /// Whether an op writes a gradient over what was added up in it before.
  LogicalResult checkBegun(Operation *op, const OwnedRange &range,
                           const Places &places);
  /// The row whose gradients, which nobody has added to those of other
  /// microbatches, are lost if a range is written; nothing if none are.
  std::optional<ByteOwner> findLost(const OwnedRange &range) const {
    return memory.find(range, [&](const ByteOwner &owner) {
      if (owner == range.owner || !sums.contains(owner.op))
        return false;
      return !used || llvm::none_of(used->taken, [&](const OwnedRange &taken) {
        return taken.owner == owner;
      });
    });
  }
  /// Whether a buffer holds what it did when the next entry begins, and is no
  /// part of one that does.
  bool isKept(rt::BufferOp buffer) const {
    if (buffer.getKind() == rt::BufferKind::Part)
      return true;
    return int(buffer.getKind()) <= int(rt::BufferKind::Sum) &&
           !buffer.getBucket() && !gradients.contains(buffer) &&
           !gathered.contains(buffer) && !parts.contains(buffer);
  }
  std::optional<ByteOwner> findIntruder(const OwnedRange &range) const {
    auto row = isPart(range) ? rows.lookup(range.owner.op) : rt::BufferOp();
    return memory.findIntruder(range, row ? ByteOwner{row, 0} : range.owner);
  }
  /// Whether it is what a rank keeps of a row, and with it all of the row, as
  /// ranks keep other bytes of it.
  static bool isPart(const OwnedRange &range) {
    auto buffer = dyn_cast_or_null<rt::BufferOp>(range.owner.op);
    return buffer && buffer.getKind() == rt::BufferKind::Part;
  }
  /// Checks who writes a row of which ranks keep a part: who gathers it.
  LogicalResult checkGather(Operation *op, const Places &places);
  LogicalResult call(rt::CallOp op, const Places &places);
  /// Nothing is left of what a buffer holds; others may lie there already.
  void giveUp(const OwnedRange &range);
  LogicalResult checkOp(Operation *op, const Places &places);
  LogicalResult checkLaunch(rt::LaunchOp op);
  LogicalResult checkRanks(Operation *op);
  /// Whether an op may write `out` although it reads the same bytes as `in`.
  bool isInplace(Operation *op, Value in, Value out, const Places &places);
  /// Whether an op makes a row of the part `in` that ranks keep of it.
  bool isGatherOf(Operation *op, const OwnedRange &in,
                  const OwnedRange &out) const;

  /// What lies in a bucket is the bucket's. Slots of a row that begin at one
  /// byte are one: those that turns go round have others among them.
  OwnedRange rangeOf(rt::BufferOp buffer, int64_t slot) const {
    int64_t begin = buffer.getSlotOffset(slot);
    if (buffer.isOfRow())
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
  /// Null in a module without one.
  rt::ProgramOp program;
  const SymbolTable &kernels;
  /// What holds nothing when an entry starts.
  llvm::DenseSet<Operation *> gathered;
  /// By row of which ranks keep a part, that.
  llvm::DenseMap<Operation *, rt::BufferOp> parts;
  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  /// By what lies in one, the bucket.
  llvm::DenseMap<Operation *, rt::BufferOp> rows;
  ByteOwners memory;
  /// Gradients, and buckets of them: these hold nothing as an entry begins.
  llvm::DenseSet<Operation *> gradients;
  /// By row of one microbatch's gradients, what adds them up.
  llvm::MapVector<Operation *, rt::BufferOp> sums;
  /// Of the running function; none in an entry point.
  std::optional<GradientUses> used;
  /// Where constants lie: below the arena, each by itself.
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
             << "lies at " << *offset << ", which is no multiple of "
             << rt::kAlignment;
    int64_t end = buffer.getEnd();
    if (end > arena)
      return buffer.emitOpError()
             << "ends at byte " << end << " of an arena of " << arena;
  }
  return verifyBuckets(stage, program);
}

/// Parameters, state and inputs hold their values when an entry starts, but for
/// what it gathers.
LogicalResult StageVerifier::fillKept() {
  SmallVector<OwnedRange> kept;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (isKept(buffer) ||
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

/// What the next step needs is intact when an entry ends, and so is what the
/// runtime reads then; what is added up of each microbatch has been.
LogicalResult StageVerifier::checkKept(rt::FuncOp entry) {
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
               << " ends, which nobody has added to @" << sum.getSymName();
  }
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    bool isOutput =
        buffer.getKind() == rt::BufferKind::Output && outputs.contains(buffer);
    if (!isKept(buffer) && !isOutput)
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

/// Whether a launch gives its kernel what it takes. Kernels that are lowered
/// already do not say.
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
    return op.emitOpError()
           << "does not give " << op.getKernelAttr() << " the buffers it takes";
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

/// Whether a collective's buffers have a block for each of its ranks.
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
  return op->emitOpError() << "turns " << in << " elements into " << out
                           << " on " << ranks << " ranks";
}

LogicalResult StageVerifier::call(rt::CallOp op, const Places &places) {
  rt::FuncOp callee = functions.lookup(op.getCallee());
  Places inner;
  for (auto [arg, value] :
       llvm::zip(callee.getBlock()->getArguments(), op.getArgs()))
    if (places.contains(value))
      inner[arg] = places.lookup(value);
  int64_t frame = 0;
  if (auto symbol = op.getFrame()) {
    rt::BufferOp buffer = buffers.lookup(*symbol);
    OwnedRange range =
        rangeOf(buffer, loop ? loop->variable % int64_t(buffer.getSlots()) : 0);
    // Nothing is left of what temporaries held in another call; between them
    // others may lie.
    memory.change(
        range, [](const ByteOwner &owner) { return owner.isTemporary(); },
        range.owner);
    frame = range.begin;
  }
  GradientUses uses;
  for (BlockArgument argument : callee.getBlock()->getArguments())
    if (OwnedRange range = inner.lookup(argument);
        callee.givesUp(argument.getArgNumber()))
      uses.givenUp.push_back(range);
    else if (gradients.contains(range.owner.op) && memory.isAnyOf(range))
      uses.held.push_back(range);
  std::optional<GradientUses> outer = std::exchange(used, std::move(uses));
  if (failed(run(*callee.getBlock(), inner, frame)))
    return failure();
  for (const OwnedRange &range : used->givenUp) {
    note(range, Touch::GiveUp);
    giveUp(range);
  }
  used = std::move(outer);
  return success();
}

void StageVerifier::giveUp(const OwnedRange &range) {
  rt::BufferOp part = parts.lookup(range.owner.op);
  memory.change(
      range,
      [&](const ByteOwner &owner) {
        return owner == range.owner || (part && owner.op == part);
      },
      ByteOwner());
  memory.giveUp(range.owner);
}

void StageVerifier::findPeriod() {
  int64_t turns = int64_t(loop->op.getEnd()) - int64_t(loop->op.getBegin());
  // Two periods are run and looked at, and more are left to be left out.
  int64_t longest = std::min(turns / 3, kLongestPeriod);
  auto fits = [&](int64_t slots) {
    int64_t period = std::lcm(loop->period, slots);
    if (period <= longest)
      loop->period = period;
    return period <= longest;
  };
  auto takesTurns = [&](rt::AddressOp address, rt::BufferOp buffer) {
    return fits(address.getTurns(buffer.getSlots()).second);
  };
  bool isEndless = false;
  for (auto call : loop->op.getBlock()->getOps<rt::CallOp>())
    if (auto frame = call.getFrame())
      isEndless |= !fits(buffers.lookup(*frame).getSlots());
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>())
    if (address.getAmong())
      isEndless |= !takesTurns(address, buffers.lookup(address.getBuffer()));
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>()) {
    rt::BufferOp buffer = buffers.lookup(address.getBuffer());
    if (address.getLoop() && !address.getAmong() &&
        !takesTurns(address, buffer))
      loop->apart.insert(buffer);
  }
  // Of those it is enough to know how far a slot is behind.
  for (auto address : loop->op.getBlock()->getOps<rt::AddressOp>())
    isEndless |= (!address.getLoop() || address.getAmong()) &&
                 loop->apart.contains(buffers.lookup(address.getBuffer()));
  if (isEndless)
    loop->period = turns + 1;
  for (Operation *op : loop->apart)
    loop->apartBytes.add(cast<rt::BufferOp>(op));
}

void StageVerifier::note(const OwnedRange &range, Touch touch) {
  if (!loop)
    return;
  auto buffer = dyn_cast<rt::BufferOp>(range.owner.op);
  if (buffer && loop->apart.contains(buffer)) {
    SlotOffsets offsets(buffer);
    int64_t slot = range.owner.slot, begin = offsets[slot];
    loop->accesses.push_back({touch, buffer, offsets, slot - loop->variable,
                              range.begin - begin, range.end - begin});
    return;
  }
  loop->apartBytes.disturb(range.begin, range.end);
}

bool StageVerifier::skipPeriods(const ByteOwners &before) {
  if (loop->apartBytes.takeNew() ||
      !(before == memory.outside(loop->apartBytes.list())))
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
          loop->apartBytes.isDisturbed(range.begin, range.end))
        return false;
  ByteOwners now = memory;
  for (int64_t variable = loop->variable; variable < end; ++variable)
    for (const SlotAccess &access : loop->accesses) {
      if (!loop->apartBytes.showsIn(variable, loop->variable, end,
                                    access.offsets.slots))
        continue;
      OwnedRange range = rangeIn(access, variable);
      if (access.touch == Touch::GiveUp) {
        giveUp(range);
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

LogicalResult StageVerifier::run(rt::ForOp op, Places &places) {
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
      if (isLookedAt(turn / loop->period)) {
        loop->apartBytes.takeNew();
        before = memory.outside(loop->apartBytes.list());
      }
    }
    loop->accesses.clear();
    if (failed(run(*op.getBlock(), places, 0)))
      return failure();
  }
  loop.reset();
  return success();
}

LogicalResult StageVerifier::run(Block &ops, Places &places, int64_t frame) {
  for (Operation &op : ops) {
    if (auto address = dyn_cast<rt::AddressOp>(op)) {
      rt::BufferOp buffer = buffers.lookup(address.getBuffer());
      places[address] =
          rangeOf(buffer, address.getSlotAt(loop ? loop->variable : 0,
                                            buffer.getSlots()));
    } else if (auto inner = dyn_cast<rt::ForOp>(op)) {
      if (failed(run(inner, places)))
        return failure();
    } else if (auto temporary = dyn_cast<rt::TemporaryOp>(op)) {
      if (!temporary.getOffset())
        return temporary.emitOpError("has no offset; run --rt-plan");
      int64_t begin = frame + int64_t(*temporary.getOffset());
      places[temporary] = {
          {temporary}, begin, begin + rt::getSpanBytes(temporary.getType())};
    } else if (isa<rt::ConstantOp, rt::CommIndexOp>(op)) {
      Value constant = op.getResult(0);
      int64_t number =
          constants.try_emplace(&op, constants.size() + 1).first->second;
      int64_t begin = -number * rt::kAlignment;
      places[constant] = {{&op}, begin, begin + 8};
      memory.write(places[constant]);
    } else if (auto view = dyn_cast<rt::ViewOp>(op)) {
      OwnedRange range = places.lookup(view.getSource());
      MemRefType type = view.getType();
      if (!isPart(range)) {
        range.begin += int64_t(view.getOffset()) *
                       rt::getElementBytes(type.getElementType());
        range.end = range.begin + rt::getSpanBytes(type);
      }
      places[view] = range;
    } else if (auto inner = dyn_cast<rt::CallOp>(op)) {
      if (failed(call(inner, places)))
        return failure();
    } else if (auto release = dyn_cast<rt::ReleaseOp>(op)) {
      OwnedRange range = places.lookup(release.getBuffer());
      // Others may lie there already, as behind its last use.
      if (!memory.wasFilled(range.owner))
        return release.emitOpError() << "gives up " << range.owner.name()
                                     << ", which was not filled there";
      note(range, Touch::GiveUp);
      giveUp(range);
    } else if (failed(checkOp(&op, places))) {
      return failure();
    }
  }
  return success();
}

bool StageVerifier::isGatherOf(Operation *op, const OwnedRange &in,
                               const OwnedRange &out) const {
  auto gather = dyn_cast<rt::AllGatherOp>(op);
  if (!gather || !isPart(in) || rows.lookup(in.owner.op) != out.owner.op)
    return false;
  auto part = cast<rt::BufferOp>(in.owner.op),
       row = cast<rt::BufferOp>(out.owner.op);
  return gather.getAxes() == part.getCut() &&
         gather.getInput().getType().getNumElements() ==
             part.getMemRefType().getNumElements() &&
         out == rangeOf(row, 0);
}

LogicalResult StageVerifier::checkGather(Operation *op, const Places &places) {
  for (const rt::Access &access : rt::getAccesses(op)) {
    OwnedRange out = places.lookup(access.buffer);
    auto part = parts.find(out.owner.op);
    if (!access.isWrite || part == parts.end())
      continue;
    if (!isGatherOf(op, places.lookup(op->getOperand(0)), out))
      return op->emitOpError() << "writes " << out.owner.name()
                               << ", which is made of what ranks "
                               << "keep of it alone, @"
                               << rt::BufferOp(part->second).getSymName();
  }
  return success();
}

bool StageVerifier::isInplace(Operation *op, Value in, Value out,
                              const Places &places) {
  if (auto launch = dyn_cast<rt::LaunchOp>(op)) {
    auto inplace = launch.getInplace();
    if (!inplace)
      return false;
    for (auto [value, index] : llvm::zip(launch.getOuts(), *inplace))
      if (value == out && index >= 0 && launch.getIns()[index] == in)
        return true;
    return false;
  }
  // A product that accumulates reads its own result, which is nothing else.
  if (auto gemm = dyn_cast<rt::GemmOp>(op))
    return in == out && out == gemm.getC() &&
           llvm::count(gemm->getOperands(), out) == 1;
  // So does what ranks add where it is.
  if (auto scatter = dyn_cast<rt::ReduceScatterOp>(op))
    return in == out && scatter.getInput() != out;
  return (in == out && isa<rt::AllReduceOp>(op)) ||
         isGatherOf(op, places.lookup(in), places.lookup(out));
}

LogicalResult StageVerifier::checkBegun(Operation *op, const OwnedRange &range,
                                        const Places &places) {
  // Where it is given up, anything may be left.
  auto isIn = [&](const OwnedRange &whole) { return whole.contains(range); };
  if (!gradients.contains(range.owner.op) ||
      (used && llvm::any_of(used->givenUp, isIn)))
    return success();
  bool isRead = llvm::any_of(rt::getAccesses(op), [&](const rt::Access &other) {
    return !other.isWrite && places.lookup(other.buffer) == range;
  });
  bool isAgain = used ? llvm::any_of(used->held, isIn) ||
                            llvm::is_contained(used->written, range)
                      : memory.isAnyOf(range);
  // Products that lie between each other overlap.
  if (used)
    used->written.push_back(range);
  if (isRead || !isAgain)
    return success();
  return op->emitOpError() << "writes " << range.owner.name()
                           << " anew, and what was added up in it is lost";
}

LogicalResult StageVerifier::checkOp(Operation *op, const Places &places) {
  if (auto launch = dyn_cast<rt::LaunchOp>(op);
      launch && failed(checkLaunch(launch)))
    return failure();
  if (failed(checkRanks(op)))
    return failure();
  SmallVector<rt::Access> accesses = rt::getAccesses(op);
  for (const rt::Access &access : accesses) {
    OwnedRange range = places.lookup(access.buffer);
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
      diag << " where it is out of date: @"
           << rt::BufferOp(part->second).getSymName()
           << ", which ranks keep of it, is not gathered";
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
  if (failed(checkGather(op, places)))
    return failure();
  for (const rt::Access &access : accesses)
    if (access.isWrite &&
        failed(checkBegun(op, places.lookup(access.buffer), places)))
      return failure();
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (!access.isWrite)
      continue;
    OwnedRange out = places.lookup(access.buffer);
    if (isa<rt::ConstantOp, rt::CommIndexOp>(out.owner.op))
      return op->emitOpError("writes a constant");
    for (auto [j, other] : llvm::enumerate(accesses)) {
      if (i == j || !out.overlaps(places.lookup(other.buffer)))
        continue;
      if (!other.isWrite && isInplace(op, other.buffer, access.buffer, places))
        continue;
      if (other.isWrite &&
          rt::areInterleaved(cast<MemRefType>(access.buffer.getType()),
                             out.begin,
                             cast<MemRefType>(other.buffer.getType()),
                             places.lookup(other.buffer).begin))
        continue;
      return op->emitOpError()
             << "writes " << out.owner.name() << " over "
             << places.lookup(other.buffer).owner.name() << ", which it "
             << (other.isWrite ? "also writes" : "reads");
    }
  }
  for (const rt::Access &access : accesses) {
    if (!access.isWrite)
      continue;
    OwnedRange out = places.lookup(access.buffer);
    if (std::optional<ByteOwner> lost = findLost(out))
      return op->emitOpError()
             << "writes " << out.owner.name() << " over " << lost->name()
             << ", whose gradients nobody has added to @"
             << sums.lookup(lost->op).getSymName();
    memory.write(out);
  }
  for (const rt::Access &access : accesses)
    if (OwnedRange in = places.lookup(access.buffer);
        !access.isWrite && used && llvm::is_contained(used->givenUp, in))
      used->taken.push_back(in);
  // One transfer covers its buffers and nothing else.
  if (auto reduce = dyn_cast<rt::AllReduceOp>(op)) {
    OperandRange operands = reduce.getBuffers();
    for (size_t i = 1; i < operands.size(); ++i) {
      OwnedRange last = places.lookup(operands[i - 1]);
      OwnedRange next = places.lookup(operands[i]);
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
