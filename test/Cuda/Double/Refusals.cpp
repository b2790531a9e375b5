//===- Refusals.cpp - Mistakes that the GPU double must detect ------------===//
//
//     cuda-refusals CASE     makes this mistake; without CASE it makes none and
//                            succeeds
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstring>
#include <cublasLt.h>
#include <cuda.h>
#include <cudnn.h>
#include <thread>

static CUdeviceptr memory;
static CUstream stream;

static void CUDA_CB clear(void *) { cuMemsetD8Async(memory, 0, 16, stream); }
static void CUDA_CB doNothing(void *) {}

/// A GEMM of 8 x 8 matrices, which is not an attention.
static void describeGraph(bool isAligned, bool isFinalBefore, bool isGraph) {
  auto make = [](cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made;
    cudnnBackendCreateDescriptor(type, &made);
    return made;
  };
  const int64_t dims[] = {1, 1, 8, 8}, strides[] = {64, 64, 8, 1};
  const int64_t alignment = isAligned ? 16 : 8;
  const auto type = CUDNN_DATA_BFLOAT16, sums = CUDNN_DATA_FLOAT;
  const bool no = false;
  cudnnBackendDescriptor_t tensors[3];
  for (int64_t number = 0; number < 3; ++number) {
    auto t = tensors[number] = make(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    auto set = [&](cudnnBackendAttributeName_t name,
                   cudnnBackendAttributeType_t kind, int64_t count,
                   const void *values) {
      cudnnBackendSetAttribute(t, name, kind, count, values);
    };
    set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &number);
    set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, dims);
    set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
    set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &no);
    set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &no);
    cudnnBackendFinalize(t);
    if (isFinalBefore)
      set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4, strides);
  }
  auto product = make(CUDNN_BACKEND_MATMUL_DESCRIPTOR),
       operation = make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR),
       graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  cudnnBackendSetAttribute(product, CUDNN_ATTR_MATMUL_COMP_TYPE,
                           CUDNN_TYPE_DATA_TYPE, 1, &sums);
  cudnnBackendFinalize(product);
  const cudnnBackendAttributeName_t names[] = {
      CUDNN_ATTR_OPERATION_MATMUL_ADESC, CUDNN_ATTR_OPERATION_MATMUL_BDESC,
      CUDNN_ATTR_OPERATION_MATMUL_CDESC};
  for (int i = 0; i < 3; ++i)
    cudnnBackendSetAttribute(operation, names[i], CUDNN_TYPE_BACKEND_DESCRIPTOR,
                             1, &tensors[i]);
  cudnnBackendSetAttribute(operation, CUDNN_ATTR_OPERATION_MATMUL_DESC,
                           CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &product);
  cudnnBackendFinalize(operation);
  cudnnBackendSetAttribute(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS,
                           CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &operation);
  if (isGraph)
    cudnnBackendFinalize(graph);
}

static bool is(int argc, char **argv, const char *name) {
  return argc > 1 && !strcmp(argv[1], name);
}

int main(int argc, char **argv) {
  auto makes = [&](const char *name) { return is(argc, argv, name); };
  const size_t bytes = 1024;
  CUcontext context;
  CUstream other;
  CUevent event;
  void *pinned;
  cuInit(0);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  cuStreamCreate(&stream, makes("stream-flags") ? 0 : CU_STREAM_NON_BLOCKING);
  cuStreamCreate(&other, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  cuMemAlloc(&memory, bytes);
  cuMemHostAlloc(&pinned, bytes, 0);

  static float ordinary[bytes / 4];
  cuMemcpyHtoDAsync(memory, makes("pageable") ? ordinary : pinned, bytes,
                    stream);
  cuMemsetD8Async(memory + (makes("outside") ? 4 : 0), 0, bytes, stream);
  cuMemcpyDtoDAsync(memory + (makes("overlap") ? 128 : 512), memory, 256,
                    stream);
  cuLaunchHostFunc(stream, makes("host-function") ? clear : doNothing, nullptr);
  if (makes("thread"))
    std::thread([&] { cuMemsetD8Async(memory, 0, bytes, stream); }).join();
  int nothing = 0;
  auto *none = reinterpret_cast<CUstream>(&nothing);
  cuEventRecord(event, makes("no-stream") ? none : stream);
  if (makes("host-access"))
    return *reinterpret_cast<volatile char *>(memory);
  cuEventSynchronize(event);

  // C [8, 3] = A [8, 2] B [2, 3], column by column.
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t a, b, c;
  cublasLtMatmulPreference_t preference;
  cublasLtCreate(&handle);
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, 8, 2, makes("leading") ? 7 : 8);
  cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, makes("extent") ? 3 : 2, 3, 4);
  cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, 8, 3, 8);
  CUdeviceptr scratch, matrices;
  uint64_t workspace = 1 << 20;
  cuMemAlloc(&scratch, workspace);
  cuMemAlloc(&matrices, bytes);
  auto at = [&](CUdeviceptr offset) {
    return reinterpret_cast<void *>(matrices + offset);
  };

  // The epilogue adds a bias, stores the sum as auxiliary and applies gelu.
  auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
    cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof(value));
  };
  set(CUBLASLT_MATMUL_DESC_EPILOGUE,
      uint32_t(makes("epilogue") ? CUBLASLT_EPILOGUE_RELU_AUX
                                 : CUBLASLT_EPILOGUE_GELU_AUX_BIAS));
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, makes("no-bias") ? nullptr : at(768));
  if (makes("bias-type"))
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, int32_t(CUDA_R_16BF));
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
      makes("no-auxiliary") ? nullptr
                            : at(makes("auxiliary-alignment") ? 840 : 832));
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,
      int64_t(makes("auxiliary-columns") ? 12 : 8));
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulPreferenceSetAttribute(preference,
                                       CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                       &workspace, sizeof(workspace));
  uint32_t schemes = makes("rounded-sums")
                         ? CUBLASLT_REDUCTION_SCHEME_MASK
                         : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes,
      sizeof(schemes));
  cublasLtMatmulHeuristicResult_t found;
  int count;
  cublasLtMatmulAlgoGetHeuristic(handle, product, a, b, c, c, preference, 1,
                                 &found, &count);
  if (makes("other-product"))
    cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, 2, 3, 3);
  // Addresses of matrices are read when the algorithm is used.
  if (makes("auxiliary-outside"))
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, at(1024 - 64));
  if (makes("bias-alignment"))
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, at(772));
  float one = 1, zero = 0;
  cublasLtMatmul(handle, product, &one, at(makes("alignment") ? 4 : 0), a,
                 at(256), b, &zero, at(512), c, at(512), c, &found.algo,
                 makes("workspace") ? nullptr
                                    : reinterpret_cast<void *>(scratch),
                 found.workspaceSize, reinterpret_cast<cudaStream_t>(stream));
  cublasLtMatmul(handle, product, &one, at(0), a, at(256), b, &zero, at(512), c,
                 at(512), c, &found.algo, reinterpret_cast<void *>(scratch),
                 found.workspaceSize,
                 reinterpret_cast<cudaStream_t>(
                     makes("workspace-streams") ? other : stream));
  describeGraph(!makes("dnn-alignment"), makes("dnn-final"),
                makes("dnn-graph"));
  puts("all is well");
  return 0;
}
