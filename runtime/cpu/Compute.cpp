//===- Compute.cpp - The compute stream of a CPU --------------------------===//
//
// What compiled code computes is done when its call returns.
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/Copy.h"
#include "runtime/cpu/Gemm.h"
#include "runtime/cpu/Streams.h"
#include "runtime/cpu/Threads.h"
#include "runtime/telemetry/Trace.h"

using namespace pcc;

void pcc_launch(pcc_context *ctx, const pcc_kernel *kernel, void *const *args) {
  TraceSpan span(Track::Compute, kernel->name);
  runUnits(*ctx, kernel->run, args, kernel->units, kernel->grain);
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

void pcc_copy(pcc_context *ctx, void *to, const void *from, int64_t bytes) {
  TraceSpan span(Track::Compute, "copy");
  copyBytes(*ctx, to, from, bytes);
}

void pcc_zero(pcc_context *ctx, void *to, int64_t bytes) {
  TraceSpan span(Track::Compute, "clear");
  clearBytes(*ctx, to, bytes);
}

void pcc::issueOn(pcc_context *ctx, int32_t stream,
                  std::unique_ptr<Request> request, int64_t bytes) {
  prepareRequest(ctx, stream, *request, bytes);
  Stream &requests = stateOf(ctx, stream).stream;
  if (stream != PCC_COMPUTE_STREAM)
    return communication::issue(requests, std::move(request));
  Operation operation(request->name, Doing::Waits, request->detail);
  communication::run(requests, std::move(request));
}

void pcc_record(pcc_context *ctx, int32_t stream, int32_t event) {
  // On the compute stream all is done when it is issued.
  placeOf(ctx, event) =
      stream == PCC_COMPUTE_STREAM ? Event() : recordedOn(ctx, stream);
}

void pcc_wait(pcc_context *ctx, int32_t stream, int32_t event) {
  const Event &recorded = lastRecord(ctx, event);
  if (!recorded.stream || recorded.stream->hasDone(recorded.count))
    return;
  if (stream != PCC_COMPUTE_STREAM) {
    stateOf(ctx, stream).waits.push_back(recorded);
    return;
  }
  TraceSpan span(Track::Compute, "wait");
  Operation operation(recorded.name, Doing::Waits, recorded.detail);
  communication::wait(recorded);
}
