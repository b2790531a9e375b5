//===- Device.h - Kernels of a program for GPUs -----------------*- C++ -*-===//
//
// The device kernels of a program. Kernel IR is lowered in three steps:
//
//     kernel IR --rt-lower-kernels-to-gpu--> gpu.func, the code of one thread
//               --gpu-kernels-to-nvvm-->     LLVM and NVVM dialects
//               DeviceCode.h -->             PTX, or code for the emulator
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_DEVICE_H
#define PCC_PASSES_CODEGEN_GPU_DEVICE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Codegen/Kernels/Emit.h"

namespace pcc::codegen {

/// The gpu.module that holds all device kernels of a program.
inline constexpr llvm::StringLiteral kDeviceModule = "kernels";
/// Attribute of a kernel's gpu.func: the dynamic shared memory of a block, in
/// bytes.
inline constexpr llvm::StringLiteral kSharedAttr = "rt.shared";

/// Returns a kernel's symbol on devices: PTX names contain no dots, so each
/// becomes a `$`.
std::string deviceName(llvm::StringRef kernel);

/// The launch configuration and the parameters of a kernel. Each buffer is a
/// pointer parameter: the operands first, then the results.
struct DeviceKernel {
  /// The symbol: deviceName() of the kernel's name in `rt.launch`.
  std::string name;
  /// Number of blocks, threads per block, and bytes of dynamic shared memory
  /// per block.
  int64_t grid = 1, block = 1, shared = 0;
  /// A buffer parameter.
  struct Buffer {
    int64_t bytes;
    mlir::Type element;
    /// Whether the kernel writes it.
    bool isWritten;
    /// The index of the buffer whose memory this one may share, or -1.
    int inplace;
  };
  /// In the parameters' order.
  llvm::SmallVector<Buffer> buffers;
};

/// Describes the kernel of a function that `--rt-lower-kernels-to-gpu` created.
DeviceKernel describeDeviceKernel(mlir::gpu::GPUFuncOp function);

/// Describes all kernels of a gpu.module that `--rt-lower-kernels-to-gpu`
/// created, in the module's order.
std::vector<DeviceKernel> listDeviceKernels(mlir::gpu::GPUModuleOp module);

/// Creates a device function with the parameters of the bufferized kernel
/// `kernel` and an empty entry block. All parameters outside `written` are
/// marked read-only.
mlir::gpu::GPUFuncOp
makeDeviceFunction(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                   const llvm::SmallDenseSet<mlir::Value> &written);

/// The launch configuration of a device function, and its minimum occupancy.
struct DeviceLaunch {
  /// Number of blocks, threads per block, and bytes of shared memory per block.
  int64_t grid = 1, block = 1, shared = 0;
  /// Blocks that a multiprocessor must be able to run at a time (`minctasm`).
  int64_t blocksOfCore = 1;
};
/// Stores the launch configuration in the attributes of a device function.
/// Fails with a diagnostic if the shared memory of a block exceeds
/// `sharedBytes`, a block has too many threads, or the grid has too many
/// blocks.
mlir::LogicalResult setLaunch(mlir::gpu::GPUFuncOp function,
                              DeviceLaunch launch, int64_t sharedBytes);

/// Emits the device function of a kernel in kernel IR at the builder's
/// insertion point, which is in a gpu.module. Fails with a diagnostic.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitDeviceKernel(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                 const KernelChoices &choices);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_DEVICE_H
