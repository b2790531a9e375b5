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

/// Returns the name of a GPU architecture: "sm_90" for 90.
std::string chipName(int number);

/// Returns the number of a GPU architecture that kernels can be compiled for:
/// 90 for "sm_90". Returns 0 for any other name, and lists the supported names
/// in `known`.
int chipNumber(llvm::StringRef chip, std::string &known);

/// Returns the architecture whose PTX is assembled for `chip`: the default one,
/// or `chip` itself if it is older. Older GPUs lack features of the default
/// architecture; newer ones have all of them.
int chipOfPtx(int chip);

/// Compiles a gpu.module that `--gpu-kernels-to-nvvm` converted to PTX. Links
/// the functions of the toolkit's libdevice that it calls. Fails with a
/// diagnostic.
mlir::FailureOr<std::string> emitPtx(mlir::gpu::GPUModuleOp module,
                                     llvm::StringRef chip,
                                     llvm::StringRef toolkit);

/// The resource usage of a kernel as ptxas reports it.
struct KernelResources {
  /// The kernel's symbol.
  std::string name;
  /// Registers per thread, and bytes of register spills stored and loaded.
  int64_t registers = 0, spillStores = 0, spillLoads = 0;
};

/// Machine code for a GPU.
struct DeviceBinary {
  std::string cubin;
  /// The kernels' resources, in ptxas's order.
  std::vector<KernelResources> kernels;
};

/// Assembles PTX with the toolkit's ptxas. Reports errors at `where`.
mlir::FailureOr<DeviceBinary> assemblePtx(mlir::Operation *where,
                                          llvm::StringRef ptx,
                                          llvm::StringRef chip,
                                          llvm::StringRef toolkit);

/// The code of all kernels of a program, for one GPU architecture.
struct DeviceImage {
  /// The architecture's number: 90 for sm_90.
  int chip;
  /// Whether `code` is PTX, which the drivers of later GPUs compile, instead of
  /// a cubin.
  bool isPtx;
  std::string code;
};

/// Compiles a cubin for kDefaultChip and for each architecture in `chips`,
/// followed by PTX for kDefaultChip. `module` is as for emitPtx(). Fails with a
/// diagnostic.
mlir::FailureOr<std::vector<DeviceImage>>
makeDeviceImages(mlir::gpu::GPUModuleOp module, llvm::ArrayRef<int> chips);

/// Compiles a gpu.module for runtime/emulated on the host processor. The code
/// is the optimized LLVM IR that emitPtx() emits PTX from, without libdevice.
/// It is instrumented with calls at everything that the emulator observes, and
/// defines the array `pcc_emu_kernels`. `kernels` are the module's kernels,
/// listed before the module was converted. Fails with a diagnostic.
mlir::FailureOr<std::unique_ptr<llvm::Module>>
emulateDevice(mlir::gpu::GPUModuleOp module,
              llvm::ArrayRef<DeviceKernel> kernels, llvm::LLVMContext &context);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_DEVICECODE_H
