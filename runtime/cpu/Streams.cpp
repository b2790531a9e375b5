//===- Streams.cpp - Streams and events of compiled code ------------------===//
//
// An event stands for a number of requests of a stream: a record notes how many
// the stream has been given, a wait for it is over when so many are done. On
// the compute stream all is done when it is issued.
//
//===----------------------------------------------------------------------===//

#include "runtime/Runtime.h"
#include "runtime/cpu/Context.h"
#include "runtime/cpu/Delays.h"
#include "runtime/cpu/Traffic.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Trace.h"

using namespace pcc;

static StreamState &stateOf(pcc_context *ctx, int32_t stream) {
  if (stream < 0)
    fail(ExitInternal, format("the program names a stream %d", stream));
  if (static_cast<size_t>(stream) >= ctx->streams.size())
    ctx->streams.resize(stream + 1);
  std::unique_ptr<StreamState> &state = ctx->streams[stream];
  if (!state)
    state = std::make_unique<StreamState>();
  return *state;
}

void pcc::issueOn(pcc_context *ctx, int32_t stream,
                  std::unique_ptr<Request> request, int64_t bytes) {
  StreamState &state = stateOf(ctx, stream);
  bool isNew = state.stream.recorded().count == 0;
  if (isNew && stream != PCC_COMPUTE_STREAM)
    nameTrack(trackOf(stream), format("stream %d,", stream) + request->detail);
  request->stream = stream;
  request->bytes = bytes;
  request->delay = delayOf(request->name, request->detail, bytes);
  request->waits = std::move(state.waits);
  state.waits.clear();
  if (stream != PCC_COMPUTE_STREAM)
    return communication::issue(state.stream, std::move(request));
  Operation operation(request->name, Doing::Waits, request->detail);
  communication::run(state.stream, std::move(request));
}

void pcc_record(pcc_context *ctx, int32_t stream, int32_t event) {
  if (event < 0)
    fail(ExitInternal, format("the program names an event %d", event));
  if (static_cast<size_t>(event) >= ctx->events.size())
    ctx->events.resize(event + 1);
  if (stream == PCC_COMPUTE_STREAM) {
    ctx->events[event] = Event();
    return;
  }
  StreamState &state = stateOf(ctx, stream);
  if (!state.waits.empty()) {
    // What the stream waits for is before the record, though nothing follows.
    auto nothing = std::make_unique<Request>();
    nothing->name = state.waits.back().name;
    nothing->detail = state.waits.back().detail;
    nothing->pieces = 0;
    nothing->waits = std::move(state.waits);
    state.waits.clear();
    communication::issue(state.stream, std::move(nothing));
  }
  ctx->events[event] = state.stream.recorded();
}

void pcc_wait(pcc_context *ctx, int32_t stream, int32_t event) {
  if (event < 0 || static_cast<size_t>(event) >= ctx->events.size() ||
      !ctx->events[event])
    fail(ExitInternal,
         format("the program waits for event %d, which was not recorded",
                event));
  const Event &recorded = *ctx->events[event];
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
