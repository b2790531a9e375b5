//===- Compute.cpp - The compute stream of a CPU --------------------------===//
//
// Operations on the compute stream are complete when their call returns.
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/Copy.h"
#include "runtime/cpu/Gemm.h"
#include "runtime/cpu/OffloadFile.h"
#include "runtime/cpu/Streams.h"
#include "runtime/host/Filling.h"
#include "runtime/host/Threads.h"
#include "runtime/telemetry/Trace.h"

#include <cstdlib>
#include <cstring>

using namespace pcc;

void pcc_launch(pcc_context *ctx, const pcc_kernel *kernel, void *const *args) {
  TraceSpan span(Track::Compute, kernel->name);
  readOffloaded(*kernel, args);
  runWorkItems(ctx->threads, kernel->run, args, kernel->units, kernel->grain);
  dropOffloaded(*kernel, args);
}

void pcc_launch_async(pcc_context *ctx, int32_t stream,
                      const pcc_kernel *kernel, void *const *args) {
  // The rank's threads belong to the compute stream, which may be using them.
  auto request = std::make_unique<Request>();
  request->name = kernel->name;
  std::vector<void *> places(args, args + kernel->n_args);
  request->post = [kernel, places](int64_t, int, int, Posted &) {
    kernel->run(places.data(), 0, kernel->units);
    return false;
  };
  issueOn(ctx, stream, std::move(request), /*bytes=*/0);
}

void pcc_gemm(pcc_context *ctx, const pcc_gemm_desc *desc, const void *a,
              const void *b, void *c) {
  TraceSpan span(Track::Compute, "gemm");
  span.note("m", desc->m);
  span.note("n", desc->n);
  span.note("k", desc->k);
  span.note("batch", desc->batch0 * desc->batch1);
  multiply(*desc,
           {static_cast<const char *>(a), static_cast<const char *>(b),
            static_cast<char *>(c)},
           ctx->threads);
}

void pcc_grouped_gemm(pcc_context *ctx, const pcc_grouped_gemm_desc *desc,
                      const void *a, const void *b, void *c,
                      const int32_t *ends) {
  TraceSpan span(Track::Compute, "grouped_gemm");
  span.note("groups", desc->groups);
  span.note("rows", ends[desc->groups - 1]);
  span.note("n", desc->n);
  span.note("k", desc->k);
  multiplyGroups(*desc,
                 {static_cast<const char *>(a), static_cast<const char *>(b),
                  static_cast<char *>(c)},
                 ends, ctx->threads);
}

void pcc_copy(pcc_context *ctx, void *to, const void *from, int64_t bytes) {
  TraceSpan span(Track::Compute, "copy");
  copyBytes(*ctx, to, from, bytes);
}

void pcc_zero(pcc_context *ctx, void *to, int64_t bytes) {
  TraceSpan span(Track::Compute, "clear");
  clearBytes(*ctx, to, bytes);
}

void pcc::keepLaunchOrder(pcc_context *ctx, Request &request) {
  static const char *asked = getenv("PCC_LAUNCH_ORDER");
  if (asked && !strcmp(asked, "1"))
    request.launchIn(ctx->launches);
}

void pcc::issueOn(pcc_context *ctx, int32_t stream,
                  std::unique_ptr<Request> request, int64_t bytes) {
  prepareRequest(ctx, stream, *request, bytes);
  Stream &requests = stateOf(ctx, stream).stream;
  if (stream != PCC_COMPUTE_STREAM)
    return communication::issue(requests, std::move(request));
  Operation operation(request->name, Activity::Waits, request->detail);
  communication::run(requests, std::move(request));
}

/// Returns when an event is complete.
static void waitHere(const Event &event) {
  TraceSpan span(Track::Compute, "wait");
  if (event.fills) {
    Operation operation("fill of an input");
    return filling::wait(event.fills);
  }
  Operation operation(event.name, Activity::Waits, event.detail);
  communication::wait(event);
}

/// Whether an event is complete.
static bool isOver(const Event &event) {
  if (event.fills)
    return filling::hasDone(event.fills);
  return !event.stream || event.stream->hasDone(event.count);
}

void pcc_fill(pcc_context *, int32_t input, int64_t microbatch, void *to,
              int64_t) {
  TraceSpan span(Track::Compute, "fill");
  filling::fill(input, microbatch, static_cast<char *>(to));
}

void pcc_fill_async(pcc_context *ctx, int32_t stream, int32_t input,
                    int64_t microbatch, void *to, int64_t bytes) {
  if (stream == PCC_COMPUTE_STREAM)
    return pcc_fill(ctx, input, microbatch, to, bytes);
  StreamState &state = stateOf(ctx, stream);
  // This rarely blocks: mostly the compute stream uses inputs, and its events
  // are complete when they are recorded.
  for (const Event &event : state.waits)
    waitHere(event);
  state.waits.clear();
  state.fills = filling::issue(input, microbatch, static_cast<char *>(to));
}

void pcc_record(pcc_context *ctx, int32_t stream, int32_t event) {
  Event &recorded = eventEntry(ctx, event).emplace();
  // On the compute stream all work is complete when it is issued.
  if (stream == PCC_COMPUTE_STREAM)
    return;
  recorded.fills = stateOf(ctx, stream).fills;
  if (!recorded.fills)
    recorded = recordedOn(ctx, stream);
}

void pcc_wait(pcc_context *ctx, int32_t stream, int32_t event) {
  const Event &recorded = lastRecord(ctx, event);
  if (isOver(recorded))
    return;
  // The communication thread cannot wait for fills.
  if (stream == PCC_COMPUTE_STREAM || recorded.fills)
    return waitHere(recorded);
  stateOf(ctx, stream).waits.push_back(recorded);
}
