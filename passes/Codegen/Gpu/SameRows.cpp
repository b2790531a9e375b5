//===- SameRows.cpp - Rows that many work items read ----------------------===//

#include "passes/Codegen/Gpu/SameRows.h"
#include "dialects/RT/RT.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

int64_t WorkItemStride::sameBytes() const {
  int64_t bytes = 0;
  for (const SameRow &row : rows)
    bytes += row.bytes();
  return bytes;
}

/// Whether a value of kernel IR is the same for work items `stride` apart.
/// Arguments that are loaded from are assumed not to be written.
static bool isSame(Value value, Value unit, int64_t stride) {
  if (!value)
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<MemRefType>(value.getType());
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    SmallVector<AffineExpr> moved;
    unsigned dims = apply.getMapOperands().size();
    if (apply.getAffineMap().getNumSymbols())
      return false;
    for (auto [i, operand] : llvm::enumerate(apply.getMapOperands())) {
      AffineExpr dim = getAffineDimExpr(i, value.getContext());
      if (operand == unit)
        dim = dim + stride;
      else if (!isSame(operand, unit, stride))
        return false;
      moved.push_back(dim);
    }
    AffineExpr before = apply.getAffineMap().getResult(0);
    AffineExpr after = before.replaceDims(moved);
    return simplifyAffineExpr(after - before, dims, 0) == 0;
  }
  return (isPure(op) || isa<memref::LoadOp>(op)) && !op->getNumRegions() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isSame(operand, unit, stride);
         });
}

/// Collects the moduli m of terms `x mod m` in the computation of a value.
static void findModuli(Value value, llvm::SetVector<int64_t> &moduli) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op || op->getNumRegions())
    return;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    apply.getAffineMap().getResult(0).walk([&](AffineExpr expr) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!binary || expr.getKind() != AffineExprKind::Mod)
        return;
      if (auto modulus = dyn_cast<AffineConstantExpr>(binary.getRHS()))
        moduli.insert(modulus.getValue());
    });
  for (Value operand : op->getOperands())
    findModuli(operand, moduli);
}

namespace {
/// A row that a work item's passes access.
struct Touched {
  SameRow row;
  bool isWritten, isRead;
};
} // namespace

/// Returns the rows of device memory that the passes of a work item access.
/// Returns none if passes are in loops or branches, or a row's length is
/// dynamic.
static SmallVector<Touched> findRows(Block &unit) {
  SmallVector<Touched> rows;
  for (Operation &op : unit.without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic && op.getNumRegions())
      return {};
    if (!generic)
      continue;
    for (OpOperand &operand : generic->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      Slice slice = sliceOf(operand.get());
      if (!type || type.getRank() != 1 || !isa<BlockArgument>(slice.buffer))
        continue;
      if (type.isDynamicDim(0))
        return {};
      auto it = llvm::find_if(rows, [&](const Touched &other) {
        return other.row.slice.buffer == slice.buffer &&
               other.row.slice.offset == slice.offset &&
               other.row.columns == type.getDimSize(0);
      });
      if (it == rows.end())
        it = rows.insert(rows.end(),
                         {{slice, type.getDimSize(0)}, false, false});
      it->isWritten |= generic.isDpsInit(&operand);
      it->isRead |= !generic.getMatchingBlockArgument(&operand).use_empty();
    }
  }
  return rows;
}

WorkItemStride codegen::findSameRows(func::FuncOp kernel) {
  auto forall = *kernel.getOps<scf::ForallOp>().begin();
  Value unit = forall.getInductionVar(0);
  int64_t units = forall.getStaticUpperBound().front();
  auto rows = findRows(*forall.getBody());
  // Buffers that the kernel writes, and memory that a result may share, cannot
  // be cached.
  llvm::SmallDenseSet<Value> written;
  for (const Touched &touched : rows)
    if (touched.isWritten)
      written.insert(touched.row.slice.buffer);
  for (auto store : forall.getOps<memref::StoreOp>())
    written.insert(store.getMemRef());
  for (BlockArgument argument : kernel.getArguments())
    if (auto operand = kernel.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), rt::kInplaceAttr))
      written.insert(kernel.getArgument(operand.getInt()));

  llvm::SetVector<int64_t> strides;
  strides.insert(1);
  for (const Touched &touched : rows)
    findModuli(touched.row.slice.offset, strides);
  WorkItemStride best;
  for (int64_t stride : strides) {
    if (units % stride)
      continue;
    WorkItemStride here{stride, units / stride, {}, 0};
    for (const Touched &touched : rows) {
      const SameRow &row = touched.row;
      bool canShare = !written.contains(row.slice.buffer) &&
                      row.element().getIntOrFloatBitWidth() % 8 == 0;
      if (canShare && isSame(row.slice.offset, unit, stride))
        here.rows.push_back(row);
      else
        here.ownBytes +=
            llvm::divideCeil(
                row.columns * row.element().getIntOrFloatBitWidth(), 8) *
            (touched.isRead + touched.isWritten);
    }
    if (stride == 1 || here.sameBytes() > best.sameBytes())
      best = here;
  }
  return best;
}
