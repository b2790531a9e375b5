//===- Passes.td - Kernels for GPUs ------------------------*- tablegen -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_PASSES
#define PCC_PASSES_CODEGEN_GPU_PASSES

include "mlir/Pass/PassBase.td"

def RTLowerKernelsToGpuPass
    : Pass<"rt-lower-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Kernel functions as functions of a gpu.module";
  let description = [{
    Moves all kernels into one `gpu.module @kernels`, as what a thread does of
    them. Kernels on tensors are tiled first, as devices need it: sums are made
    in f32. A function has a parameter for each buffer, operands and then
    results, and says what it is launched with: `known_grid_size` and
    `known_block_size`, in x alone, and `rt.shared`, bytes of dynamic shared
    memory. Parameters that are not written are `llvm.readonly`; a result that
    may lie in an operand has its number as `rt.inplace`.

    A block has no more shared memory than every GPU of `chips` and the default
    one, sm_90, offer: 227 KiB on sm_90 and sm_100, 163 on sm_80, 99 on sm_86,
    sm_89 and sm_120. A kernel that needs more is an error.
  }];
  let options = [
    Option<"accumulatorBits", "accumulator-bits", "unsigned", "32",
           "Bits that sums and products of floats are made in: 32 or 64">,
    Option<"columnBlock", "column-block", "int64_t", "128",
           "Columns that a unit of a sum over rows or of a scatter takes">,
    ListOption<"chips", "chips", "int",
               "GPUs that kernels run on, by number, beside the default">];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::nvgpu::NVGPUDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def GpuKernelsToNVVMPass
    : Pass<"gpu-kernels-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Functions of gpu.modules as LLVM functions for GPUs";
  let description = [{
    Every op of what `--rt-lower-kernels-to-gpu` made converts to the LLVM and
    NVVM dialects; parameters become pointers. exp, tanh and the like become
    calls of libdevice's functions, exp2 of an f32 the instruction.
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect"];
}

#endif // PCC_PASSES_CODEGEN_GPU_PASSES
