//===- MergeReductions.cpp - Merging of adjacent all-reduces --------------===//

#include "passes/Codegen/Lower/MergeReductions.h"
#include "dialects/RT/Persistence.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace pcc;

namespace {

/// Finds buffers of a stage's functions that are adjacent in the arena.
class Neighbours {
public:
  explicit Neighbours(rt::StageOp stage) : symbols(stage) {
    stage.walk(
        [&](rt::CallOp call) { calls[call.getCallee()].push_back(call); });
  }

  /// Whether `next` begins where `last` ends, in all calls of the function.
  bool follows(Value last, Value next);

private:
  /// Returns the buffer that an operand is all of, if it may be merged; or
  /// null.
  rt::BufferOp wholeBuffer(Value value);

  SymbolTable symbols;
  llvm::StringMap<SmallVector<rt::CallOp>> calls;
};

} // namespace

rt::BufferOp Neighbours::wholeBuffer(Value value) {
  auto address = value.getDefiningOp<rt::AddressOp>();
  if (!address || address.getLoop() || address.getSlot() != 0)
    return {};
  auto buffer = symbols.lookup<rt::BufferOp>(address.getBuffer());
  // Buckets are not merged: each already has the size of one collective.
  // Neither are the accumulators of a gradient bucket's shard.
  bool isInBucket = buffer.getKind() == rt::BufferKind::Bucket ||
                    rt::bucketSummedIn(buffer, symbols);
  return isInBucket ? rt::BufferOp() : buffer;
}

bool Neighbours::follows(Value last, Value next) {
  auto lastArgument = dyn_cast<BlockArgument>(last);
  auto nextArgument = dyn_cast<BlockArgument>(next);
  if (lastArgument && nextArgument) {
    auto function = cast<rt::FuncOp>(lastArgument.getOwner()->getParentOp());
    ArrayRef<rt::CallOp> callers = calls[function.getSymName()];
    return !callers.empty() && llvm::all_of(callers, [&](rt::CallOp call) {
      return follows(call.getArgs()[lastArgument.getArgNumber()],
                     call.getArgs()[nextArgument.getArgNumber()]);
    });
  }
  rt::BufferOp a = wholeBuffer(last), b = wholeBuffer(next);
  return a && b && a.getSlots() == 1 && a.getOffset() && b.getOffset() &&
         a.getMemRefType().getElementType() ==
             b.getMemRefType().getElementType() &&
         int64_t(*a.getOffset()) + a.getTotalBytes() == int64_t(*b.getOffset());
}

/// Concatenates the rt.values of two all_reduces; all reads come first.
static void mergeValues(rt::AllReduceOp first, rt::AllReduceOp second) {
  auto a = first->getAttrOfType<DenseI64ArrayAttr>(rt::kValuesAttr);
  auto b = second->getAttrOfType<DenseI64ArrayAttr>(rt::kValuesAttr);
  if (!a || !b)
    return;
  size_t n = a.size() / 2, m = b.size() / 2;
  SmallVector<int64_t> values(a.asArrayRef().take_front(n));
  llvm::append_range(values, b.asArrayRef().take_front(m));
  llvm::append_range(values, a.asArrayRef().drop_front(n));
  llvm::append_range(values, b.asArrayRef().drop_front(m));
  first->setAttr(rt::kValuesAttr,
                 DenseI64ArrayAttr::get(first.getContext(), values));
}

void pcc::mergeReductions(rt::StageOp stage, dist::MeshAxesAttr mesh) {
  Neighbours neighbours(stage);
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>()) {
    rt::AllReduceOp open;
    for (Operation &op : llvm::make_early_inc_range(*function.getBlock())) {
      if (isa<rt::AddressOp, rt::ViewOp>(op))
        continue;
      auto reduce = dyn_cast<rt::AllReduceOp>(op);
      // Collectives over the pipeline axis are not merged: buffers of other
      // stages have other offsets, but all ranks must run the same collectives.
      if (reduce && mesh.hasRole(reduce.getAxes(), dist::AxisRole::Pipeline)) {
        open = {};
        continue;
      }
      if (reduce && open && reduce.getAxes() == open.getAxes() &&
          reduce.getStream() == open.getStream() &&
          reduce.getReduction() == open.getReduction() &&
          neighbours.follows(open.getBuffers().back(),
                             reduce.getBuffers().front())) {
        for (Value buffer : reduce.getBuffers()) {
          Operation *address = buffer.getDefiningOp();
          if (address && open->isBeforeInBlock(address))
            address->moveBefore(open);
        }
        mergeValues(open, reduce);
        open.getBuffersMutable().append(reduce.getBuffers());
        reduce.erase();
      } else {
        open = reduce;
      }
    }
  }
}
