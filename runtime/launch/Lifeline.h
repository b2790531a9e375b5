//===- Lifeline.h - Ranks that notice each other's end ----------*- C++ -*-===//
//
// A rank that waits for a dead one in a collective waits for ever, and not
// every launcher ends the survivors. So every rank holds a connection to rank
// 0, whose closing says what MPI does not, and on which each tells the other
// side how far it is: a rank that stands still is noticed, too.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_LIFELINE_H
#define PCC_RUNTIME_LAUNCH_LIFELINE_H

#include <cstdint>

namespace pcc {

/// How holdLifeline() watches, and who else does.
struct LifelineOptions {
  /// Seconds without any progress after which the job ends with
  /// ExitCommunication, naming the rank to blame; 0: never.
  int64_t timeout = 600;
  /// Whether a parent process sees to ranks that die, and says more of them:
  /// see StatusBoard.h.
  bool hasParent = false;
  /// Whether the launcher waits for all ranks when one has ended with a code,
  /// as srun does.
  bool launcherWaits = false;
};

/// Connects to rank 0 and watches from then on; all ranks call it. The death of
/// a rank makes all others exit with ExitCommunication, one of them naming it.
/// Where the connections cannot be made, rank 0 warns and the run goes on.
void holdLifeline(const LifelineOptions &options);

/// Tells the others that this rank's end is intended: with code 0 that it is
/// done, otherwise that it gave up with this code and has said why.
void releaseLifeline(int code);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_LIFELINE_H
