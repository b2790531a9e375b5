//===- Verify.cpp - Proves that buffers hold what is read from them -------===//
//
// Independent of how offsets were chosen: it runs every entry point on a model
// of the arena in which a byte holds nothing but the name of the buffer that
// last wrote it.
//
//===----------------------------------------------------------------------===//

#include "passes/Codegen/Passes.h"
#include <map>

namespace pcc {
#define GEN_PASS_DEF_RTVERIFYPASS
#include "passes/Codegen/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;

namespace {

/// An instance of a buffer.
struct Owner {
  rt::BufferOp buffer;
  int64_t slot = 0;

  bool operator==(const Owner &other) const {
    return buffer == other.buffer && slot == other.slot;
  }
};

/// Bytes [begin, end) of an instance.
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
    cut(range.begin);
    cut(range.end);
    pieces.erase(pieces.lower_bound(range.begin),
                 pieces.lower_bound(range.end));
    pieces[range.begin] = {range.end, range.owner};
  }

  /// The first piece of the range that its owner does not hold: who does, or
  /// no buffer if nothing was written there. Nothing if all is well.
  std::optional<Owner> findIntruder(const Range &range) const {
    int64_t at = range.begin;
    auto it = pieces.upper_bound(at);
    if (it != pieces.begin())
      --it;
    for (; at < range.end; ++it) {
      if (it == pieces.end() || it->first > at)
        return Owner();
      if (it->second.end <= at)
        continue;
      if (!(it->second.owner == range.owner))
        return it->second.owner;
      at = it->second.end;
    }
    return std::nullopt;
  }

private:
  struct Piece {
    int64_t end;
    Owner owner;
  };

  /// Makes `at` a border between pieces.
  void cut(int64_t at) {
    auto it = pieces.lower_bound(at);
    if (it == pieces.begin())
      return;
    --it;
    if (it->second.end <= at)
      return;
    pieces[at] = it->second;
    it->second.end = at;
  }

  std::map<int64_t, Piece> pieces;
};

/// Where the addresses of a running function point.
using Frame = DenseMap<Value, Range>;

class StageVerifier {
public:
  explicit StageVerifier(rt::StageOp stage) : stage(stage) {
    for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>())
      buffers[buffer.getSymName()] = buffer;
    for (auto function : stage.getBlock()->getOps<rt::FuncOp>())
      functions[function.getSymName()] = function;
  }

  LogicalResult verify() {
    if (failed(checkOffsets()))
      return failure();
    for (StringRef name : {rt::kTrainEntry, rt::kEvaluateEntry})
      if (rt::FuncOp entry = functions.lookup(name)) {
        memory = Memory();
        if (failed(fillKept()))
          return failure();
        Frame frame;
        if (failed(run(entry, frame)))
          return failure();
      }
    return success();
  }

private:
  LogicalResult checkOffsets();
  LogicalResult fillKept();
  LogicalResult run(rt::FuncOp function, Frame &frame);
  LogicalResult checkOp(Operation *op, Frame &frame);
  /// Whether an op may write `out` although it reads the same bytes as `in`.
  static bool isInplace(Operation *op, Value in, Value out);

  static Range rangeOf(rt::BufferOp buffer, int64_t slot) {
    int64_t begin = int64_t(*buffer.getOffset()) + slot * buffer.getSlotBytes();
    return {{buffer, slot}, begin, begin + buffer.getBytes()};
  }

  rt::StageOp stage;
  llvm::StringMap<rt::BufferOp> buffers;
  llvm::StringMap<rt::FuncOp> functions;
  Memory memory;
};

LogicalResult StageVerifier::checkOffsets() {
  if (!stage.getArena())
    return stage.emitOpError("has no arena; run --rt-plan");
  int64_t arena = *stage.getArena();
  for (auto buffer : stage.getBlock()->getOps<rt::BufferOp>()) {
    std::optional<uint64_t> offset = buffer.getOffset();
    if (!offset) {
      // A temporary nothing touches has no place.
      if (buffer.getKind() == rt::BufferKind::Temporary)
        continue;
      return buffer.emitOpError("has no offset; run --rt-plan");
    }
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
      rt::BufferOp buffer = kept[i].owner.buffer;
      InFlightDiagnostic diag =
          buffer.emitOpError("overlaps another buffer that keeps its content");
      diag.attachNote(kept[i - 1].owner.buffer.getLoc()) << "this one";
      return diag;
    }
  for (const Range &range : kept)
    memory.write(range);
  return success();
}

