//===- Streams.cpp - Streams and events of compiled code ------------------===//

#include "runtime/cpu/Streams.h"

#include "runtime/Runtime.h"
#include "runtime/cpu/Delays.h"
#include "runtime/support/Error.h"
#include "runtime/support/LastOperations.h"
#include "runtime/telemetry/Trace.h"

#include <map>
#include <string>
#include <utility>

using namespace pcc;

StreamState &pcc::stateOf(pcc_context *ctx, int32_t stream) {
  if (stream < 0)
    fail(ExitInternal, format("the program names a stream %d", stream));
  if (static_cast<size_t>(stream) >= ctx->streams.size())
    ctx->streams.resize(stream + 1);
  std::unique_ptr<StreamState> &state = ctx->streams[stream];
  if (!state) {
    state = std::make_unique<StreamState>();
    if (ctx->begun.stream)
      state->waits.push_back(ctx->begun);
  }
  return *state;
}

void pcc_set_node(pcc_context *ctx, const char *node) { ctx->node = node; }

/// A detail followed by a node. Each combination is created once and kept.
static const char *withNode(const char *detail, const char *node) {
  if (!*node)
    return detail;
  static auto &all =
      *new std::map<std::pair<const char *, const char *>, std::string>;
  std::string &text = all[{detail, node}];
  if (text.empty())
    text = format("%s (%s)", detail, node);
  return text.c_str();
}

void pcc::prepareRequest(pcc_context *ctx, int32_t stream, Request &request,
                         int64_t bytes) {
  StreamState &state = stateOf(ctx, stream);
  bool isNew = state.stream.recorded().count == 0;
  if (isNew && stream != PCC_COMPUTE_STREAM)
    nameTrack(trackOf(stream), format("stream %d,", stream) + request.detail);
  request.stream = stream;
  request.bytes = bytes;
  request.delay = delayOf(request.name, request.detail, bytes);
  noteOperation(stream, request.name, request.detail, ctx->node);
  request.detail = withNode(request.detail, ctx->node);
  request.waits = std::move(state.waits);
  state.waits.clear();
}

std::optional<Event> &pcc::eventEntry(pcc_context *ctx, int32_t event) {
  if (event < 0)
    fail(ExitInternal, format("the program names an event %d", event));
  if (static_cast<size_t>(event) >= ctx->events.size())
    ctx->events.resize(event + 1);
  return ctx->events[event];
}

// There are no graphs: the operations are always issued.
int32_t pcc_graph_begin(pcc_context *, int32_t, int64_t, const char *) {
  return 1;
}
void pcc_graph_end(pcc_context *, int32_t) {}

Event pcc::recordedOn(pcc_context *ctx, int32_t stream) {
  StreamState &state = stateOf(ctx, stream);
  if (!state.waits.empty()) {
    // Pending waits of the stream belong to the record, even if no request
    // follows.
    auto nothing = std::make_unique<Request>();
    nothing->name = state.waits.back().name;
    nothing->detail = state.waits.back().detail;
    nothing->pieces = 0;
    nothing->waits = std::move(state.waits);
    state.waits.clear();
    communication::issue(state.stream, std::move(nothing));
  }
  return state.stream.recorded();
}

const Event &pcc::lastRecord(pcc_context *ctx, int32_t event) {
  if (event < 0 || static_cast<size_t>(event) >= ctx->events.size() ||
      !ctx->events[event])
    fail(ExitInternal,
         format("the program waits for event %d, which was not recorded",
                event));
  return *ctx->events[event];
}
