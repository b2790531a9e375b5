//===- Slice.h - The memory behind kernel IR's subviews ---------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_SLICE_H
#define PCC_PASSES_CODEGEN_GPU_SLICE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace pcc::codegen {

/// The bytes of an element in a device's memory; a bool has one.
inline int64_t bytesOf(mlir::Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Elements of a buffer from `offset` on.
struct Slice {
  /// An argument, a temporary or a constant.
  mlir::Value buffer;
  /// An index of kernel IR; null: 0.
  mlir::Value offset;
};

/// What a memref of kernel IR stands for: a buffer, or a subview of one with
/// unit stride.
inline Slice sliceOf(mlir::Value memref) {
  auto view = memref.getDefiningOp<mlir::memref::SubViewOp>();
  if (!view)
    return {memref, nullptr};
  auto offset = view.getMixedOffsets().front();
  return {view.getSource(), llvm::dyn_cast<mlir::Value>(offset)};
}

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_SLICE_H
