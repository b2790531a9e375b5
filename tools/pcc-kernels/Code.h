//===- Code.h - Compilation of kernels for CPU and GPU ----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_KERNELS_CODE_H
#define PCC_TOOLS_PCC_KERNELS_CODE_H

#include "passes/Codegen/Gpu/DeviceCode.h"
#include "runtime/emulated/Emulator.h"

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace pcc {

/// The kernels to compile, and the target GPU.
struct KernelChoice {
  /// The name of a single kernel; empty: all.
  std::string only;
  /// The number of the GPU architecture.
  int chip = kDefaultChip;
};

/// The kernels of a module as device code.
struct DeviceProgram {
  /// The module with the gpu.module, converted to LLVM.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::gpu::GPUModuleOp device;
  std::vector<codegen::DeviceKernel> kernels;
};

/// Compiles kernels for GPUs without changing `module`. The kernels are on
/// tensors, or already functions of a gpu.module. Fails with a diagnostic.
mlir::FailureOr<DeviceProgram> compileForDevice(mlir::ModuleOp module,
                                                const KernelChoice &choice);

/// The rows that an integer operand of a kernel refers to.
struct RowIds {
  /// Positions of a sequence, which are 0, 1, ... in most models.
  bool areInOrder = false;
  /// The number of rows of the table that the ids look up or add to; 0: none.
  int64_t rows = 0;
  /// Whether rows are added to.
  bool areAdded = false;
  /// Whether the kernel requires sorted ids, and whether it requires all ids to
  /// be valid.
  bool areSorted = false, areOfRows = false;
  /// Whether they are the ends of groups of rows, which ascend up to `rows`.
  bool areEnds = false;
  /// The operand of which only these rows are read; -1: none.
  int64_t table = -1;
};

/// Returns the rows that the operands of a kernel on tensors refer to.
llvm::SmallVector<RowIds> findIds(mlir::func::FuncOp kernel);

/// Kernels that can be run on this machine.
class Runnable {
public:
  ~Runnable();

  /// A kernel in both versions.
  struct Kernel {
    /// Its launch configuration and parameters.
    codegen::DeviceKernel device;
    /// The emulator's kernel.
    const pcc_emu_kernel *emulated;
    /// The CPU's kernel: buffers, the first work item, and the one after the
    /// last. Null if it was not requested, or if the kernel is device code and
    /// the module does not have it on tensors.
    void (*cpu)(void *const *buffers, int64_t begin, int64_t end);
    int64_t units;
    /// The largest number of elements that are reduced to one.
    int64_t reduced;
    /// The rows that the first buffers, its operands, refer to.
    llvm::SmallVector<RowIds> ids;
    /// The type that the device's kernel rounds intermediate values to, but the
    /// CPU's does not; null: none.
    mlir::Type rounded;
    /// The buffer that is f32 in the CPU's kernel and bf16 or fp16 in the
    /// device's; -1: none.
    int64_t wide = -1;
    /// The largest number of products that a thread of the device adds up
    /// alone; 0: threads share sums.
    int64_t chain = 0;
  };

  /// Compiles kernels like compileForDevice(), and also for the CPU if
  /// `withCpu`.
  static std::unique_ptr<Runnable> create(mlir::ModuleOp module,
                                          const KernelChoice &choice,
                                          bool withCpu = true);
  /// The kernels, in the module's order.
  const std::vector<Kernel> &getKernels() const { return kernels; }

private:
  /// Separate JITs, since both versions have functions with the kernels' names.
  std::unique_ptr<llvm::orc::LLJIT> device, cpu;
  std::vector<Kernel> kernels;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_KERNELS_CODE_H
