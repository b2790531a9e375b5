//===- Streams.h - What may be done while others compute --------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_STREAMS_H
#define PCC_PASSES_CODEGEN_LOWER_STREAMS_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"
#include <set>
#include <tuple>

namespace pcc {

/// Sender, receiver and channel of messages between stages.
using Way = std::tuple<int64_t, int64_t, int64_t>;

/// The ways of messages that are a part of an exchange on either side.
std::set<Way> findExchanged(mlir::ModuleOp module);

/// Puts the sends and receives of a stage's entry points on streams of their
/// own, one for each channel, other stage and direction, and bodies that do
/// nothing but communicate over the same axes, and add what they reduce to
/// sums, on one for these axes; one more is the host's. Exchanges, which wait
/// for each other, stay on the compute stream, and so does what goes the way of
/// one, `exchanged`.
void assignStreams(rt::StageOp stage, const std::set<Way> &exchanged);

/// Has the program list what collectives on other streams than the compute
/// stream communicate over.
void addCommunicators(rt::ProgramOp program);

/// Adds the events and waits that order the streams of a stage, which must have
/// none: an operation waits for what it needs of others, and at the end of an
/// entry point stream 0 waits for all streams. What uses memory between two
/// operations must be ordered with both by the planner, which runs afterwards.
/// Fails if a body has operations of several streams.
mlir::LogicalResult orderStreams(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_STREAMS_H
