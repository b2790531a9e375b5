//===- Streams.h - Streams and events of compiled code ----------*- C++ -*-===//
//
// An event stands for a number of requests of a stream: a record notes how many
// the stream has been given, a wait for it is over when so many are done. What
// is said here is of all streams but that of computation, which is the
// target's: pcc_record, pcc_wait and issueOn are defined beside what computes.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_STREAMS_H
#define PCC_RUNTIME_CPU_STREAMS_H

#include "runtime/cpu/Context.h"

namespace pcc {

/// The state of a stream; makes it where it is new.
StreamState &stateOf(pcc_context *ctx, int32_t stream);

/// Tells a request on which stream it goes, and of what it waits for there.
void prepareRequest(pcc_context *ctx, int32_t stream, Request &request,
                    int64_t bytes);

/// The place of an event, which may be new.
std::optional<Event> &placeOf(pcc_context *ctx, int32_t event);
/// What a stream, not that of computation, was given so far.
Event recordedOn(pcc_context *ctx, int32_t stream);
/// What the last record of an event stands for; exits with ExitInternal where
/// there is none.
const Event &lastRecord(pcc_context *ctx, int32_t event);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_STREAMS_H
