//===- ToLLVM.h - Kernel IR to LLVM functions -------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_TOLLVM_H
#define PCC_PASSES_CODEGEN_KERNELS_TOLLVM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::codegen {

/// Replaces the forall by a loop over [begin, end), two index arguments added
/// to the function. Generics become loops whose accesses are marked parallel,
/// except those of accumulators; temporaries move to the entry block.
mlir::LogicalResult makeLoops(mlir::func::FuncOp kernel);

/// Expands exp, tanh and erf of f32, and rounding to bf16, into arithmetic that
/// vectorizes. An erf of f64 becomes a call of the C library.
mlir::LogicalResult expandMath(mlir::ModuleOp module);

/// Converts loops to LLVM functions of bare pointers; every op of the module
/// converts.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp module);

/// Changes the converted functions to the signature (pointer to pointers,
/// begin, end) and moves loop annotations to the branches where LLVM expects
/// them.
void finishFunctions(mlir::ModuleOp module);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_TOLLVM_H
