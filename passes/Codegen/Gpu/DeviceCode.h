//===- DeviceCode.h - Machine code for GPUs ---------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_DEVICECODE_H
#define PCC_PASSES_CODEGEN_GPU_DEVICECODE_H

#include "passes/Codegen/Gpu/Device.h"
#include "runtime/Chips.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace pcc::codegen {

/// The name of a GPU: "sm_90" for 90.
std::string chipName(int number);

/// The number of a GPU that kernels can be compiled for, 90 for "sm_90"; 0,
/// with the names there are in `known`, if it is none.
int chipNumber(llvm::StringRef chip, std::string &known);

/// The folder of the CUDA toolkit: $CUDA_HOME or the one that was found when
/// pcc was built; empty: none.
std::string findCudaToolkit();

/// The GPU that has the PTX for another one: itself, or the default. Older GPUs
/// lack what the default has, newer ones lack nothing.
int chipOfPtx(int chip);

/// PTX of a gpu.module that --gpu-kernels-to-nvvm converted, with the functions
/// of the toolkit's libdevice that it uses. Fails with a diagnostic.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp module,
                                     llvm::StringRef chip,
                                     llvm::StringRef toolkit);

/// What ptxas says of a kernel.
struct KernelResources {
  /// Its symbol.
  std::string name;
  /// Registers of a thread, and bytes that it stores and loads because it has
  /// too few of them.
  int64_t registers = 0, spillStores = 0, spillLoads = 0;
};

/// Machine code for a GPU.
struct DeviceBinary {
  /// The bytes of the file.
  std::string cubin;
  /// In ptxas's order.
  std::vector<KernelResources> kernels;
};

/// Has the toolkit's ptxas assemble PTX. Errors are reported at `where`.
mlir::FailureOr<DeviceBinary> assemblePtx(mlir::Operation *where,
                                          llvm::StringRef ptx,
                                          llvm::StringRef chip,
                                          llvm::StringRef toolkit);

/// Code of all kernels of a program for one GPU, or PTX.
struct DeviceImage {
  /// Its number, 90 for sm_90.
  int chip;
  /// PTX, which later GPUs' drivers compile, and not a cubin.
  bool isPtx;
  /// The bytes of the file.
  std::string code;
};

/// A cubin for kDefaultChip and for each of `chips`, numbers of others, and PTX
/// of kDefaultChip at the end. `module` is as for emitPtx(). Fails with a
/// diagnostic.
mlir::FailureOr<std::vector<DeviceImage>>
makeDeviceImages(mlir::gpu::GPUModuleOp module, llvm::ArrayRef<int> chips);

/// Code for this machine's processor that runtime/emulated runs: the device
/// code that emitPtx() would print, with calls at all that the emulator looks
/// at, and the array `pcc_emu_kernels`. `kernels` are the module's, listed
/// before it was converted. Fails with a diagnostic.
mlir::FailureOr<std::unique_ptr<llvm::Module>>
emulateDevice(mlir::gpu::GPUModuleOp module,
              llvm::ArrayRef<DeviceKernel> kernels, llvm::LLVMContext &context);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_DEVICECODE_H
