//===- Gemm.h - Contractions as matrix products -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_GEMM_H
#define PCC_PASSES_CODEGEN_GEMM_H

#include "dialects/NN/NN.h"
#include "dialects/RT/RT.h"
#include <array>

namespace pcc {

/// A contraction as calls of the library's batched matrix product.
struct GemmPlan {
  rt::GemmAttr shape;
  /// The product's A is the contraction's rhs, its B the lhs.
  bool swapped = false;
  /// Where lhs, rhs and result of each call start, in elements; more than one
  /// entry where there are more than two batch dims.
  llvm::SmallVector<std::array<int64_t, 3>> starts;
};

/// Maps the labels of a contraction to rows, columns, depth and batches of
/// strided matrices. Fails, with the reason in `why`, where no call of the
/// library reads and writes these buffers as they lie.
mlir::FailureOr<GemmPlan> planGemm(nn::ContractOp op, mlir::MemRefType lhs,
                                   mlir::MemRefType rhs,
                                   mlir::MemRefType result, bool accumulate,
                                   std::string &why);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_GEMM_H
