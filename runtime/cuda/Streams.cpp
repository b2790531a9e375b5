//===- Streams.cpp - Streams and events of compiled code ------------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Graphs.h"
#include "runtime/support/Error.h"

using namespace pcc;
using namespace pcc::cuda;

CUstream cuda::makeStream(StreamUse use) {
  // The highest priority is the smallest number; some devices have only one.
  int least = 0, greatest = 0;
  check(driver().cuCtxGetStreamPriorityRange(&least, &greatest),
        "the query of stream priorities");
  CUstream made;
  check(driver().cuStreamCreateWithPriority(
            &made, CU_STREAM_NON_BLOCKING,
            use == StreamUse::Communicates ? greatest : least),
        "the creation of a stream");
  return made;
}

CUstream cuda::computeStream() {
  // Not the driver's default stream, which synchronizes with others.
  static CUstream stream = makeStream(StreamUse::Computes);
  return stream;
}

CUevent cuda::makeEvent() {
  CUevent made;
  check(driver().cuEventCreate(&made, CU_EVENT_DISABLE_TIMING),
        "the creation of an event");
  return made;
}

CUstream cuda::streamOf(pcc_context *ctx, int32_t stream) {
  const std::vector<CUstream> &streams = stateOf(ctx).streams;
  if (stream < 0 || static_cast<size_t>(stream) >= streams.size())
    fail(ExitInternal, format("the program names a stream %d", stream));
  if (Graphs *graphs = stateOf(ctx).graphs)
    graphs->use(stream);
  return streams[stream];
}

static CUevent eventOf(pcc_context *ctx, int32_t event) {
  const std::vector<CUevent> &events = stateOf(ctx).events;
  if (event < 0 || static_cast<size_t>(event) >= events.size())
    fail(ExitInternal, format("the program names an event %d", event));
  return events[event];
}

/// The graphs of a rank, if one is being captured; else null.
static Graphs *recordingOf(pcc_context *ctx) {
  Graphs *graphs = stateOf(ctx).graphs;
  return graphs && graphs->isRecording() ? graphs : nullptr;
}

void pcc_record(pcc_context *ctx, int32_t stream, int32_t event) {
  CUevent known = eventOf(ctx, event);
  CUstream on = streamOf(ctx, stream);
  if (Graphs *graphs = recordingOf(ctx))
    return graphs->record(stream, event);
  check(driver().cuEventRecord(known, on), "the record of an event");
}

void pcc_wait(pcc_context *ctx, int32_t stream, int32_t event) {
  CUevent known = eventOf(ctx, event);
  CUstream on = streamOf(ctx, stream);
  if (Graphs *graphs = recordingOf(ctx))
    return graphs->wait(stream, event);
  check(driver().cuStreamWaitEvent(on, known, CU_EVENT_WAIT_DEFAULT),
        "the wait for an event");
}

void backend::beginEntry(pcc_context *ctx, pcc_step_fn entry) {
  noteEntry(entry);
  const Rank &rank = stateOf(ctx);
  if (rank.graphs)
    rank.graphs->beginEntry();
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
