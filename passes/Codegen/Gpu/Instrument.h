//===- Instrument.h - Device code for the emulator --------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_INSTRUMENT_H
#define PCC_PASSES_CODEGEN_GPU_INSTRUMENT_H

#include "passes/Codegen/Gpu/Device.h"

namespace llvm {
class Module;
} // namespace llvm

namespace pcc::codegen {

/// Rewrites LLVM IR for a GPU so that it runs on the host under
/// runtime/emulated. Barriers, shuffles and ids become calls of the emulator,
/// which is told of every access to memory other than the stack and constants,
/// and `pcc_emu_kernels` lists the kernels. Returns an error if the emulator
/// lacks something that the module uses; otherwise an empty string.
std::string instrument(llvm::Module &module,
                       llvm::ArrayRef<DeviceKernel> kernels);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_INSTRUMENT_H
