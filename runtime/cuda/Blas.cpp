//===- Blas.cpp - cuBLASLt, loaded at run time ----------------------------===//
//
// An algorithm descriptor is opaque and only valid for one version of the
// library, so rank 0 does not broadcast any. requireSameDevices() ensures that
// all ranks choose the same.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Blas.h"
#include "runtime/Backend.h"
#include "runtime/cuda/Graphs.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

using namespace pcc;
using namespace pcc::cuda;

const Blas &cuda::blas() {
  static const Blas table = [] {
    Library library("libcublasLt.so.13", Library::Part::Toolkit);
    library.require("install the library with CUDA 13, or PyPI's "
                    "nvidia-cublas, or name its folder in PCC_CUDA_LIBRARIES");
    Blas table;
#define PCC_FUNCTION(name) library.find(PCC_CUDA_NAME(name), table.name);
#include "runtime/cuda/Blas.def"
    return table;
  }();
  return table;
}

static const char *endingOf(const pcc_fused_desc &desc) {
  switch (desc.epilogue) {
  case PCC_BIAS:
    return " and a bias";
  case PCC_GELU:
    return " and gelu";
  case PCC_GELU_GRAD:
    return " and the gradient of gelu";
  case PCC_SUM_A:
  case PCC_SUM_B:
    return " and the gradient of a bias";
  default:
    return "";
  }
}

void cuda::checkBlas(cublasStatus_t status, const pcc_fused_desc &desc) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return;
  checkDevice("a GEMM");
  const pcc_gemm_desc &d = desc.product;
  fail(ExitDevice,
       format("cuBLASLt failed at the GEMM %lld x %lld x %lld of %s%s%s: %s",
              static_cast<long long>(d.m), static_cast<long long>(d.k),
              static_cast<long long>(d.n), dtypeName(d.a_dtype), endingOf(desc),
              d.node && *d.node ? format(", of '%s'", d.node).c_str() : "",
              blas().cublasLtGetStatusName(status)),
       desc.epilogue && status == CUBLAS_STATUS_NOT_SUPPORTED
           ? "pcc --epilogues off compiles a program with plain GEMMs only"
           : graphsHint());
}

cublasLtHandle_t cuda::blasHandle() {
  static cublasLtHandle_t handle = [] {
    cublasLtHandle_t made;
    cublasStatus_t status = blas().cublasLtCreate(&made);
    if (status != CUBLAS_STATUS_SUCCESS)
      fail(ExitDevice, format("cuBLASLt cannot start: %s",
                              blas().cublasLtGetStatusName(status)));
    return made;
  }();
  return handle;
}

std::string backend::gemmText(int32_t) {
  size_t version = blas().cublasLtGetVersion();
  return format("cuBLASLt %zu.%zu.%zu", version / 10000, version / 100 % 100,
                version % 100);
}

void cuda::openBlas() { blasHandle(); }
