//===- Images.h - GPU code within an object ---------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_EMIT_IMAGES_H
#define PCC_PASSES_CODEGEN_EMIT_IMAGES_H

#include "passes/Codegen/Gpu/DeviceCode.h"

namespace pcc {

/// Adds the constant `pcc_the_device_code` of runtime/Program.h: the images,
/// and the names and shared-memory sizes of their kernels.
void addImages(llvm::Module &module,
               llvm::ArrayRef<codegen::DeviceImage> images,
               llvm::ArrayRef<codegen::DeviceKernel> kernels);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_EMIT_IMAGES_H
