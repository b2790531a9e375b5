//===- Gemm.h - GEMMs on CPUs -----------------------------------*- C++ -*-===//
//
// OpenBLAS has GEMMs for f32 and f64. GEMMs of bf16 use oneDNN if the processor
// has bf16 instructions. Other bf16 and f16 GEMMs convert blocks to f32 and use
// OpenBLAS.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_GEMM_H
#define PCC_RUNTIME_CPU_GEMM_H

#include "runtime/Runtime.h"

namespace pcc {

/// The matrices of a batch of GEMMs.
struct Matrices {
  const char *a, *b; ///< the first A and B
  char *c;           ///< the first C
};

/// The matrices of GEMM `index` of a batch, with batch1 varying fastest.
Matrices matricesAt(const pcc_gemm_desc &desc, const Matrices &first,
                    int64_t index);

/// Computes the GEMMs of a description, with the library for its types.
void multiply(const pcc_gemm_desc &desc, const Matrices &matrices, int threads);

/// Computes a grouped GEMM. `matrices.b` has all groups' matrices, or with the
/// form tn `matrices.c`.
void multiplyGroups(const pcc_grouped_gemm_desc &desc, const Matrices &matrices,
                    const int32_t *ends, int threads);

/// GEMMs of bf16 or f16 on OpenBLAS. Every thread keeps scratch memory of at
/// most 5 MiB for its blocks.
void multiplyWidened(const pcc_gemm_desc &desc, const Matrices &matrices,
                     int threads);

/// The instruction set with which oneDNN multiplies bf16 on this processor,
/// such as "AMX"; null if there is none that is worth using. DNNL_MAX_CPU_ISA
/// in the environment, which oneDNN reads, can exclude some.
const char *bf16Instructions();

/// GEMMs of bf16 on oneDNN; k is at least 1. Primitives are cached per
/// description, so only one thread may call it.
void multiplyOneDNN(const pcc_gemm_desc &desc, const Matrices &matrices,
                    int threads);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_GEMM_H
