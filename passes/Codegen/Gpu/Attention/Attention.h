//===- Attention.h - Attention on devices -----------------------*- C++ -*-===//
//
// Flash attention on GPUs: no scores or probabilities [b, h, s, t] are stored
// in device memory. The algorithm is that of Kernels/Attention/Attention.h for
// CPUs, but the warps of a block compute the GEMMs of a tile, from tiles in
// shared memory. DeviceTiles.h describes the tiles of a block, Product.h the
// rows and columns of a lane.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_ATTENTION_ATTENTION_H
#define PCC_PASSES_CODEGEN_GPU_ATTENTION_ATTENTION_H

#include "passes/Codegen/Gpu/Device.h"

namespace pcc::codegen {

/// Emits the device function of a kernel on tensors that consists of an
/// attention and the views it reads through. Inserts it at the builder's
/// insertion point in a gpu.module. Fails with a diagnostic.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitDeviceAttention(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                    mlir::Operation *attention, const KernelChoices &choices);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_ATTENTION_ATTENTION_H
