//===- Collectives.cpp - Collectives by NCCL ------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/host/Traffic.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

using namespace pcc;
using namespace pcc::cuda;

ncclDataType_t cuda::ncclTypeOf(int32_t dtype) {
  switch (dtype) {
  case PCC_F32:
    return ncclFloat32;
  case PCC_F64:
    return ncclFloat64;
  case PCC_BF16:
    return ncclBfloat16;
  case PCC_F16:
    return ncclFloat16;
  case PCC_I64:
    return ncclInt64;
  case PCC_I32:
    return ncclInt32;
  default:
    fail(ExitInternal,
         format("collectives cannot reduce type %s", dtypeName(dtype)));
  }
}

/// Counts the traffic of a collective and issues it; `bytes` are those of a
/// rank's block, or of the buffer of an all_reduce.
static void run(pcc_context *ctx, int32_t stream, Communicator &c,
                const char *name, int64_t bytes, int64_t sent,
                const std::function<ncclResult_t(CUstream)> &operation) {
  countTraffic(stream, name, c.over.c_str(), bytes, sent);
  issue(ctx, stream, c, name, operation);
}

/// A collective of a single rank is a copy.
static void copyAlone(pcc_context *ctx, int32_t stream, const void *in,
                      void *out, int64_t bytes) {
  if (in != out && bytes > 0)
    check(driver().cuMemcpyDtoDAsync(at(out), at(in), bytes,
                                     streamOf(ctx, stream)),
          "a copy");
}

void pcc_all_reduce_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, int32_t reduction, void *buffer,
                          int64_t count) {
  Communicator &c = communicator(comm);
  int64_t bytes = count * sizeOf(dtype);
  if (c.size > 1)
    run(ctx, stream, c, "all_reduce", bytes, 2 * (c.size - 1) * bytes / c.size,
        [&](CUstream on) {
          return nccl().ncclAllReduce(buffer, buffer, count, ncclTypeOf(dtype),
                                      ncclReductionOf(reduction), c.comm, on);
        });
}

void pcc_all_gather_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, const void *in, void *out,
                          int64_t count) {
  Communicator &c = communicator(comm);
  int64_t bytes = count * sizeOf(dtype);
  if (c.size == 1)
    return copyAlone(ctx, stream, in, out, bytes);
  run(ctx, stream, c, "all_gather", bytes, (c.size - 1) * bytes,
      [&](CUstream on) {
        return nccl().ncclAllGather(in, out, bytes, ncclInt8, c.comm, on);
      });
}

// NCCL overwrites its output. Programs for GPUs add the result by a kernel of
// their own.
void pcc_reduce_scatter_async(pcc_context *ctx, int32_t stream, int32_t comm,
                              int32_t dtype, const void *in, void *out,
                              int64_t count, int32_t adds) {
  Communicator &c = communicator(comm);
  int64_t bytes = count * sizeOf(dtype);
  if (adds)
    fail(ExitInternal, "the program has a reduce_scatter that accumulates");
  if (c.size == 1)
    return copyAlone(ctx, stream, in, out, bytes);
  run(ctx, stream, c, "reduce_scatter", bytes, (c.size - 1) * bytes,
      [&](CUstream on) {
        return nccl().ncclReduceScatter(in, out, count, ncclTypeOf(dtype),
                                        ncclSum, c.comm, on);
      });
}

/// Sends each rank its block of `in` and receives theirs into `out`.
static ncclResult_t exchangeBlocks(const Communicator &c, const void *in,
                                   void *out, int64_t bytes, CUstream on) {
  ncclResult_t result = nccl().ncclGroupStart();
  for (int peer = 0; peer < c.size && result == ncclSuccess; ++peer) {
    result = nccl().ncclSend(static_cast<const char *>(in) + peer * bytes,
                             bytes, ncclInt8, peer, c.comm, on);
    if (result == ncclSuccess)
      result = nccl().ncclRecv(static_cast<char *>(out) + peer * bytes, bytes,
                               ncclInt8, peer, c.comm, on);
  }
  ncclResult_t ended = nccl().ncclGroupEnd();
  return result == ncclSuccess ? ended : result;
}

void pcc_all_to_all_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, const void *in, void *out,
                          int64_t count) {
  Communicator &c = communicator(comm);
  int64_t bytes = count * sizeOf(dtype);
  if (c.size == 1)
    return copyAlone(ctx, stream, in, out, bytes);
  run(ctx, stream, c, "all_to_all", bytes, (c.size - 1) * bytes,
      [&](CUstream on) { return exchangeBlocks(c, in, out, bytes, on); });
}

void pcc_all_reduce(pcc_context *ctx, int32_t comm, int32_t dtype,
                    int32_t reduction, void *buffer, int64_t count) {
  pcc_all_reduce_async(ctx, PCC_COMPUTE_STREAM, comm, dtype, reduction, buffer,
                       count);
}

void pcc_all_gather(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count) {
  pcc_all_gather_async(ctx, PCC_COMPUTE_STREAM, comm, dtype, in, out, count);
}

void pcc_reduce_scatter(pcc_context *ctx, int32_t comm, int32_t dtype,
                        const void *in, void *out, int64_t count,
                        int32_t adds) {
  pcc_reduce_scatter_async(ctx, PCC_COMPUTE_STREAM, comm, dtype, in, out, count,
                           adds);
}

void pcc_all_to_all(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count) {
  pcc_all_to_all_async(ctx, PCC_COMPUTE_STREAM, comm, dtype, in, out, count);
}

int64_t pcc_comm_index(pcc_context *, int32_t comm) {
  return communicator(comm).index;
}
