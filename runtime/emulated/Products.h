//===- Products.h - Products and what they end with -------------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_PRODUCTS_H
#define PCC_RUNTIME_EMULATED_PRODUCTS_H

#include "runtime/cpu/Gemm.h"

namespace pcc {

/// Where a product finds and leaves what lies beside its matrices; null: there
/// is none.
struct Besides {
  char *vector, *matrix; ///< read or written, as the epilogue says
  const char *added;     ///< in the sum
};

/// What pcc_gemm_fused computes: in f32, rounded once. Ends the program with
/// ExitInternal where a description lacks what its epilogue takes.
void multiplyFused(const pcc_fused_desc &desc, const Matrices &matrices,
                   const Besides &besides, int threads);

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_PRODUCTS_H
