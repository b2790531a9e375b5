//===- Blas.h - cuBLASLt, as it is opened -----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CUDA_BLAS_H
#define PCC_RUNTIME_CUDA_BLAS_H

#include "runtime/Runtime.h"

#include <cublasLt.h>
#include <string>

namespace pcc::cuda {

/// Addresses of the library's functions.
struct Blas {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Blas.def"
};

/// The library; ends the program with ExitDevice where it is missing.
const Blas &blas();
/// Made by the first call.
cublasLtHandle_t blasHandle();

/// Ends the program with ExitDevice, and what the library was asked for, if it
/// says that something is wrong.
void checkBlas(cublasStatus_t status, const pcc_fused_desc &desc);

} // namespace pcc::cuda

#endif // PCC_RUNTIME_CUDA_BLAS_H
