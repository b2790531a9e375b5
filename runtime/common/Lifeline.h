//===- Lifeline.h - Ranks that notice each other's death --------*- C++ -*-===//
//
// A rank that waits for a dead one in a collective waits for ever, and not
// every launcher ends the survivors. So every rank holds a connection to rank
// 0, whose closing says what MPI does not.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_COMMON_LIFELINE_H
#define PCC_RUNTIME_COMMON_LIFELINE_H

namespace pcc {

/// Connects to rank 0 and watches from then on; all ranks call it. The death of
/// a rank makes all others exit with ExitCommunication, one of them naming it.
/// Where the connections cannot be made, rank 0 warns and the run goes on.
void holdLifeline();

/// Tells the others that this rank's end is intended: with code 0 that it is
/// done, otherwise that it gave up with this code and has said why.
void releaseLifeline(int code);

} // namespace pcc

#endif // PCC_RUNTIME_COMMON_LIFELINE_H
