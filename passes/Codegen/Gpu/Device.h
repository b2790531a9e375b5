//===- Device.h - Kernels of a program for GPUs -----------------*- C++ -*-===//
//
// From kernel IR to what devices run, in three steps:
//
//   kernel IR --rt-lower-kernels-to-gpu--> gpu.func, one thread's code
//             --gpu-kernels-to-nvvm-->     LLVM and NVVM dialects
//             DeviceCode.h -->             PTX, or code for the emulator
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_DEVICE_H
#define PCC_PASSES_CODEGEN_GPU_DEVICE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Codegen/Kernels/Emit.h"

namespace pcc::codegen {

/// The gpu.module that has all kernels of a program.
inline constexpr llvm::StringLiteral kDeviceModule = "kernels";
/// On a kernel's gpu.func: bytes of a block's dynamic shared memory.
inline constexpr llvm::StringLiteral kSharedAttr = "rt.shared";

/// The symbol of a kernel on devices; PTX has no names with dots.
std::string deviceName(llvm::StringRef kernel);

/// What a kernel is launched with, and its parameters: a pointer for each
/// buffer, operands and then results.
struct DeviceKernel {
  /// The symbol: deviceName() of that in `rt.launch`.
  std::string name;
  /// Blocks, threads of a block, bytes of its dynamic shared memory.
  int64_t grid = 1, block = 1, shared = 0;
  /// A buffer of the kernel.
  struct Buffer {
    /// Its size.
    int64_t bytes;
    /// What an element is.
    mlir::Type element;
    /// Whether the kernel writes it.
    bool isWritten;
    /// The buffer whose memory it may be, or -1.
    int inplace;
  };
  /// In the parameters' order.
  llvm::SmallVector<Buffer> buffers;
};

/// What a function of a gpu.module that --rt-lower-kernels-to-gpu made says of
/// its kernel.
DeviceKernel describeDeviceKernel(mlir::gpu::GPUFuncOp function);

/// The kernels of a gpu.module that --rt-lower-kernels-to-gpu made, in its
/// order.
std::vector<DeviceKernel> listDeviceKernels(mlir::gpu::GPUModuleOp module);

/// Appends a device function with the parameters of a kernel's function on
/// buffers and an empty entry block. `written` are those it writes.
mlir::gpu::GPUFuncOp
makeDeviceFunction(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                   const llvm::SmallDenseSet<mlir::Value> &written);

/// What a device function is launched with, and blocks that a core shall have
/// room for at a time.
struct DeviceLaunch {
  /// Blocks, threads of a block, bytes of its shared memory.
  int64_t grid = 1, block = 1, shared = 0;
  /// Blocks of a core at a time.
  int64_t blocksOfCore = 1;
};
/// Has a device function say so. Fails with a diagnostic where a device has no
/// such launch: a block has more than `sharedBytes` bytes of shared memory, for
/// one.
mlir::LogicalResult setLaunch(mlir::gpu::GPUFuncOp function,
                              DeviceLaunch launch, int64_t sharedBytes);

/// Appends the device function of a kernel in kernel IR at the builder's place,
/// in a gpu.module. Fails with a diagnostic.
mlir::FailureOr<mlir::gpu::GPUFuncOp>
emitDeviceKernel(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                 const KernelChoices &choices);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_DEVICE_H
