//===- Gemm.h - Contractions as matrix products -----------------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_GEMM_H
#define PCC_PASSES_CODEGEN_LOWER_GEMM_H

#include "dialects/RT/RT.h"
#include <array>

namespace pcc {

/// The labels of a contraction's lhs, rhs and result, a character per dim.
using ContractLabels = std::array<std::string, 3>;

/// A contraction as calls of the library's batched matrix product.
struct GemmPlan {
  /// One call of the library.
  struct Call {
    /// Where lhs, rhs and result start, in elements.
    std::array<int64_t, 3> start;
    /// Adds to what the calls before have left in the result.
    bool adds;
  };

  /// `beta` is that of calls that do not add.
  rt::GemmAttr shape;
  /// The product's A is the contraction's rhs, its B the lhs.
  bool swapped = false;
  /// Several where there are more than two batch dims, or where the dims
  /// summed over do not lie next to each other.
  llvm::SmallVector<Call> calls;
};

/// Whether the one call of a plan can end with an epilogue (on tensors: `sum_a`
/// is of the contraction's lhs) on buffers without holes: one product, in whose
/// rows `vector` elements lie next to each other, and a matrix if there is one.
bool fitsEpilogue(const GemmPlan &plan, rt::Epilogue epilogue, int64_t vector,
                  bool hasMatrix);

/// Maps the labels of a contraction to rows, columns, depth and batches of
/// strided matrices in buffers of `types`; with `accumulate` the product is
/// added to the result. Fails where few calls of the library cannot read and
/// write these buffers as they lie.
mlir::FailureOr<GemmPlan> planGemm(const ContractLabels &labels,
                                   const std::array<mlir::MemRefType, 3> &types,
                                   bool accumulate);

/// The same contraction with labels ordered such that every kind of them
/// (batch, M, N, K) is one dim: planGemm succeeds on contiguous buffers.
ContractLabels orderLabels(const ContractLabels &labels);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_GEMM_H
