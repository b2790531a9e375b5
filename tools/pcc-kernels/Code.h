//===- Code.h - Kernels of a module, compiled both ways ---------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_KERNELS_CODE_H
#define PCC_TOOLS_PCC_KERNELS_CODE_H

#include "passes/Codegen/Gpu/DeviceCode.h"
#include "runtime/emulated/Emulator.h"

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace pcc {

/// Which kernels of a module are compiled, and what for.
struct KernelChoice {
  /// The name of the only one; empty: all.
  std::string only;
  /// The GPU, by number.
  int chip = kDefaultChip;
};

/// The kernels of a module as device code.
struct DeviceProgram {
  /// Holds the gpu.module, converted to LLVM.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::gpu::GPUModuleOp device;
  std::vector<codegen::DeviceKernel> kernels;
};

/// Compiles kernels for devices; `module` stays. They are on tensors, or
/// functions of a gpu.module already. Fails with a diagnostic.
mlir::FailureOr<DeviceProgram> compileForDevice(mlir::ModuleOp module,
                                                const KernelChoice &choice);

/// What a kernel's operand of integers names.
struct RowIds {
  /// Places of a sequence, which are 0, 1, ... in most models.
  bool areInOrder = false;
  /// The rows of what is looked up, or added to, by them; 0: they name none.
  int64_t rows = 0;
  /// Whether rows are added to.
  bool areAdded = false;
  /// Whether the kernel needs them sorted, or all of them to name rows.
  bool areSorted = false, areOfRows = false;
  /// The operand of which no more than these rows is read; -1: there is none.
  int64_t table = -1;
};

/// What the operands of a kernel on tensors name.
llvm::SmallVector<RowIds> findIds(mlir::func::FuncOp kernel);

/// Kernels that can be run here.
class Runnable {
public:
  ~Runnable();

  /// One of them.
  struct Kernel {
    /// What it is launched with.
    codegen::DeviceKernel device;
    /// For the emulator.
    const pcc_emu_kernel *emulated;
    /// The CPU's kernel: buffers, the first unit and the one behind the last.
    /// Null for a kernel that is code for devices already, unless the module
    /// has it on tensors, too, or where none is wanted.
    void (*cpu)(void *const *buffers, int64_t begin, int64_t end);
    int64_t units;
    /// The most elements that are joined to one.
    int64_t joined;
    /// What the first buffers, its operands, name.
    llvm::SmallVector<RowIds> ids;
    /// The type that factors of products are rounded to within the kernel, on
    /// devices alone; null: none are.
    mlir::Type rounded;
    /// The buffer that the CPU's kernel has in f32 and the device's in 16 bits;
    /// -1: there is none.
    int64_t wide = -1;
  };

  /// Compiles kernels as compileForDevice() does, and for the CPU if
  /// `withCpu`.
  static std::unique_ptr<Runnable> create(mlir::ModuleOp module,
                                          const KernelChoice &choice,
                                          bool withCpu = true);
  /// In the module's order.
  const std::vector<Kernel> &getKernels() const { return kernels; }

private:
  /// Each has its own: both have functions of the kernels' names.
  std::unique_ptr<llvm::orc::LLJIT> device, cpu;
  std::vector<Kernel> kernels;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_KERNELS_CODE_H
