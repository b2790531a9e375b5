//===- Slice.h - Buffers and offsets of subviews ----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_SLICE_H
#define PCC_PASSES_CODEGEN_GPU_SLICE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace pcc::codegen {

/// Bytes of an element in device memory; a bool takes one.
inline int64_t bytesOf(mlir::Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// The elements of a buffer from `offset` on.
struct Slice {
  /// An argument, a temporary or a constant.
  mlir::Value buffer;
  /// An index; null means 0.
  mlir::Value offset;
};

/// Resolves a memref of kernel IR, which is a buffer or a subview of one with
/// unit stride, to the buffer and its offset.
inline Slice sliceOf(mlir::Value memref) {
  auto view = memref.getDefiningOp<mlir::memref::SubViewOp>();
  if (!view)
    return {memref, nullptr};
  auto offset = view.getMixedOffsets().front();
  return {view.getSource(), llvm::dyn_cast<mlir::Value>(offset)};
}

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_SLICE_H
