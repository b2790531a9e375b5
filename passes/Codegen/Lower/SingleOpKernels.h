//===- SingleOpKernels.h - Kernels of a single op ---------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_SINGLEOPKERNELS_H
#define PCC_PASSES_CODEGEN_LOWER_SINGLEOPKERNELS_H

#include "dialects/NN/NN.h"
#include "dialects/RT/RT.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {

/// Creates kernel functions at the module's end for single ops that are in no
/// kernel; equal ops share one.
class SingleOpKernels {
public:
  /// Adds kernels to `module`, which must outlive this.
  explicit SingleOpKernels(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  /// Returns a kernel that computes `op`. Its arguments are the op's operands,
  /// each distinct one once.
  mlir::func::FuncOp get(mlir::Operation *op);
  /// Returns a kernel (state, value) -> state + value that overwrites the
  /// state.
  mlir::func::FuncOp getAdd(mlir::RankedTensorType state,
                            mlir::RankedTensorType value);
  /// Returns a transpose kernel: result dim i is input dim permutation[i].
  mlir::func::FuncOp getTranspose(mlir::RankedTensorType type,
                                  llvm::ArrayRef<int64_t> permutation);

  /// Returns the function of this name, be it a kernel of a single op or
  /// another, or null.
  mlir::func::FuncOp lookup(llvm::StringRef name) const {
    return symbols.lookup<mlir::func::FuncOp>(name);
  }

private:
  using BuildBody =
      llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange)>;
  mlir::func::FuncOp getOrBuild(llvm::StringRef key, llvm::StringRef stem,
                                mlir::TypeRange inputs, mlir::TypeRange results,
                                mlir::Location loc, BuildBody body);

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::StringMap<mlir::func::FuncOp> made;
  /// Numbers per stem, so that names do not depend on hash order.
  llvm::StringMap<int> numbers;
};

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_SINGLEOPKERNELS_H
