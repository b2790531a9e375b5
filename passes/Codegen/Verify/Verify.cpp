//===- Verify.cpp - Proves that buffers hold what is read from them -------===//
//
// Independent of how offsets were chosen: it runs every entry point on a model
// of the arena in which a byte holds nothing but the name of the buffer that
// last wrote it.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Passes.h"
#include "passes/Codegen/Verify/Intervals.h"
#include "passes/Codegen/Verify/VerifyTransfers.h"
#include "passes/Codegen/Verify/VerifyValues.h"

namespace pcc {
#define GEN_PASS_DEF_RTVERIFYPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// What bytes belong to: an instance of a buffer, or a temporary.
struct Owner {
  /// An `rt.buffer`, `rt.temporary` or `rt.constant`; null for nothing. A
  /// buffer for frames stands for what its function has not written.
  Operation *op = nullptr;
  int64_t slot = 0;

  bool operator==(const Owner &other) const {
    return op == other.op && slot == other.slot;
  }
  bool isFrame() const {
    auto buffer = dyn_cast_or_null<rt::BufferOp>(op);
    return buffer && buffer.getKind() == rt::BufferKind::Frame;
  }
  std::string name() const {
    if (auto buffer = dyn_cast<rt::BufferOp>(op))
      return "@" + buffer.getSymName().str();
    return "a temporary of @" +
           op->getParentOfType<rt::FuncOp>().getSymName().str();
  }
};

/// Bytes [begin, end) of one owner.
struct Range {
  Owner owner;
  int64_t begin = 0, end = 0;

