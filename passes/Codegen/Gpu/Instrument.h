//===- Instrument.h - Device code for the emulator --------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_INSTRUMENT_H
#define PCC_PASSES_CODEGEN_GPU_INSTRUMENT_H

#include "passes/Codegen/Gpu/Device.h"

namespace llvm {
class Module;
} // namespace llvm

namespace pcc::codegen {

/// Makes LLVM IR for a GPU such that it runs on this machine under
/// runtime/emulated: barriers, shuffles and ids become its functions, every
/// access to memory is said to it, and `pcc_emu_kernels` lists the kernels.
/// Returns what the emulator does not have, or nothing.
std::string instrument(llvm::Module &module,
                       llvm::ArrayRef<DeviceKernel> kernels);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_INSTRUMENT_H
