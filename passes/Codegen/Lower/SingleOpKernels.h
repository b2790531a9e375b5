//===- SingleOpKernels.h - Kernels for ops that are in none -----*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_SINGLEOPKERNELS_H
#define PCC_PASSES_CODEGEN_LOWER_SINGLEOPKERNELS_H

#include "dialects/NN/NN.h"
#include "dialects/RT/RT.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace pcc {

/// Makes a kernel function of one op that no kernel holds, at the module's end;
/// equal ops share one.
class SingleOpKernels {
public:
  /// Adds kernels to `module`, which must outlive this.
  explicit SingleOpKernels(mlir::ModuleOp module)
      : module(module), symbols(module) {}

  /// A kernel of `op`'s operands (each distinct one once) and results.
  mlir::func::FuncOp get(mlir::Operation *op);
  /// A kernel (state, value) -> state + value, in place of the state.
  mlir::func::FuncOp getAdd(mlir::RankedTensorType state,
                            mlir::RankedTensorType value);
  /// A kernel that moves dims: result dim i is input dim permutation[i].
  mlir::func::FuncOp getTranspose(mlir::RankedTensorType type,
                                  llvm::ArrayRef<int64_t> permutation);

  /// The kernel of this name, whoever made it; or null.
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
