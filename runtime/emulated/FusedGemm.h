//===- FusedGemm.h - GEMMs with epilogues -----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_FUSEDGEMM_H
#define PCC_RUNTIME_EMULATED_FUSEDGEMM_H

#include "runtime/cpu/Gemm.h"

namespace pcc {

/// The further operands of a GEMM with an epilogue; null: absent.
struct EpilogueOperands {
  char *vector, *matrix; ///< read or written, depending on the epilogue
  const char *added;     ///< added to the GEMM
};

/// Computes pcc_gemm_fused in f32, rounded once. Exits with ExitInternal if an
/// operand that the epilogue needs is missing.
void multiplyFused(const pcc_fused_desc &desc, const Matrices &matrices,
                   const EpilogueOperands &besides, int threads);

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_FUSEDGEMM_H
