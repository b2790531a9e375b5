//===- Gemm.cpp - GEMMs by cuBLASLt ---------------------------------------===//
//
// The library's matrices are column major. A row-major matrix is the transposed
// matrix to it, so the transposed GEMM is requested, with exchanged operands:
//
//   C [m, n] = A [m, k] B [k, n]   is   C' [n, m] = B' [n, k] A' [k, m]
//
// The library has one batch stride, a pcc_gemm_desc two. If one stride covers
// both dims, they are one batch, else there is a call per index of the smaller
// dim. Plans are cached: descriptors, and the first algorithm that the
// library's heuristic returns (but see isShort()). Nothing is timed, so that
// all runs and all ranks use the same algorithm (see Blas.cpp). GEMMs are
// serialized on the compute stream and share a workspace.
//
//===----------------------------------------------------------------------===//

#include "runtime/cuda/Blas.h"
#include "runtime/cuda/Context.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <array>
#include <map>

using namespace pcc;
using namespace pcc::cuda;

namespace {

/// A batch: its size, and the strides of the matrices, in elements.
struct Batch {
  int64_t count = 1, a = 0, b = 0, c = 0;
};

/// The cuBLASLt objects of a GEMM.
struct Plan {
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t a, b, c;
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace;
  /// The calls that it takes.
  Batch calls;
};

/// The alignment, in bytes, of A, B, the added matrix, C, and of the epilogue's
/// vector and matrix, or 0 for those without.
using Alignment = std::array<uint32_t, 6>;

/// All that a plan depends on.
using Key = std::pair<std::array<int64_t, 20>, Alignment>;

/// The addresses of all operands; null: absent.
struct Places {
  const void *a, *b;
  void *c, *vector, *matrix;
  const void *added;
};

} // namespace

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
    fail(ExitInternal, format("there are no GEMMs of type %d", dtype));
  }
}

/// Splits a batch of two dims into the batch of one call and the calls that it
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

/// The alignment of an address in all calls, in bytes, at most 256.
static uint32_t alignmentOf(const void *place, int64_t stride) {
  auto bits = reinterpret_cast<uintptr_t>(place) |
              static_cast<uintptr_t>(stride) | uintptr_t{256};
  return static_cast<uint32_t>(bits & (~bits + 1));
}

/// The library's layout of a row-major matrix of `rows` and `columns`.
static cublasLtMatrixLayout_t layoutOf(const pcc_fused_desc &d, int32_t dtype,
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

/// The number of candidates of the heuristic among which a large GEMM with a
/// short sum uses the one with the most waves.
static constexpr int kResults = 8;

/// Whether a GEMM has so large a result, and so short a sum, that writing takes
/// as long as multiplying. Small tiles overlap the two. The first algorithm
/// that the heuristic returns has large tiles and is 5 to 20 % slower.
static bool isShort(const pcc_gemm_desc &d) {
  return d.m * d.n >= int64_t{1} << 24 && d.k <= 2304 &&
         (d.c_dtype == PCC_BF16 || d.c_dtype == PCC_F16);
}

/// Chooses the algorithm by the heuristic. Partial sums of a split are added in
/// f32, in a fixed order, and rounded once.
static void choose(const pcc_fused_desc &d, const Alignment &alignment,
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
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment[3]);
  cublasLtMatmulHeuristicResult_t results[kResults];
  int found = 0;
  cublasStatus_t status = blas().cublasLtMatmulAlgoGetHeuristic(
      blasHandle(), plan.product, plan.b, plan.a, plan.c, plan.c, preference,
      isShort(d.product) ? kResults : 1, results, &found);
  if (status == CUBLAS_STATUS_SUCCESS && found == 0)
    status = CUBLAS_STATUS_NOT_SUPPORTED;
  checkBlas(status, d);
  const cublasLtMatmulHeuristicResult_t &chosen =
      *std::max_element(results, results + found, [](auto &x, auto &y) {
        return x.wavesCount < y.wavesCount;
      });
  plan.algorithm = chosen.algo;
  plan.workspace = chosen.workspaceSize;
  checkBlas(blas().cublasLtMatmulPreferenceDestroy(preference), d);
}

/// The library's name of an epilogue. Its matrices are transposed: our columns
/// are its rows, and its A is our B.
static uint32_t epilogueOf(const pcc_fused_desc &desc, const Places &at) {
  switch (desc.epilogue) {
  case PCC_NO_EPILOGUE:
    return CUBLASLT_EPILOGUE_DEFAULT;
  case PCC_BIAS:
    return CUBLASLT_EPILOGUE_BIAS;
  case PCC_GELU:
    if (at.vector)
      return at.matrix ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS
                       : CUBLASLT_EPILOGUE_GELU_BIAS;
    return at.matrix ? CUBLASLT_EPILOGUE_GELU_AUX : CUBLASLT_EPILOGUE_GELU;
  case PCC_GELU_GRAD:
    return CUBLASLT_EPILOGUE_DGELU;
  case PCC_SUM_A:
    return CUBLASLT_EPILOGUE_BGRADB;
  case PCC_SUM_B:
    return CUBLASLT_EPILOGUE_BGRADA;
  default:
    fail(ExitInternal, format("there is no GEMM epilogue %d", desc.epilogue));
  }
}

/// Sets an attribute of a GEMM.
template <typename T>
static void set(const pcc_fused_desc &d, cublasLtMatmulDesc_t product,
                cublasLtMatmulDescAttributes_t attribute, const T &value) {
  checkBlas(blas().cublasLtMatmulDescSetAttribute(product, attribute, &value,
                                                  sizeof(value)),
            d);
}

