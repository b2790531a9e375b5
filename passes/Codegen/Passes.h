//===- Passes.h - From schedules to machine code ----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_PASSES_H
#define PCC_PASSES_CODEGEN_PASSES_H

#include "dialects/NN/NN.h"
#include "dialects/Pipe/Pipe.h"
#include "dialects/RT/RT.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pcc {

#define GEN_PASS_DECL
#include "passes/Codegen/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "passes/Codegen/Passes.h.inc"

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_PASSES_H
