//===- Collectives.cpp - Collectives of compiled code ---------------------===//
//
// A collective is a request for the transport. On a communicator of one rank it
// is a copy, an addition or nothing.
//
//===----------------------------------------------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/Reduction.h"
#include "runtime/host/Traffic.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <cstring>

using namespace pcc;

static Communicator &communicator(pcc_context *ctx, int32_t comm) {
  if (comm < 0 || comm >= static_cast<int32_t>(ctx->comms.size()))
    fail(ExitInternal, format("the program has no communicator %d", comm));
  return ctx->comms[comm];
}

/// On a communicator of one rank: a copy or an addition; for all_reduce
/// nothing.
static void copyAlone(Request &request, const Collective &collective) {
  request.post = [=](int64_t, int, int, Posted &) {
    if (collective.adds)
      Reduction{collective.dtype, PCC_SUM, /*adds=*/true}.run(
          {collective.in}, {collective.out}, collective.count);
    else if (collective.in)
      memmove(collective.out, collective.in,
              collective.count * collective.size);
    return false;
  };
}

/// Issues a collective that reads and writes so many blocks; `sent`: the bytes
/// that this rank sends. `define` has the transport define the request.
template <typename Function>
static void issue(pcc_context *ctx, int32_t stream, Collective collective,
                  int64_t reads, int64_t writes, int64_t sent,
                  Function define) {
  auto request = std::make_unique<Request>();
  collective.index = request->addTo(collective.c.order);
  request->name = collective.name;
  request->detail = collective.c.over.c_str();
  int64_t bytes = collective.count * collective.size;
  if (reads > 0)
    request->accesses.push_back({collective.in, reads * bytes, false});
  request->accesses.push_back({collective.out, writes * bytes, true});
  if (collective.c.size() > 1) {
    countTraffic(stream, collective.name, collective.c.over.c_str(), bytes,
                 sent);
    define(*communication::transport(), *request, collective);
    keepLaunchOrder(ctx, *request);
  } else {
    copyAlone(*request, collective);
  }
  issueOn(ctx, stream, std::move(request), bytes);
}

void pcc_all_reduce_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, int32_t reduction, void *buffer,
                          int64_t count) {
  Collective collective = {communicator(ctx, comm), "all_reduce", count,
                           sizeOf(dtype),           dtype,        reduction};
  collective.out = reach(buffer);
  int64_t bytes = count * sizeOf(dtype), ranks = collective.c.size();
  issue(ctx, stream, collective, 0, 1, 2 * (ranks - 1) * bytes / ranks,
        [&](Transport &transport, Request &request, const Collective &c) {
          transport.allReduce(request, c);
        });
}

void pcc_all_gather_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, const void *in, void *out,
                          int64_t count) {
  Collective collective = {communicator(ctx, comm), "all_gather",
                           count * sizeOf(dtype), 1, dtype};
  collective.in = reach(in);
  collective.out = reach(out);
  int64_t ranks = collective.c.size();
  issue(ctx, stream, collective, 1, ranks, (ranks - 1) * collective.count,
        [&](Transport &transport, Request &request, const Collective &c) {
          transport.exchangeBlocks(request, c, 0);
        });
}

void pcc_reduce_scatter_async(pcc_context *ctx, int32_t stream, int32_t comm,
                              int32_t dtype, const void *in, void *out,
                              int64_t count, int32_t adds) {
  Collective collective = {communicator(ctx, comm), "reduce_scatter", count,
                           sizeOf(dtype), dtype};
  collective.adds = adds != 0;
  collective.in = reach(in);
  collective.out = reach(out);
  int64_t ranks = collective.c.size();
  issue(ctx, stream, collective, ranks, 1, (ranks - 1) * count * sizeOf(dtype),
        [&](Transport &transport, Request &request, const Collective &c) {
          transport.reduceScatter(request, c);
        });
}

void pcc_all_to_all_async(pcc_context *ctx, int32_t stream, int32_t comm,
                          int32_t dtype, const void *in, void *out,
                          int64_t count) {
  int64_t bytes = count * sizeOf(dtype);
  Collective collective = {communicator(ctx, comm), "all_to_all", bytes, 1,
                           dtype};
  collective.in = reach(in);
  collective.out = reach(out);
  int64_t ranks = collective.c.size();
  issue(ctx, stream, collective, ranks, ranks, (ranks - 1) * bytes,
        [&](Transport &transport, Request &request, const Collective &c) {
          transport.exchangeBlocks(request, c, bytes);
        });
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

const void *pcc_constant_at(pcc_context *ctx, int32_t number) {
  return &ctx->constants[number].value;
}

int64_t pcc_comm_index(pcc_context *ctx, int32_t comm) {
  return communicator(ctx, comm).index;
}
