/* Linked against all that a program for GPUs uses: it must start, and say what
   there is, also where there is neither a driver nor a device. */

#include <cublasLt.h>
#include <cuda_runtime.h>
#include <cudnn.h>
#include <nccl.h>
#include <stdio.h>

int main(void) {
  int runtime = 0, nccl = 0, devices = 0;
  cudaRuntimeGetVersion(&runtime);
  ncclGetVersion(&nccl);
  printf("runtime %d, of the header %d\n", runtime, CUDART_VERSION);
  printf("cublasLt %zu, of the header %d\n", cublasLtGetVersion(),
         CUBLAS_VERSION);
  printf("cudnn %zu, of the header %d\n", cudnnGetVersion(), CUDNN_VERSION);
  printf("nccl %d, of the header %d\n", nccl, NCCL_VERSION_CODE);
  cudaError_t error = cudaGetDeviceCount(&devices);
  printf("devices %d: %s\n", devices, cudaGetErrorString(error));
  return 0;
}
