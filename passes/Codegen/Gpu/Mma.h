//===- Mma.h - Tensor core instructions -------------------------*- C++ -*-===//
//
// mma.sync.m16n8k16 multiplies 16 x 16 by 16 x 8 elements and adds the result
// to 16 x 8 accumulators. ldmatrix loads its operands: each lane passes the
// address of eight elements, and gets two elements of each of four 8 x 8
// matrices.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_GPU_MMA_H
#define PCC_PASSES_CODEGEN_GPU_MMA_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <array>

namespace pcc::codegen {

/// The depth and the columns of an instruction.
inline constexpr int64_t kMmaDepth = 16, kMmaColumns = 8;

/// Packs two elements, f16 or bf16, into an operand of the instruction.
mlir::Value packFactor(mlir::ImplicitLocOpBuilder &b, mlir::Value two);

/// Loads four matrices of shared memory as operands of the instruction. `at` is
/// the index of the row whose address the lane passes.
llvm::SmallVector<mlir::Value> loadMatrices(mlir::ImplicitLocOpBuilder &b,
                                            mlir::Value buffer, mlir::Value at,
                                            bool isTransposed);

/// Emits sums += left * right, of four and two packed operands, f16 if `isF16`,
/// else bf16.
void multiplyMatrices(mlir::ImplicitLocOpBuilder &b, bool isF16,
                      llvm::ArrayRef<mlir::Value> left,
                      llvm::ArrayRef<mlir::Value> right,
                      const std::array<mlir::Value *, 4> &sums);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_GPU_MMA_H
