//===- Passes.h - From one device to a mesh of ranks ------------*- C++ -*-===//

#ifndef PCC_PASSES_SHARDING_PASSES_H
#define PCC_PASSES_SHARDING_PASSES_H

#include "dialects/Dist/Dist.h"
#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc {

#define GEN_PASS_DECL
#include "passes/Sharding/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Sharding/Passes.h.inc"

} // namespace pcc

#endif // PCC_PASSES_SHARDING_PASSES_H
