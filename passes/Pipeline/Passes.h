//===- Passes.h - From one rank's program to a schedule ---------*- C++ -*-===//

#ifndef PCC_PASSES_PIPELINE_PASSES_H
#define PCC_PASSES_PIPELINE_PASSES_H

#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "mlir/Pass/Pass.h"

namespace pcc {

/// On a schedule: the most microbatches whose activations a stage may hold.
inline constexpr llvm::StringLiteral kLiveAttr = "live";

#define GEN_PASS_DECL
#include "passes/Pipeline/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Pipeline/Passes.h.inc"

} // namespace pcc

#endif // PCC_PASSES_PIPELINE_PASSES_H
