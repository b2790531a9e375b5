//===- Streams.cpp - Streams and events of compiled code ------------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Context.h"
#include "runtime/support/Error.h"

using namespace pcc;
using namespace pcc::cuda;

CUstream cuda::computeStream() {
  static CUstream stream = [] {
    CUstream made;
    // Not that of the driver, which others wait for.
    check(driver().cuStreamCreate(&made, CU_STREAM_NON_BLOCKING),
          "the start of a stream");
    return made;
  }();
  return stream;
}

CUevent cuda::makeEvent() {
  CUevent made;
  check(driver().cuEventCreate(&made, CU_EVENT_DISABLE_TIMING),
        "the start of an event");
  return made;
}

CUstream cuda::streamOf(pcc_context *ctx, int32_t stream) {
  const std::vector<CUstream> &streams = stateOf(ctx).streams;
  if (stream < 0 || static_cast<size_t>(stream) >= streams.size())
    fail(ExitInternal, format("the program names a stream %d", stream));
  return streams[stream];
}

static CUevent eventOf(pcc_context *ctx, int32_t event) {
  const std::vector<CUevent> &events = stateOf(ctx).events;
  if (event < 0 || static_cast<size_t>(event) >= events.size())
    fail(ExitInternal, format("the program names an event %d", event));
  return events[event];
}

void pcc_record(pcc_context *ctx, int32_t stream, int32_t event) {
  check(driver().cuEventRecord(eventOf(ctx, event), streamOf(ctx, stream)),
        "the record of an event");
}

void pcc_wait(pcc_context *ctx, int32_t stream, int32_t event) {
  check(driver().cuStreamWaitEvent(streamOf(ctx, stream), eventOf(ctx, event),
                                   CU_EVENT_WAIT_DEFAULT),
        "the wait for an event");
}

void backend::beginEntry(pcc_context *ctx) {
  const Rank &rank = stateOf(ctx);
  if (rank.streams.size() < 2)
    return;
  check(driver().cuEventRecord(rank.begun, computeStream()),
        "the begin of an entry");
  for (CUstream stream : rank.streams)
    if (stream != computeStream())
      check(
          driver().cuStreamWaitEvent(stream, rank.begun, CU_EVENT_WAIT_DEFAULT),
          "the begin of an entry");
}

int backend::stepsAhead() { return 1; }