/// Sets the addresses of the epilogue's vector and matrix.
static void setEpilogueOperands(const pcc_fused_desc &d,
                                cublasLtMatmulDesc_t product,
                                const Places &at) {
  if (at.vector)
    set(d, product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, at.vector);
  if (at.matrix)
    set(d, product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, at.matrix);
}

static Plan makePlan(const pcc_fused_desc &desc, const Places &at,
                     const Alignment &alignment, const Batch &batch,
                     const Batch &calls) {
  const pcc_gemm_desc &d = desc.product;
  Plan plan;
  plan.calls = calls;
  bool isDouble = d.a_dtype == PCC_F64;
  checkBlas(blas().cublasLtMatmulDescCreate(&plan.product,
                                            isDouble ? CUBLAS_COMPUTE_64F
                                                     : CUBLAS_COMPUTE_32F,
                                            isDouble ? CUDA_R_64F : CUDA_R_32F),
            desc);
  auto transposes = [](bool is) {
    return int32_t{is ? CUBLAS_OP_T : CUBLAS_OP_N};
  };
  set(desc, plan.product, CUBLASLT_MATMUL_DESC_TRANSA, transposes(d.trans_b));
  set(desc, plan.product, CUBLASLT_MATMUL_DESC_TRANSB, transposes(d.trans_a));
  if (desc.epilogue != PCC_NO_EPILOGUE)
    set(desc, plan.product, CUBLASLT_MATMUL_DESC_EPILOGUE,
        epilogueOf(desc, at));
  // Vector and matrix have C's type, the library's default. The heuristic
  // derives their alignment from the addresses.
  setEpilogueOperands(desc, plan.product, at);
  if (at.matrix)
    set(desc, plan.product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, d.ldc);
  auto count = static_cast<int32_t>(batch.count);
  plan.a = layoutOf(desc, d.a_dtype, d.trans_a ? d.k : d.m,
                    d.trans_a ? d.m : d.k, d.lda, count, batch.a);
  plan.b = layoutOf(desc, d.b_dtype, d.trans_b ? d.n : d.k,
                    d.trans_b ? d.k : d.n, d.ldb, count, batch.b);
  plan.c = layoutOf(desc, d.c_dtype, d.m, d.n, d.ldc, count, batch.c);
  choose(desc, alignment, plan);
  return plan;
}

static void multiply(pcc_context *ctx, const pcc_fused_desc &desc,
                     const Places &at) {
  const pcc_gemm_desc &d = desc.product;
  if (d.batch0 * d.batch1 <= 0 || d.m <= 0 || d.n <= 0)
    return;
  Batch calls, batch = divide(d, calls);
  int64_t aBytes = calls.a * sizeOf(d.a_dtype),
          bBytes = calls.b * sizeOf(d.b_dtype),
          cBytes = calls.c * sizeOf(d.c_dtype);
  const void *added = at.added ? at.added : at.c;
  auto besides = [](const void *place) {
    return place ? alignmentOf(place, 0) : 0;
  };
  Alignment alignment = {alignmentOf(at.a, aBytes),  alignmentOf(at.b, bBytes),
                         alignmentOf(added, cBytes), alignmentOf(at.c, cBytes),
                         besides(at.vector),         besides(at.matrix)};
  // alpha and beta are not part of a plan.
  Key key{{desc.epilogue, d.a_dtype, d.b_dtype, d.c_dtype, d.trans_a,
           d.trans_b,     d.m,       d.n,       d.k,       d.lda,
           d.ldb,         d.ldc,     d.batch0,  d.batch1,  d.a0,
           d.a1,          d.b0,      d.b1,      d.c0,      d.c1},
          alignment};
  static auto &plans = *new std::map<Key, Plan>;
  auto it = plans.find(key);
  if (it == plans.end())
    it = plans.emplace(key, makePlan(desc, at, alignment, batch, calls)).first;
  const Plan &plan = it->second;
  setEpilogueOperands(desc, plan.product, at);
  double alpha = d.alpha, beta = d.beta;
  bool isDouble = d.a_dtype == PCC_F64;
  auto place = [](const void *matrix, int64_t bytes) {
    return reinterpret_cast<char *>(cuda::at(matrix) + bytes);
  };
  for (int64_t i = 0; i < calls.count; ++i)
    checkBlas(
        blas().cublasLtMatmul(
            blasHandle(), plan.product,
            isDouble ? static_cast<const void *>(&alpha) : &d.alpha,
            place(at.b, i * bBytes), plan.b, place(at.a, i * aBytes), plan.a,
            isDouble ? static_cast<const void *>(&beta) : &d.beta,
            place(added, i * cBytes), plan.c, place(at.c, i * cBytes), plan.c,
            &plan.algorithm, reinterpret_cast<void *>(extra().workspace),
            plan.workspace,
            reinterpret_cast<cudaStream_t>(streamOf(ctx, PCC_COMPUTE_STREAM))),
        desc);
}

void pcc_gemm(pcc_context *ctx, const pcc_gemm_desc *desc, const void *a,
              const void *b, void *c) {
  multiply(ctx, {*desc, PCC_NO_EPILOGUE}, {a, b, c, nullptr, nullptr, nullptr});
}

void pcc_gemm_fused(pcc_context *ctx, const pcc_fused_desc *desc, const void *a,
                    const void *b, void *c, void *vector, void *matrix,
                    const void *added) {
  multiply(ctx, *desc, {a, b, c, vector, matrix, added});
}
