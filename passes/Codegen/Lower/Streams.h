//===- Streams.h - Stream assignment and synchronization --------*- C++ -*-===//

#ifndef PCC_PASSES_CODEGEN_LOWER_STREAMS_H
#define PCC_PASSES_CODEGEN_LOWER_STREAMS_H

#include "dialects/RT/RT.h"
#include "mlir/IR/BuiltinOps.h"
#include <set>
#include <tuple>

namespace pcc {

/// A point-to-point channel between stages: sender, receiver and channel
/// number.
using TransferChannel = std::tuple<int64_t, int64_t, int64_t>;

/// Returns the channels that an exchange uses on either side.
std::set<TransferChannel> findExchanged(mlir::ModuleOp module);

/// Assigns streams to the ops of a stage:
/// - Sends and receives of entry points get a stream for each channel, peer
///   stage and direction.
/// - Bodies that only communicate over the same axes, and add the results to
///   accumulators, get a stream for these axes.
/// - Fills by the host get one more stream.
/// Exchanges, whose send and receive wait for each other, stay on the compute
/// stream. So do sends and receives on the channels in `exchanged`, which
/// exchanges use.
void assignStreams(rt::StageOp stage,
                   const std::set<TransferChannel> &exchanged);

/// Lists in the program the axes of collectives on streams other than the
/// compute stream.
void addCommunicators(rt::ProgramOp program);

/// Adds the events and waits that order the streams of a stage, which must have
/// none. Each operation waits for its dependences on other streams. At the end
/// of an entry point, stream 0 waits for all streams. If the planner, which
/// runs afterwards, reuses a buffer's memory between two operations, it must
/// respect their order. Fails if a body has operations of several streams.
mlir::LogicalResult orderStreams(rt::StageOp stage);

} // namespace pcc

#endif // PCC_PASSES_CODEGEN_LOWER_STREAMS_H
