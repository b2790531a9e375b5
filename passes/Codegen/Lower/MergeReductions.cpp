//===- MergeReductions.cpp - Adjacent reductions become one ---------------===//

#include "passes/Codegen/Lower/MergeReductions.h"

using namespace mlir;
using namespace pcc;

/// The buffer that an operand is all of, or null.
static rt::BufferOp wholeBuffer(Value value, const SymbolTable &symbols) {
  auto address = value.getDefiningOp<rt::AddressOp>();
  if (!address || address.getSlot() != 0)
    return {};
  return symbols.lookup<rt::BufferOp>(address.getBuffer());
}

/// Whether `next` begins where `last` ends.
static bool follows(Value last, Value next, const SymbolTable &symbols) {
  rt::BufferOp a = wholeBuffer(last, symbols), b = wholeBuffer(next, symbols);
  return a && b && a.getSlots() == 1 && a.getOffset() && b.getOffset() &&
         a.getMemRefType().getElementType() ==
             b.getMemRefType().getElementType() &&
         int64_t(*a.getOffset()) + a.getTotalBytes() == int64_t(*b.getOffset());
}

/// The values that two reductions mean, as those of one: all reads come first.
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
  SymbolTable symbols(stage);
  for (auto function : stage.getBlock()->getOps<rt::FuncOp>()) {
    rt::AllReduceOp open;
    for (Operation &op : llvm::make_early_inc_range(*function.getBlock())) {
      if (isa<rt::AddressOp, rt::ViewOp>(op))
        continue;
      auto reduce = dyn_cast<rt::AllReduceOp>(op);
      // Where other stages have a part in it, their buffers lie elsewhere: all
      // have to do the same transfers.
      if (reduce && mesh.hasRole(reduce.getAxes(), dist::AxisRole::Pipeline)) {
        open = {};
        continue;
      }
      if (reduce && open && reduce.getAxes() == open.getAxes() &&
          reduce.getReduction() == open.getReduction() &&
          follows(open.getBuffers().back(), reduce.getBuffers().front(),
                  symbols)) {
        for (Value buffer : reduce.getBuffers()) {
          Operation *address = buffer.getDefiningOp();
          if (open->isBeforeInBlock(address))
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
