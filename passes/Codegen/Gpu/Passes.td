//===- Passes.td - Kernels for GPUs ------------------------*- tablegen -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_PASSES
#define PCC_PASSES_CODEGEN_GPU_PASSES

include "mlir/Pass/PassBase.td"

def RTLowerKernelsToGpuPass
    : Pass<"rt-lower-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Lowers kernels to functions of a gpu.module";
  let description = [{
    Lowers all kernels to the code of one thread, in one `gpu.module @kernels`.
    Kernels on tensors are converted to kernel IR first, with the choices for
    GPUs: by default, sums are accumulated in f32. Attention is lowered
    directly.

    A function has a parameter for each buffer: the operands, then the results.
    Its attributes are the launch configuration: `known_grid_size` and
    `known_block_size`, in x only; `rt.shared`, the bytes of dynamic shared
    memory; and `nvvm.minctasm`, the blocks that a multiprocessor must be able
    to run at a time. Parameters that are not written are `llvm.readonly`. A
    result that may share the memory of an operand has that operand's number as
    `rt.inplace`.

    A block uses no more shared memory than all GPUs of `chips` and the default
    one, sm_90, offer: 227 KiB on sm_90 and sm_100, 163 on sm_80, 99 on sm_86,
    sm_89 and sm_120. A kernel that needs more is an error.
  }];
  let options = [
    Option<"accumulatorBits", "accumulator-bits", "unsigned", "32",
           "Bits of the floats that sums and products are accumulated in: 32 "
           "or 64">,
    Option<"columnBlock", "column-block", "int64_t", "128",
           "Columns per work item of a sum over rows or of a scatter; sums "
           "with few work items get fewer">,
    ListOption<"chips", "chips", "int",
               "GPU architectures that kernels run on, by number, in addition "
               "to the default">];
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
  let summary = "Lowers functions of gpu.modules to the NVVM dialect";
  let description = [{
    Converts the functions that `--rt-lower-kernels-to-gpu` created to the LLVM
    and NVVM dialects. Parameters become pointers. Math functions such as exp
    and tanh become calls of libdevice. Code generation later replaces
    libdevice's exp2 of an f32 by the `ex2.approx` instruction.
  }];
  let dependentDialects = [
    "::mlir::cf::ControlFlowDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect"];
}

#endif // PCC_PASSES_CODEGEN_GPU_PASSES
