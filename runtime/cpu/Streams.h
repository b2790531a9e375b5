//===- Streams.h - Streams and events of compiled code ----------*- C++ -*-===//
//
// An event stands for a number of requests of a stream: a record notes how many
// were issued, and a wait is complete when that many are. This file covers all
// streams except the compute stream, which depends on the target: pcc_record,
// pcc_wait and issueOn are defined in the target's Compute.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_STREAMS_H
#define PCC_RUNTIME_CPU_STREAMS_H

#include "runtime/cpu/Context.h"

namespace pcc {

/// The state of a stream, created on first use.
StreamState &stateOf(pcc_context *ctx, int32_t stream);

/// Sets a request's stream, its size, its delay, the events that it waits for
/// there and the node in its detail; notes it as the stream's last operation.
void prepareRequest(pcc_context *ctx, int32_t stream, Request &request,
                    int64_t bytes);

/// The entry of an event, created on first use.
std::optional<Event> &eventEntry(pcc_context *ctx, int32_t event);
/// An event for the requests issued so far on a stream other than the compute
/// stream.
Event recordedOn(pcc_context *ctx, int32_t stream);
/// The last record of an event; exits with ExitInternal if there is none.
const Event &lastRecord(pcc_context *ctx, int32_t event);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_STREAMS_H
