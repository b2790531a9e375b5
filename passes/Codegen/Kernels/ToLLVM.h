//===- ToLLVM.h - Kernel IR to LLVM functions -------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_TOLLVM_H
#define PCC_PASSES_CODEGEN_KERNELS_TOLLVM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace pcc::codegen {

/// Makes the forall a loop over [begin, end), two index arguments added to the
/// function, its generics loops whose accesses are marked parallel, and moves
/// temporaries to the entry.
mlir::LogicalResult makeLoops(mlir::func::FuncOp kernel);

/// exp, tanh and erf of f32, and rounding to bf16, as arithmetic that
/// vectorises.
mlir::LogicalResult expandMath(mlir::ModuleOp module);

/// Loops to LLVM functions of bare pointers; every op of the module converts.
mlir::LogicalResult convertToLLVM(mlir::ModuleOp module);

/// Gives the converted functions the signature (ptr to pointers, begin, end)
/// and moves loop annotations to the branches LLVM looks at.
void finishFunctions(mlir::ModuleOp module);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_TOLLVM_H
