//===- Gemm.cpp - Products by cuBLASLt ------------------------------------===//
//
// The library's matrices lie column by column. What lies row by row is the
// transposed matrix to it, so it is asked for the transposed product, with the
// operands exchanged:
//
//   C [m, n] = A [m, k] B [k, n]   is   C' [n, m] = B' [n, k] A' [k, m]
//
// It knows one stride of a batch, we have two: where one stride goes through
// both, they are one batch, else a call is made for each index of the smaller
// one. A product that is asked for again has its plan: descriptors, and the
// algorithm that the library's heuristic puts first. Nothing is timed, so that
// two runs, and all ranks, take the same.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Graphs.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <array>
#include <cublasLt.h>
#include <map>

using namespace pcc;
using namespace pcc::cuda;

namespace {

/// Addresses of the library's functions.
struct Blas {
#define PCC_FUNCTION(name) decltype(&::name) name;
#include "runtime/cuda/Blas.def"
};

/// A batch: how many, and how far apart the matrices are, in elements.
struct Batch {
  int64_t count = 1, a = 0, b = 0, c = 0;
};

/// How a product is made.
struct Plan {
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t a, b, c;
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace;
  /// Calls that it takes.
  Batch calls;
};

/// To how many bytes A, B and C are aligned.
using Alignment = std::array<uint32_t, 3>;

/// All that a plan depends on.
using Key = std::pair<std::array<int64_t, 19>, Alignment>;

} // namespace

static const Blas &blas() {
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

static std::string shapeText(const pcc_gemm_desc &d) {
  return format("%lld x %lld x %lld of %s", static_cast<long long>(d.m),
                static_cast<long long>(d.k), static_cast<long long>(d.n),
                dtypeName(d.a_dtype));
}

static void checkBlas(cublasStatus_t status, const pcc_gemm_desc &desc) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return;
  fail(ExitDevice,
       format("cuBLASLt failed at the product %s: %s", shapeText(desc).c_str(),
              blas().cublasLtGetStatusName(status)),
       graphsWayOut());
}

static cublasLtHandle_t handle() {
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

void cuda::openBlas() { handle(); }

std::string backend::productsText(int32_t) {
  size_t version = blas().cublasLtGetVersion();
  return format("cuBLASLt %zu.%zu.%zu", version / 10000, version / 100 % 100,
                version % 100);
}

static cudaDataType_t typeOf(int32_t dtype) {
  switch (dtype) {
  case PCC_F32:
    return CUDA_R_32F;
  case PCC_F64:
    return CUDA_R_64F;
  case PCC_BF16:
    return CUDA_R_16BF;
  case PCC_F16:
    return CUDA_R_16F;
  default:
    fail(ExitInternal, format("pcc_gemm has no products of type %d", dtype));
  }
}

/// Parts a batch of two dims into what one call does and the calls that it
/// takes.
static Batch divide(const pcc_gemm_desc &d, Batch &calls) {
  Batch outer{d.batch0, d.a0, d.b0, d.c0}, inner{d.batch1, d.a1, d.b1, d.c1};
  auto goesOn = [&](int64_t far, int64_t near) {
    return far == near * inner.count;
  };
  if (outer.count == 1)
    return inner;
  if (inner.count == 1)
    return outer;
  if (goesOn(outer.a, inner.a) && goesOn(outer.b, inner.b) &&
      goesOn(outer.c, inner.c)) {
    inner.count *= outer.count;
    return inner;
  }
  calls = std::min(outer, inner, [](const Batch &x, const Batch &y) {
    return x.count < y.count;
  });
  return calls.count == outer.count ? inner : outer;
}

/// To how many bytes an address is aligned in all calls, at most 256.
static uint32_t alignmentOf(const void *place, int64_t stride) {
  auto bits = reinterpret_cast<uintptr_t>(place) |
              static_cast<uintptr_t>(stride) | uintptr_t{256};
  return static_cast<uint32_t>(bits & (~bits + 1));
}

/// A row-major matrix of `rows` and `columns`, as the library has it.
static cublasLtMatrixLayout_t layoutOf(const pcc_gemm_desc &d, int32_t dtype,
                                       int64_t rows, int64_t columns,
                                       int64_t leading, int32_t count,
                                       int64_t stride) {
  cublasLtMatrixLayout_t layout;
  checkBlas(blas().cublasLtMatrixLayoutCreate(&layout, typeOf(dtype), columns,
                                              rows, leading),
            d);
  auto set = [&](cublasLtMatrixLayoutAttribute_t attribute, const auto &value) {
    checkBlas(blas().cublasLtMatrixLayoutSetAttribute(layout, attribute, &value,
                                                      sizeof(value)),
              d);
  };
  set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, count);
  set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return layout;
}

