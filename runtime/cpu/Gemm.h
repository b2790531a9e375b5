//===- Gemm.h - The ways to multiply matrices -------------------*- C++ -*-===//
//
// OpenBLAS has products of f32 and f64. Those of 16-bit elements go to oneDNN
// where the processor multiplies bf16 itself, and else are widened to f32 by
// blocks and given to OpenBLAS.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_GEMM_H
#define PCC_RUNTIME_CPU_GEMM_H

#include "runtime/Runtime.h"

namespace pcc {

/// Where the matrices of a batch of products lie.
struct Matrices {
  const char *a, *b; ///< the first A and B
  char *c;           ///< the first C
};

/// The matrices of product `index` of a batch, counted with batch1 fastest.
Matrices matricesAt(const pcc_gemm_desc &desc, const Matrices &first,
                    int64_t index);

/// The products of a description, whichever way there is.
void multiply(const pcc_gemm_desc &desc, const Matrices &matrices, int threads);

/// Products of bf16 or f16 by OpenBLAS. Every thread keeps scratch of at most
/// 5 MiB for the blocks that it works on.
void multiplyWidened(const pcc_gemm_desc &desc, const Matrices &matrices,
                     int threads);

/// The instructions with which oneDNN multiplies bf16 on this processor, such
/// as "AMX"; null if it has none that are worth it. DNNL_MAX_CPU_ISA in the
/// environment, which oneDNN reads, forbids some of them.
const char *bf16Instructions();

/// Products of bf16 by oneDNN; k is at least 1. What it prepares for a
/// description is kept, so only one thread may call it.
void multiplyOneDNN(const pcc_gemm_desc &desc, const Matrices &matrices,
                    int threads);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_GEMM_H