  bool overlaps(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Who wrote each byte last.
class Memory {
public:
  void write(const Range &range) {
    owners.set(range.begin, range.end, range.owner);
  }

  /// The first piece of the range that its owner does not hold: who does, or
  /// nobody if nothing was written there. Nothing if all is well.
  std::optional<Owner> findIntruder(const Range &range) const {
    std::optional<Owner> found;
    owners.visit(range.begin, range.end,
                 [&](int64_t, int64_t, const Owner *owner) {
                   if (!found && !(owner && *owner == range.owner))
                     found = owner ? *owner : Owner();
                 });
    return found;
  }

private:
  Intervals<Owner> owners;
};

/// Where the buffers of a running function lie.
using Places = DenseMap<Value, Range>;

class StageVerifier {
public:
  /// `kernels` are the module's symbols; `program` may be null.
  StageVerifier(rt::StageOp stage, rt::ProgramOp program,
                const SymbolTable &kernels)
      : stage(stage), program(program), kernels(kernels) {
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      buffers[buffer.getSymName()] = buffer;
    for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
      functions[function.getSymName()] = function;
  }

  LogicalResult verify() {
    if (failed(checkOffsets()))
      return failure();
    for (StringRef name : rt::kEntries)
      if (rt::FuncOp entry = functions.lookup(name)) {
        memory = Memory();
        if (failed(fillKept()))
          return failure();
        Places places;
        if (failed(run(entry, places, 0)) || failed(checkKept(entry)))
          return failure();
      }
    return success();
  }

private:
  LogicalResult checkOffsets();
  LogicalResult fillKept();
  LogicalResult checkKept(rt::FuncOp entry);
  LogicalResult run(rt::FuncOp function, Places &places, int64_t frame);
  LogicalResult call(rt::CallOp op, const Places &places);
  LogicalResult checkOp(Operation *op, const Places &places);
  LogicalResult checkLaunch(rt::LaunchOp op);
  LogicalResult checkRanks(Operation *op);
  /// Whether an op may write `out` although it reads the same bytes as `in`.
  static bool isInplace(Operation *op, Value in, Value out);

  static Range rangeOf(rt::BufferOp buffer, int64_t slot) {
    int64_t begin = int64_t(*buffer.getOffset()) + slot * buffer.getSlotBytes();
    return {{buffer, slot}, begin, begin + buffer.getBytes()};
  }

  rt::StageOp stage;
  /// Null in a module without one.
  rt::ProgramOp program;
  const SymbolTable &kernels;
  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  Memory memory;
  int64_t constants = 0;
};

LogicalResult StageVerifier::checkOffsets() {
  if (!stage.getArena())
    return stage.emitOpError("has no arena; run --rt-plan");
  int64_t arena = *stage.getArena();
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    std::optional<uint64_t> offset = buffer.getOffset();
    if (!offset)
      return buffer.emitOpError("has no offset; run --rt-plan");
    if (*offset % rt::kAlignment)
      return buffer.emitOpError()
             << "lies at " << *offset << ", which is no multiple of "
             << rt::kAlignment;
    int64_t end = int64_t(*offset) + buffer.getTotalBytes();
    if (end > arena)
      return buffer.emitOpError()
             << "ends at byte " << end << " of an arena of " << arena;
  }
  return success();
}

/// Parameters, state and inputs hold their values when an entry starts.
LogicalResult StageVerifier::fillKept() {
  SmallVector<Range> kept;
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
    if (int(buffer.getKind()) <= int(rt::BufferKind::Input))
      for (int64_t slot = 0; slot < int64_t(buffer.getSlots()); ++slot)
        kept.push_back(rangeOf(buffer, slot));
  llvm::sort(kept,
             [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < kept.size(); ++i)
    if (kept[i - 1].overlaps(kept[i])) {
      InFlightDiagnostic diag = kept[i].owner.op->emitOpError(
          "overlaps another buffer that keeps its content");
      diag.attachNote(kept[i - 1].owner.op->getLoc()) << "this one";
      return diag;
    }
  for (const Range &range : kept)
    memory.write(range);
  return success();
}

/// What the next step needs is intact when an entry ends, and so is what the
/// runtime reads then.
LogicalResult StageVerifier::checkKept(rt::FuncOp entry) {
  llvm::SmallPtrSet<Operation *, 4> outputs;
  for (auto address : entry.getBlock()->getOps<rt::AddressOp>())
    outputs.insert(buffers.lookup(address.getBuffer()));
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    bool isOutput =
        buffer.getKind() == rt::BufferKind::Output && outputs.contains(buffer);
    if (int(buffer.getKind()) > int(rt::BufferKind::Sum) && !isOutput)
      continue;
    std::optional<Owner> intruder = memory.findIntruder(rangeOf(buffer, 0));
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
    Range range = rangeOf(buffers.lookup(*symbol), 0);
    memory.write(range);
    frame = range.begin;
  }
  return run(callee, inner, frame);
}

LogicalResult StageVerifier::run(rt::FuncOp function, Places &places,
                                 int64_t frame) {
  for (Operation &op : *function.getBlock()) {
    if (auto address = dyn_cast<rt::AddressOp>(op)) {
      places[address] =
          rangeOf(buffers.lookup(address.getBuffer()), address.getSlot());
    } else if (auto temporary = dyn_cast<rt::TemporaryOp>(op)) {
      if (!temporary.getOffset())
        return temporary.emitOpError("has no offset; run --rt-plan");
      int64_t begin = frame + int64_t(*temporary.getOffset());
      places[temporary] = {
          {temporary}, begin, begin + rt::getSpanBytes(temporary.getType())};
    } else if (auto constant = dyn_cast<rt::ConstantOp>(op)) {
      // Constants lie below the arena, each by itself.
      constants += rt::kAlignment;
      places[constant] = {{constant}, -constants, -constants + 8};
      memory.write(places[constant]);
    } else if (auto view = dyn_cast<rt::ViewOp>(op)) {
      Range range = places.lookup(view.getSource());
      MemRefType type = view.getType();
      range.begin += int64_t(view.getOffset()) *
                     rt::getElementBytes(type.getElementType());
      range.end = range.begin + rt::getSpanBytes(type);
      places[view] = range;
    } else if (auto inner = dyn_cast<rt::CallOp>(op)) {
      if (failed(call(inner, places)))
        return failure();
    } else if (failed(checkOp(&op, places))) {
      return failure();
    }
  }
  return success();
}

bool StageVerifier::isInplace(Operation *op, Value in, Value out) {
  if (auto launch = dyn_cast<rt::LaunchOp>(op)) {
    auto inplace = launch.getInplace();
    if (!inplace)
      return false;
    for (auto [value, index] : llvm::zip(launch.getOuts(), *inplace))
      if (value == out && index >= 0 && launch.getIns()[index] == in)
        return true;
    return false;
  }
  // A product that accumulates reads its own result.
  if (auto gemm = dyn_cast<rt::GemmOp>(op))
    return in == out && gemm.getA() != out && gemm.getB() != out;
  return in == out && isa<rt::AllReduceOp>(op);
}

LogicalResult StageVerifier::checkOp(Operation *op, const Places &places) {
  if (auto launch = dyn_cast<rt::LaunchOp>(op);
      launch && failed(checkLaunch(launch)))
    return failure();
  if (failed(checkRanks(op)))
    return failure();
  SmallVector<rt::Access> accesses = rt::getAccesses(op);
  for (const rt::Access &access : accesses) {
    Range range = places.lookup(access.buffer);
    if (access.isWrite)
      continue;
    std::optional<Owner> intruder = memory.findIntruder(range);
    if (!intruder)
      continue;
    InFlightDiagnostic diag = op->emitOpError()
                              << "reads " << range.owner.name();
    bool isFresh = isa<rt::TemporaryOp>(range.owner.op) && intruder->isFrame();
    if (!intruder->op || isFresh) {
      diag << ", which nothing has written";
      return diag;
    }
    diag << ", part of which is overwritten";
    diag.attachNote(intruder->op->getLoc()) << "by " << intruder->name();
    return diag;
  }
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (!access.isWrite)
      continue;
    Range out = places.lookup(access.buffer);
    if (isa<rt::ConstantOp>(out.owner.op))
      return op->emitOpError("writes a constant");
    for (auto [j, other] : llvm::enumerate(accesses)) {
      if (i == j || !out.overlaps(places.lookup(other.buffer)))
        continue;
      if (!other.isWrite && isInplace(op, other.buffer, access.buffer))
        continue;
      return op->emitOpError()
             << "writes " << out.owner.name() << " over "
             << places.lookup(other.buffer).owner.name() << ", which it "
             << (other.isWrite ? "also writes" : "reads");
    }
  }
  for (const rt::Access &access : accesses)
    if (access.isWrite)
      memory.write(places.lookup(access.buffer));
  // One transfer covers its buffers and nothing else.
  if (auto reduce = dyn_cast<rt::AllReduceOp>(op)) {
    OperandRange operands = reduce.getBuffers();
    for (size_t i = 1; i < operands.size(); ++i) {
      Range last = places.lookup(operands[i - 1]);
      Range next = places.lookup(operands[i]);
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
          failed(verifyValues(stage)))
        return signalPassFailure();
    if (failed(verifyTransfers(getOperation())))
      return signalPassFailure();
  }
};

} // namespace