/// Has the heuristic choose the algorithm. Parts of a sum are added in f32 and
/// rounded once, in an order that does not change.
static void choose(const pcc_gemm_desc &d, const Alignment &alignment,
                   Plan &plan) {
  cublasLtMatmulPreference_t preference;
  checkBlas(blas().cublasLtMatmulPreferenceCreate(&preference), d);
  auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute,
                 const auto &value) {
    checkBlas(blas().cublasLtMatmulPreferenceSetAttribute(
                  preference, attribute, &value, sizeof(value)),
              d);
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t{PCC_WORKSPACE_BYTES});
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  // Operands are exchanged.
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment[1]);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment[0]);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment[2]);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment[2]);
  cublasLtMatmulHeuristicResult_t first;
  int found = 0;
  cublasStatus_t status = blas().cublasLtMatmulAlgoGetHeuristic(
      handle(), plan.product, plan.b, plan.a, plan.c, plan.c, preference, 1,
      &first, &found);
  if (status == CUBLAS_STATUS_SUCCESS && found == 0)
    status = CUBLAS_STATUS_NOT_SUPPORTED;
  checkBlas(status, d);
  plan.algorithm = first.algo;
  plan.workspace = first.workspaceSize;
  checkBlas(blas().cublasLtMatmulPreferenceDestroy(preference), d);
}

static Plan makePlan(const pcc_gemm_desc &d, const Alignment &alignment,
                     const Batch &batch, const Batch &calls) {
  Plan plan;
  plan.calls = calls;
  bool isDouble = d.a_dtype == PCC_F64;
  checkBlas(blas().cublasLtMatmulDescCreate(&plan.product,
                                            isDouble ? CUBLAS_COMPUTE_64F
                                                     : CUBLAS_COMPUTE_32F,
                                            isDouble ? CUDA_R_64F : CUDA_R_32F),
            d);
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, bool transposes) {
    int32_t value = transposes ? CUBLAS_OP_T : CUBLAS_OP_N;
    checkBlas(blas().cublasLtMatmulDescSetAttribute(plan.product, attribute,
                                                    &value, sizeof(value)),
              d);
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, d.trans_b);
  set(CUBLASLT_MATMUL_DESC_TRANSB, d.trans_a);
  auto count = static_cast<int32_t>(batch.count);
  plan.a = layoutOf(d, d.a_dtype, d.trans_a ? d.k : d.m, d.trans_a ? d.m : d.k,
                    d.lda, count, batch.a);
  plan.b = layoutOf(d, d.b_dtype, d.trans_b ? d.n : d.k, d.trans_b ? d.k : d.n,
                    d.ldb, count, batch.b);
  plan.c = layoutOf(d, d.c_dtype, d.m, d.n, d.ldc, count, batch.c);
  choose(d, alignment, plan);
  return plan;
}

void pcc_gemm(pcc_context *ctx, const pcc_gemm_desc *desc, const void *a,
              const void *b, void *c) {
  const pcc_gemm_desc &d = *desc;
  if (d.batch0 * d.batch1 <= 0 || d.m <= 0 || d.n <= 0)
    return;
  Batch calls, batch = divide(d, calls);
  int64_t aBytes = calls.a * sizeOf(d.a_dtype),
          bBytes = calls.b * sizeOf(d.b_dtype),
          cBytes = calls.c * sizeOf(d.c_dtype);
  Alignment alignment = {alignmentOf(a, aBytes), alignmentOf(b, bBytes),
                         alignmentOf(c, cBytes)};
  // alpha and beta are no part of a plan.
  Key key{{d.a_dtype, d.b_dtype, d.c_dtype, d.trans_a, d.trans_b, d.m, d.n, d.k,
           d.lda, d.ldb, d.ldc, d.batch0, d.batch1, d.a0, d.a1, d.b0, d.b1,
           d.c0, d.c1},
          alignment};
  static auto &plans = *new std::map<Key, Plan>;
  auto it = plans.find(key);
  if (it == plans.end())
    it = plans.emplace(key, makePlan(d, alignment, batch, calls)).first;
  const Plan &plan = it->second;
  double alpha = d.alpha, beta = d.beta;
  bool isDouble = d.a_dtype == PCC_F64;
  auto place = [](auto *matrix, int64_t bytes) {
    return reinterpret_cast<char *>(at(matrix) + bytes);
  };
  for (int64_t i = 0; i < calls.count; ++i)
    checkBlas(
        blas().cublasLtMatmul(
            handle(), plan.product,
            isDouble ? static_cast<const void *>(&alpha) : &d.alpha,
            place(b, i * bBytes), plan.b, place(a, i * aBytes), plan.a,
            isDouble ? static_cast<const void *>(&beta) : &d.beta,
            place(c, i * cBytes), plan.c, place(c, i * cBytes), plan.c,
            &plan.algorithm, reinterpret_cast<void *>(extra().workspace),
            plan.workspace,
            reinterpret_cast<cudaStream_t>(streamOf(ctx, PCC_COMPUTE_STREAM))),
        d);
}
