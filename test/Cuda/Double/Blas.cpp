//===- Blas.cpp - The double of cuBLASLt ----------------------------------===//
//
// GEMMs by their definition, on column-major matrices as the descriptors say,
// and their epilogues. NVIDIA's documentation defines
//
//   S = alpha op(A) op(B) + beta C + bias, in f32
//   aux = S, D = gelu(S)          GELU_AUX, GELU_AUX_BIAS
//   D = S gelu'(aux)              DGELU
//   bias = sums of op(A)'s rows   BGRADA; of op(B)'s columns: BGRADB
//
// All attributes that an algorithm was chosen for are checked again when it is
// used.
//
//===----------------------------------------------------------------------===//

#include "test/Cuda/Double/Double.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <cublasLt.h>
#include <map>
#include <vector>

using namespace fake;

namespace {

struct Product {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  int32_t transA = CUBLAS_OP_N, transB = CUBLAS_OP_N;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  char *bias = nullptr, *aux = nullptr;
  int64_t auxLeading = 0;
  int32_t biasType = -1, auxType = -1; ///< -1: D's

  bool has(uint32_t part) const {
    return epilogue != CUBLASLT_EPILOGUE_DEFAULT && (epilogue & part);
  }
  bool addsBias() const { return has(CUBLASLT_EPILOGUE_BIAS); }
  bool takesGelu() const { return has(CUBLASLT_EPILOGUE_GELU); }
  bool isGeluGrad() const { return epilogue == CUBLASLT_EPILOGUE_DGELU; }
  bool hasAux() const { return has(128); }
  bool sumsUp() const {
    return has(CUBLASLT_EPILOGUE_BGRADA | CUBLASLT_EPILOGUE_BGRADB);
  }
};

struct Layout {
  cudaDataType_t type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t count = 1;
  int64_t stride = 0;
};

struct Preference {
  uint64_t workspace = 0;
  uint32_t schemes = ~0u;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

/// The properties an algorithm was chosen for, stored in the opaque bytes that
/// users pass back.
struct Choice {
  uint64_t product, layouts;
  uint32_t alignments[4];
  uint32_t bias, aux; ///< the alignments of their addresses in bytes
};

} // namespace

static_assert(sizeof(Choice) <= sizeof(cublasLtMatmulAlgo_t));

static const Product &of(cublasLtMatmulDesc_t p) {
  return *reinterpret_cast<const Product *>(p);
}
static const Layout &of(cublasLtMatrixLayout_t p) {
  return *reinterpret_cast<const Layout *>(p);
}

static uint64_t hash(const void *bytes, size_t size) {
  uint64_t value = 14695981039346656037u;
  for (size_t i = 0; i < size; ++i)
    value =
        (value ^ static_cast<const unsigned char *>(bytes)[i]) * 1099511628211u;
  return value;
}

static uint64_t hash(const Layout &l) {
  int64_t all[] = {l.type,
                   static_cast<int64_t>(l.rows),
                   static_cast<int64_t>(l.columns),
                   l.leading,
                   l.count,
                   l.stride};
  return hash(all, sizeof(all));
}

static uint64_t hash(const Product &p) {
  int64_t all[] = {p.compute,  p.scale,      p.transA,   p.transB,
                   p.epilogue, p.auxLeading, p.biasType, p.auxType};
  return hash(all, sizeof(all));
}

static size_t bytesOf(cudaDataType_t type) {
  switch (type) {
  case CUDA_R_64F:
    return 8;
  case CUDA_R_32F:
    return 4;
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return 2;
  default:
    refuse("a type that it does not know");
  }
}

static double read(const char *at, cudaDataType_t type) {
  if (type == CUDA_R_64F) {
    double value;
    memcpy(&value, at, 8);
    return value;
  }
  if (type == CUDA_R_32F) {
    float value;
    memcpy(&value, at, 4);
    return value;
  }
  if (type == CUDA_R_16F) {
    _Float16 value;
    memcpy(&value, at, 2);
    return static_cast<double>(value);
  }
  uint16_t half;
  memcpy(&half, at, 2);
  uint32_t bits = uint32_t{half} << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

static void write(char *at, cudaDataType_t type, double value) {
  auto narrow = static_cast<float>(value);
  if (type == CUDA_R_64F)
    memcpy(at, &value, 8);
  else if (type == CUDA_R_32F)
    memcpy(at, &narrow, 4);
  else if (type == CUDA_R_16F) {
    auto half = static_cast<_Float16>(narrow);
    memcpy(at, &half, 2);
  } else {
    uint32_t bits;
    memcpy(&bits, &narrow, 4);
    uint16_t half =
        narrow != narrow ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    memcpy(at, &half, 2);
  }
}

/// Bytes from the first element of a batch of matrices to after the last.
static size_t spanOf(const Layout &l) {
  return ((l.count - 1) * l.stride + (l.columns - 1) * l.leading + l.rows) *
         bytesOf(l.type);
}

static void checkLayouts(const Product &p, const Layout &a, const Layout &b,
                         const Layout &c) {
  uint64_t m = p.transA ? a.columns : a.rows, k = p.transA ? a.rows : a.columns;
  uint64_t n = p.transB ? b.rows : b.columns,
           other = p.transB ? b.columns : b.rows;
  if (k != other || m != c.rows || n != c.columns)
    refuse("the extents do not fit");
  for (const Layout *l : {&a, &b, &c})
    if (l->leading < static_cast<int64_t>(l->rows) || l->count != c.count ||
        l->count < 1 || !l->rows || !l->columns)
      refuse("a matrix that there cannot be");
  if (c.count > 1 &&
      c.stride < static_cast<int64_t>((c.columns - 1) * c.leading + c.rows) &&
      c.leading < static_cast<int64_t>((c.count - 1) * c.stride + c.rows))
    refuse("results overlap");
  bool isDouble = a.type == CUDA_R_64F;
  bool isHalf = a.type == CUDA_R_16F || a.type == CUDA_R_16BF;
  if (a.type != b.type ||
      (c.type != a.type && !(isHalf && c.type == CUDA_R_32F)) ||
      p.compute != (isDouble ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F) ||
      p.scale != (isDouble ? CUDA_R_64F : CUDA_R_32F))
    refuse("types of which it has no product");
}

/// The bytes of the bias vector and of the auxiliary matrix.
static size_t biasBytes(const Product &p, const Layout &c) {
  return (p.epilogue == CUBLASLT_EPILOGUE_BGRADB ? c.columns : c.rows) *
         bytesOf(c.type);
}
static size_t auxBytes(const Product &p, const Layout &c) {
  return ((c.columns - 1) * p.auxLeading + c.rows) * bytesOf(c.type);
}

static void checkEpilogue(const Product &p, const Layout &c) {
  static const uint32_t known[] = {
      CUBLASLT_EPILOGUE_DEFAULT,  CUBLASLT_EPILOGUE_BIAS,
      CUBLASLT_EPILOGUE_GELU,     CUBLASLT_EPILOGUE_GELU_BIAS,
      CUBLASLT_EPILOGUE_GELU_AUX, CUBLASLT_EPILOGUE_GELU_AUX_BIAS,
      CUBLASLT_EPILOGUE_DGELU,    CUBLASLT_EPILOGUE_BGRADA,
      CUBLASLT_EPILOGUE_BGRADB};
  bool isKnown = false;
  for (uint32_t one : known)
    isKnown |= one == p.epilogue;
  if (!isKnown)
    refuse("an epilogue that it does not know");
  if (p.epilogue == CUBLASLT_EPILOGUE_DEFAULT)
    return;
  if (c.count != 1 || c.type == CUDA_R_64F)
    refuse("an epilogue of a batch, or of f64");
  if ((p.addsBias() || p.sumsUp()) && !p.bias)
    refuse("an epilogue without its bias");
  if (p.biasType >= 0 && p.biasType != c.type)
    refuse("a bias of another type than the result");
  if (!p.hasAux())
    return;
  if (!p.aux)
    refuse("an epilogue without its auxiliary");
  if (p.auxType >= 0 && p.auxType != c.type)
    refuse("an auxiliary of another type than the result");
  if (p.auxLeading % 8 || p.auxLeading < static_cast<int64_t>(c.rows))
    refuse("columns of an auxiliary that are no multiple of 8 apart, or less "
           "than they are long");
  if (reinterpret_cast<uintptr_t>(p.aux) % 16)
    refuse("an auxiliary that is not aligned to 16 bytes");
}

static uint32_t alignmentOf(const void *place) {
  auto bits = reinterpret_cast<uintptr_t>(place) | uintptr_t{256};
  return static_cast<uint32_t>(bits & (~bits + 1));
}

/// The tanh form of gelu, or its derivative.
static double gelu(double x, bool slope) {
  const double root = std::sqrt(2 / M_PI), cube = 0.044715;
  double t = std::tanh(root * (x + cube * x * x * x));
  if (!slope)
    return x * (1 + t) / 2;
  return (1 + t) / 2 + x / 2 * (1 - t * t) * root * (1 + 3 * cube * x * x);
}

template <typename T>
static void multiply(const Product &p, T alpha, const char *a, const Layout &la,
                     const char *b, const Layout &lb, T beta, const char *c,
                     char *d, const Layout &lc) {
  uint64_t k = p.transA ? la.rows : la.columns;
  auto element = [](const char *matrix, const Layout &l, int64_t batch,
                    uint64_t row, uint64_t column) {
    return matrix + (batch * l.stride + row + column * l.leading) *
                        static_cast<int64_t>(bytesOf(l.type));
  };
  // Element x of row i of op(A) is at x * rows + i: the sums of a column of
  // results are accumulated together, each in the order of x.
  std::vector<T> factors(k * lc.rows), sums(lc.rows);
  for (int64_t batch = 0; batch < lc.count; ++batch) {
    for (uint64_t x = 0; x < k; ++x)
      for (uint64_t i = 0; i < lc.rows; ++i)
        factors[x * lc.rows + i] =
            static_cast<T>(read(p.transA ? element(a, la, batch, x, i)
                                         : element(a, la, batch, i, x),
                                la.type));
    for (uint64_t j = 0; j < lc.columns; ++j) {
      std::fill(sums.begin(), sums.end(), 0);
      for (uint64_t x = 0; x < k; ++x) {
        auto factor =
            static_cast<T>(read(p.transB ? element(b, lb, batch, j, x)
                                         : element(b, lb, batch, x, j),
                                lb.type));
        for (uint64_t i = 0; i < lc.rows; ++i)
          sums[i] += factors[x * lc.rows + i] * factor;
      }
      for (uint64_t i = 0; i < lc.rows; ++i) {
        T value = alpha * sums[i];
        if (beta != 0)
          value +=
              beta * static_cast<T>(read(element(c, lc, batch, i, j), lc.type));
        if (p.addsBias())
          value += static_cast<T>(read(p.bias + i * bytesOf(lc.type), lc.type));
        char *aux = p.aux + (i + j * p.auxLeading) * bytesOf(lc.type);
        if (p.takesGelu() && p.hasAux())
          write(aux, lc.type, value);
        if (p.takesGelu())
          value = static_cast<T>(gelu(value, /*slope=*/false));
        if (p.isGeluGrad())
          value *= static_cast<T>(gelu(read(aux, lc.type), /*slope=*/true));
        write(const_cast<char *>(element(d, lc, batch, i, j)), lc.type, value);
      }
    }
  }
  bool ofA = p.epilogue == CUBLASLT_EPILOGUE_BGRADA;
  for (uint64_t i = 0; p.sumsUp() && i < (ofA ? lc.rows : lc.columns); ++i) {
    T sum = 0;
    for (uint64_t x = 0; x < k; ++x)
      sum += ofA ? static_cast<T>(read(p.transA ? element(a, la, 0, x, i)
                                                : element(a, la, 0, i, x),
                                       la.type))
                 : static_cast<T>(read(p.transB ? element(b, lb, 0, i, x)
                                                : element(b, lb, 0, x, i),
                                       lb.type));
    write(p.bias + i * bytesOf(lc.type), lc.type, sum);
  }
}

static Choice choiceOf(const Product &p, const Layout &a, const Layout &b,
                       const Layout &c, const uint32_t *alignments) {
  uint64_t layouts[] = {hash(a), hash(b), hash(c)};
  Choice choice = {hash(p), hash(layouts, sizeof(layouts)), {}, 0, 0};
  memcpy(choice.alignments, alignments, sizeof(choice.alignments));
  choice.bias = alignmentOf(p.bias);
  choice.aux = alignmentOf(p.aux);
  return choice;
}

/// The size of an algorithm's workspace; the algorithm overwrites all of it.
static const size_t workspaceBytes = 1 << 20;

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  note("cublasLtCreate");
  requireContext();
  static char made;
  *handle = reinterpret_cast<cublasLtHandle_t>(&made);
  return CUBLAS_STATUS_SUCCESS;
}

const char *cublasLtGetStatusName(cublasStatus_t) {
  return "CUBLAS_STATUS_OF_THE_DOUBLE";
}

/// $CUBLAS_DOUBLE_VERSION: the version that the library reports.
size_t cublasLtGetVersion() {
  const char *given = getenv("CUBLAS_DOUBLE_VERSION");
  return given ? strtoul(given, nullptr, 10) : CUBLAS_VERSION;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *made,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  note("cublasLtMatmulDescCreate");
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(new Product{compute, scale});
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
static void set(T &field, const void *value, size_t bytes) {
  if (bytes != sizeof(field))
    refuse("an attribute of another size");
  memcpy(&field, value, bytes);
}

cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t made,
                               cublasLtMatmulDescAttributes_t attribute,
                               const void *value, size_t bytes) {
  auto &product = *reinterpret_cast<Product *>(made);
  if (attribute == CUBLASLT_MATMUL_DESC_TRANSA)
    set(product.transA, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_DESC_TRANSB)
    set(product.transB, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE)
    set(product.epilogue, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER)
    set(product.bias, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE)
    set(product.biasType, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER)
    set(product.aux, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE)
    set(product.auxType, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD)
    set(product.auxLeading, value, bytes);
  else
    refuse("an attribute that it does not know");
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *made,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t leading) {
  note("cublasLtMatrixLayoutCreate");
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{type, rows, columns, leading});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t made,
                                 cublasLtMatrixLayoutAttribute_t attribute,
                                 const void *value, size_t bytes) {
  auto &layout = *reinterpret_cast<Layout *>(made);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    set(layout.count, value, bytes);
  else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET)
    set(layout.stride, value, bytes);
  else
    refuse("an attribute that it does not know");
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *made) {
  note("cublasLtMatmulPreferenceCreate");
  *made = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t made) {
  delete reinterpret_cast<Preference *>(made);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t made,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
    size_t bytes) {
  auto &preference = *reinterpret_cast<Preference *>(made);
  int first = CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES;
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    set(preference.workspace, value, bytes);
  else if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
    set(preference.schemes, value, bytes);
  else if (attribute >= first && attribute < first + 4)
    set(preference.alignments[attribute - first], value, bytes);
  else
    refuse("an attribute that it does not know");
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
    cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t given, int wanted,
    cublasLtMatmulHeuristicResult_t *results, int *found) {
  note("cublasLtMatmulAlgoGetHeuristic");
  const auto &preference = *reinterpret_cast<const Preference *>(given);
  checkLayouts(of(product), of(a), of(b), of(c));
  checkEpilogue(of(product), of(c));
  if (hash(of(c)) != hash(of(d)) || wanted < 1)
    refuse("a question that it does not know");
  if (preference.schemes & ~uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE})
    refuse("parts of a sum may be added in 16 bits");
  if (preference.workspace < workspaceBytes)
    refuse("too small a workspace");
  Choice choice =
      choiceOf(of(product), of(a), of(b), of(c), preference.alignments);
  // Of several algorithms the one with the smallest tiles, which is not the
  // first, is the expected choice.
  int count = std::min(wanted, 2);
  memset(results, 0, count * sizeof(*results));
  cublasLtMatmulHeuristicResult_t &right = results[count - 1];
  memcpy(&right.algo, &choice, sizeof(choice));
  right.workspaceSize = workspaceBytes;
  right.wavesCount = 2;
  // $PCC_DOUBLE_ERROR=product: the library returns no algorithm.
  const char *error = getenv("PCC_DOUBLE_ERROR");
  *found = error && !strcmp(error, "product") ? 0 : count;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product,
               const void *alpha, const void *a, cublasLtMatrixLayout_t la,
               const void *b, cublasLtMatrixLayout_t lb, const void *beta,
               const void *c, cublasLtMatrixLayout_t lc, void *d,
               cublasLtMatrixLayout_t ld, const cublasLtMatmulAlgo_t *algorithm,
               void *workspace, size_t bytes, cudaStream_t stream) {
  note("cublasLtMatmul");
  requireContext();
  Product p = of(product);
  Layout layoutA = of(la), layoutB = of(lb), layoutC = of(lc);
  checkLayouts(p, layoutA, layoutB, layoutC);
  checkEpilogue(p, layoutC);
  Choice given;
  memcpy(&given, algorithm, sizeof(given));
  Choice due = choiceOf(p, layoutA, layoutB, layoutC, given.alignments);
  if (given.product != due.product || given.layouts != due.layouts)
    refuse("the algorithm was chosen for another product");
  if (due.bias < given.bias || due.aux < given.aux)
    refuse("a bias or an auxiliary is less aligned than it was");
  if (hash(layoutC) != hash(of(ld)))
    refuse("C and D lie differently");
  const void *places[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i)
    if (reinterpret_cast<uintptr_t>(places[i]) % given.alignments[i])
      refuse("a matrix is less aligned than was said");
  if (bytes < workspaceBytes || reinterpret_cast<uintptr_t>(workspace) % 256)
    refuse("a workspace that it cannot use");
  static auto &users = *new std::map<const void *, cudaStream_t>;
  if (users.emplace(workspace, stream).first->second != stream)
    refuse("a workspace that a product on another stream may be using");
  auto at = [](const void *place, const Layout &layout) {
    return reach(reinterpret_cast<CUdeviceptr>(place), spanOf(layout));
  };
  char *atA = at(a, layoutA), *atB = at(b, layoutB), *atC = at(c, layoutC),
       *atD = at(d, layoutC);
  if (atC != atD && atC < atD + spanOf(layoutC) && atD < atC + spanOf(layoutC))
    refuse("C and D overlap");
  auto beside = [](char *&place, size_t bytes) {
    place = reach(reinterpret_cast<CUdeviceptr>(place), bytes);
  };
  if (p.addsBias() || p.sumsUp())
    beside(p.bias, biasBytes(p, layoutC));
  if (p.hasAux())
    beside(p.aux, auxBytes(p, layoutC));
  char *scratch = reach(reinterpret_cast<CUdeviceptr>(workspace), bytes);
  double scales[2];
  bool isDouble = p.scale == CUDA_R_64F;
  const void *factors[] = {alpha, beta};
  for (int i = 0; i < 2; ++i)
    scales[i] = isDouble ? *static_cast<const double *>(factors[i])
                         : *static_cast<const float *>(factors[i]);
  enqueue(reinterpret_cast<CUstream>(stream), [=] {
    memset(scratch, 0xff, workspaceBytes);
    if (isDouble)
      multiply<double>(p, scales[0], atA, layoutA, atB, layoutB, scales[1], atC,
                       atD, layoutC);
    else
      multiply<float>(p, scales[0], atA, layoutA, atB, layoutB, scales[1], atC,
                      atD, layoutC);
  });
  return CUBLAS_STATUS_SUCCESS;
}
