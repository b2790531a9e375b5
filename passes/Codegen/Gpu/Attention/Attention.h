//===- Attention.h - Attention on devices -----------------------*- C++ -*-===//
//
// Attention without a value of [b, h, s, t] in memory, for devices: what
// Kernels/Attention/Attention.h says of CPUs, with the products of a tile made
// by a block's warps, of tiles in shared memory. DeviceTiles.h says what a
// block has, Product.h what a lane has of it.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_ATTENTION_ATTENTION_H
#define PCC_PASSES_CODEGEN_GPU_ATTENTION_ATTENTION_H

#include "passes/Codegen/Gpu/Device.h"

namespace pcc::codegen {

/// Appends the device function of a kernel on tensors that is an attention and
/// the views it reads through, at the builder's place in a gpu.module. Fails
/// with a diagnostic.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitDeviceAttention(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                    mlir::Operation *attention, const KernelChoices &choices);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_ATTENTION_ATTENTION_H
