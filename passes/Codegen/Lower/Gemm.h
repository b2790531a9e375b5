//===- Gemm.h - Contractions as GEMMs ---------------------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_GEMM_H
#define PCC_PASSES_CODEGEN_LOWER_GEMM_H

#include "dialects/RT/RT.h"
#include <array>

namespace pcc {

/// The labels of a contraction's lhs, rhs and result, a character per dim.
using ContractLabels = std::array<std::string, 3>;

/// A contraction as calls of the library's batched GEMM.
struct GemmPlan {
  /// One call of the library.
  struct Call {
    /// Where lhs, rhs and result start, in elements.
    std::array<int64_t, 3> start;
    /// Accumulates into the result of the previous calls.
    bool adds;
  };

  /// The parameters of each call; `beta` applies to calls that do not
  /// accumulate into the result of previous calls.
  rt::GemmAttr shape;
  /// Whether A of the GEMM is the contraction's rhs, and B its lhs.
  bool swapped = false;
  /// There are several calls if there are more than two batch dims, or if the
  /// contracted dims are not contiguous.
  llvm::SmallVector<Call> calls;
};

/// Whether a plan can have an epilogue, which is named by the operands of the
/// contraction: `sum_a` sums its lhs. The plan must be a single call. An
/// epilogue other than `none` also requires an unbatched GEMM with a dense
/// result. Its vector of `vector` elements (0: none) must have N elements; M if
/// it is the sum of the GEMM's A. With a matrix, N must be a multiple of 8.
bool fitsEpilogue(const GemmPlan &plan, rt::Epilogue epilogue, int64_t vector,
                  bool hasMatrix);

/// Maps the labels of a contraction to M, N, K and batches of strided matrices
/// in buffers of `types`. With `accumulate`, the result is added to the buffer.
/// Fails if the layouts are not matrices, or if more than 64 calls would be
/// needed.
mlir::FailureOr<GemmPlan> planGemm(const ContractLabels &labels,
                                   const std::array<mlir::MemRefType, 3> &types,
                                   bool accumulate);

/// Returns the same contraction with labels ordered such that each kind (batch,
/// M, N, K) is one dim, so that planGemm succeeds on contiguous buffers.
ContractLabels orderLabels(const ContractLabels &labels);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_GEMM_H
