//===- Blas.h - cuBLASLt, loaded at run time --------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CUDA_BLAS_H
#define PCC_RUNTIME_CUDA_BLAS_H

#include "runtime/Runtime.h"

#include <cublasLt.h>
#include <string>

namespace pcc::cuda {

/// The addresses of the library's functions.
struct Blas {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Blas.def"
};

/// Returns the library; exits with ExitDevice if it is missing.
const Blas &blas();
/// Created by the first call.
cublasLtHandle_t blasHandle();

/// Exits with ExitDevice on a failure status, with a description of the GEMM;
/// or as checkDevice() does if the device has failed.
void checkBlas(cublasStatus_t status, const pcc_fused_desc &desc);

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_BLAS_H
