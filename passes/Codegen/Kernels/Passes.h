//===- Passes.h - Kernels of all ops but contractions -----------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_PASSES_H
#define PCC_PASSES_CODEGEN_KERNELS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace pcc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Codegen/Kernels/Passes.h.inc"

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_KERNELS_PASSES_H