LogicalResult StageVerifier::run(rt::FuncOp function, Frame &frame) {
  for (Operation &op : *function.getBlock()) {
    if (auto address = dyn_cast<rt::AddressOp>(op)) {
      rt::BufferOp buffer = buffers.lookup(address.getBuffer());
      if (buffer.getOffset())
        frame[address] = rangeOf(buffer, address.getSlot());
    } else if (auto view = dyn_cast<rt::ViewOp>(op)) {
      Range range = frame.lookup(view.getSource());
      MemRefType type = view.getType();
      range.begin += int64_t(view.getOffset()) *
                     rt::getElementBytes(type.getElementType());
      range.end = range.begin + rt::getSpanBytes(type);
      frame[view] = range;
    } else if (auto call = dyn_cast<rt::CallOp>(op)) {
      rt::FuncOp callee = functions.lookup(call.getCallee());
      Frame inner;
      for (auto [arg, value] :
           llvm::zip(callee.getBlock()->getArguments(), call.getArgs()))
        inner[arg] = frame.lookup(value);
      if (failed(run(callee, inner)))
        return failure();
    } else if (failed(checkOp(&op, frame))) {
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

LogicalResult StageVerifier::checkOp(Operation *op, Frame &frame) {
  SmallVector<rt::Access> accesses = rt::getAccesses(op);
  auto nameOf = [](const Owner &owner) {
    rt::BufferOp buffer = owner.buffer;
    return "@" + buffer.getSymName().str();
  };
  for (const rt::Access &access : accesses) {
    Range range = frame.lookup(access.buffer);
    if (access.isWrite)
      continue;
    std::optional<Owner> intruder = memory.findIntruder(range);
    if (!intruder)
      continue;
    InFlightDiagnostic diag = op->emitOpError()
                              << "reads " << nameOf(range.owner);
    if (!intruder->buffer) {
      diag << ", which nothing has written";
      return diag;
    }
    diag << ", part of which is overwritten";
    diag.attachNote(intruder->buffer.getLoc()) << "by " << nameOf(*intruder);
    return diag;
  }
  for (auto [i, access] : llvm::enumerate(accesses)) {
    if (!access.isWrite)
      continue;
    Range out = frame.lookup(access.buffer);
    for (auto [j, other] : llvm::enumerate(accesses)) {
      if (i == j || !out.overlaps(frame.lookup(other.buffer)))
        continue;
      if (!other.isWrite && isInplace(op, other.buffer, access.buffer))
        continue;
      return op->emitOpError()
             << "writes " << nameOf(out.owner) << " over "
             << nameOf(frame.lookup(other.buffer).owner) << ", which it "
             << (other.isWrite ? "also writes" : "reads");
    }
  }
  for (const rt::Access &access : accesses)
    if (access.isWrite)
      memory.write(frame.lookup(access.buffer));
  // One transfer covers its buffers and nothing else.
  if (auto reduce = dyn_cast<rt::AllReduceOp>(op)) {
    OperandRange operands = reduce.getBuffers();
    for (size_t i = 1; i < operands.size(); ++i) {
      Range last = frame.lookup(operands[i - 1]);
      Range next = frame.lookup(operands[i]);
      if (int64_t(llvm::alignTo(last.end, rt::kAlignment)) != next.begin)
        return op->emitOpError()
               << "reduces " << nameOf(last.owner) << " and "
               << nameOf(next.owner) << ", which are not contiguous";
    }
  }
  return success();
}

struct RTVerifyPass : pcc::impl::RTVerifyPassBase<RTVerifyPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto stage : getOperation().getOps<rt::StageOp>())
      if (failed(StageVerifier(stage).verify()))
        return signalPassFailure();
  }
};

} // namespace
