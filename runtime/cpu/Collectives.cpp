//===- Collectives.cpp - Collectives by MPI -------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Trace.h"

#include <algorithm>
#include <climits>
#include <cstring>

using namespace pcc;

// Large messages are cut into pieces of this many elements.
int64_t pcc::greatestCount = INT_MAX / 2;

static MPI_Datatype typeOf(int32_t dtype) {
  switch (dtype) {
  case PCC_F32:
    return MPI_FLOAT;
  case PCC_F64:
    return MPI_DOUBLE;
  case PCC_I64:
    return MPI_INT64_T;
  case PCC_I32:
    return MPI_INT32_T;
  default:
    fail(ExitInternal,
         format("collectives cannot add or compare type %s", dtypeName(dtype)));
  }
}

static const Communicator &communicator(pcc_context *ctx, int32_t comm) {
  if (comm < 0 || comm >= static_cast<int32_t>(ctx->comms.size()))
    fail(ExitInternal, format("the program has no communicator %d", comm));
  return ctx->comms[comm];
}

/// Calls piece(offset, count) for pieces of at most `most`.
template <typename Function>
static void inPieces(int64_t count, Function piece,
                     int64_t most = greatestCount) {
  for (int64_t at = 0; at < count; at += most) {
    piece(at, static_cast<int>(std::min(most, count - at)));
    advance();
  }
}

/// Within a host, Open MPI adds 128 MiB three times as fast in pieces that stay
/// in the cache as at once.
static const int64_t cachedCount = 1 << 18;

void pcc_all_reduce(pcc_context *ctx, int32_t comm, int32_t dtype,
                    int32_t reduction, void *buffer, int64_t count) {
  const Communicator &c = communicator(ctx, comm);
  TraceSpan span(Track::Communication, "all_reduce", nullptr, c.over.c_str());
  span.note("bytes", count * sizeOf(dtype));
  MPI_Datatype type = typeOf(dtype);
  if (c.size == 1)
    return;
  MPI_Op op = reduction == PCC_MAX ? MPI_MAX : MPI_SUM;
  auto reduce = [&](int64_t at, int n) {
    checkMPI(MPI_Allreduce(MPI_IN_PLACE,
                           static_cast<char *>(buffer) + at * sizeOf(dtype), n,
                           type, op, c.comm),
             "all_reduce");
  };
  inPieces(count, reduce,
           c.oneHost ? std::min(cachedCount, greatestCount) : greatestCount);
}

void pcc_all_gather(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count) {
  const Communicator &c = communicator(ctx, comm);
  TraceSpan span(Track::Communication, "all_gather", nullptr, c.over.c_str());
  span.note("bytes", count * sizeOf(dtype));
  int64_t bytes = count * sizeOf(dtype);
  char *to = static_cast<char *>(out);
  if (c.size == 1) {
    memmove(out, in, bytes);
    return;
  }
  if (bytes <= greatestCount) {
    checkMPI(MPI_Allgather(in, static_cast<int>(bytes), MPI_BYTE, out,
                           static_cast<int>(bytes), MPI_BYTE, c.comm),
             "all_gather");
    return;
  }
  memmove(to + c.index * bytes, in, bytes);
  for (int root = 0; root < c.size; ++root)
    inPieces(bytes, [&](int64_t at, int n) {
      checkMPI(MPI_Bcast(to + root * bytes + at, n, MPI_BYTE, root, c.comm),
               "all_gather");
    });
}

void pcc_reduce_scatter(pcc_context *ctx, int32_t comm, int32_t dtype,
                        const void *in, void *out, int64_t count) {
  const Communicator &c = communicator(ctx, comm);
  TraceSpan span(Track::Communication, "reduce_scatter", nullptr,
                 c.over.c_str());
  span.note("bytes", count * sizeOf(dtype));
  MPI_Datatype type = typeOf(dtype);
  int64_t size = sizeOf(dtype);
  if (c.size == 1) {
    memmove(out, in, count * size);
    return;
  }
  if (count <= greatestCount) {
    checkMPI(MPI_Reduce_scatter_block(in, out, static_cast<int>(count), type,
                                      MPI_SUM, c.comm),
             "reduce_scatter");
    return;
  }
  auto *from = static_cast<const char *>(in);
  for (int root = 0; root < c.size; ++root)
    inPieces(count, [&](int64_t at, int n) {
      checkMPI(MPI_Reduce(from + (root * count + at) * size,
                          static_cast<char *>(out) + at * size, n, type,
                          MPI_SUM, root, c.comm),
               "reduce_scatter");
    });
}

void pcc_all_to_all(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count) {
  const Communicator &c = communicator(ctx, comm);
  TraceSpan span(Track::Communication, "all_to_all", nullptr, c.over.c_str());
  span.note("bytes", count * sizeOf(dtype));
  int64_t bytes = count * sizeOf(dtype);
  auto *from = static_cast<const char *>(in);
  char *to = static_cast<char *>(out);
  if (c.size == 1) {
    memmove(out, in, bytes);
    return;
  }
  if (bytes <= greatestCount) {
    checkMPI(MPI_Alltoall(in, static_cast<int>(bytes), MPI_BYTE, out,
                          static_cast<int>(bytes), MPI_BYTE, c.comm),
             "all_to_all");
    return;
  }
  for (int shift = 0; shift < c.size; ++shift) {
    int next = (c.index + shift) % c.size;
    int previous = (c.index - shift + c.size) % c.size;
    inPieces(bytes, [&](int64_t at, int n) {
      checkMPI(MPI_Sendrecv(from + next * bytes + at, n, MPI_BYTE, next, 0,
                            to + previous * bytes + at, n, MPI_BYTE, previous,
                            0, c.comm, MPI_STATUS_IGNORE),
               "all_to_all");
    });
  }
}

int64_t pcc_comm_index(pcc_context *ctx, int32_t comm) {
  return communicator(ctx, comm).index;
}
