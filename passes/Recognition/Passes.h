//===- Passes.h - Recognizes the model's layers -----------------*- C++ -*-===//

#ifndef PCC_PASSES_RECOGNITION_PASSES_H
#define PCC_PASSES_RECOGNITION_PASSES_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc {

#define GEN_PASS_DECL
#include "passes/Recognition/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Recognition/Passes.h.inc"

} // namespace pcc

#endif // PCC_PASSES_RECOGNITION_PASSES_H
