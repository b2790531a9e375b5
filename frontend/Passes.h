//===- Passes.h - From operators to the model -------------------*- C++ -*-===//

#ifndef PCC_FRONTEND_PASSES_H
#define PCC_FRONTEND_PASSES_H

#include "dialects/NN/NN.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc {

#define GEN_PASS_DECL
#include "frontend/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "frontend/Passes.h.inc"

} // namespace pcc

#endif // PCC_FRONTEND_PASSES_H
