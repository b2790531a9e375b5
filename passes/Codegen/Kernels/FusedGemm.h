//===- FusedGemm.h - GEMMs with epilogues -----------------------*- C++ -*-===//
//
// Kernels run between GEMMs. The GEMM library of a device can do some of their
// work in its epilogues, while the result is still in registers. Such a GEMM is
// a call of a function, whose body holds the fused ops, as a kernel's does:
//
//     %g:2 = func.call @product_0_gelu(%x, %w, %b) {rt.epilogue = <gelu>}
//
//     func.func private @product_0_gelu(%x, %w, %b)
//         attributes {rt.epilogue = <gelu>} {
//       %p = nn.contract "bsk,kn->bsn" %x, %w
//       %r = nn.broadcast %b [2]
//       %s = nn.sum %p, %r
//       %g = nn.gelu tanh %s
//       return %g, %s
//     }
//
// The ops of each kind are those of `rt.gemm`, on tensors:
//
//   none       sum of the GEMM and a value
//   bias       sum of the GEMM, a bias broadcast over leading dims and
//              optionally a value
//   gelu       gelu tanh of the GEMM or of its sum with a bias; optional
//              second result: the argument of gelu
//   gelu_grad  gelu_grad tanh of the GEMM, at an argument
//   sum_a      the GEMM; second result: its lhs, optionally widened, reduced
//              over the labels that the contraction sums over
//   sum_b      likewise, of its rhs
//
//===----------------------------------------------------------------------===//

#ifndef PCC_PASSES_CODEGEN_KERNELS_FUSEDGEMM_H
#define PCC_PASSES_CODEGEN_KERNELS_FUSEDGEMM_H

#include "dialects/NN/NN.h"
#include "dialects/RT/RT.h"

namespace pcc::codegen {

/// A contraction, or a call of a GEMM with its epilogue. Values are operands
/// and results of that op; absent ones are null.
struct FusedGemm {
  /// For labels and types; the function's contraction if the op is a call.
  nn::ContractOp contract;
  rt::Epilogue epilogue = rt::Epilogue::None;
  mlir::Value lhs, rhs;
  /// Further operands: the bias, the argument of gelu (for gelu_grad), the
  /// added value.
  mlir::Value bias, before, added;
  mlir::OpResult result;
  /// Further results: the factor's sums, the argument of gelu.
  mlir::OpResult sums, kept;

  /// Whether the op is a plain contraction.
  bool isPlain() const { return result.getOwner() == contract; }
};

/// Whether an op is a GEMM: a contraction or a call of one with an epilogue.
bool isGemm(mlir::Operation *op);

/// Whether a GEMM may accumulate into its result's buffer: a contraction, or a
/// call with epilogue sum_a or sum_b.
bool mayAccumulate(mlir::Operation *op);

/// The parts of a GEMM; none for other ops.
std::optional<FusedGemm> readGemm(mlir::Operation *op);

} // namespace pcc::codegen

#endif // PCC_PASSES_CODEGEN_KERNELS_FUSEDGEMM_H
