//===- Passes.h - Kernels for GPUs ------------------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GPU_PASSES_H
#define PCC_PASSES_CODEGEN_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace pcc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Codegen/Gpu/Passes.h.inc"

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_GPU_PASSES_H
