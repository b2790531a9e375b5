//===- StatusBoard.h - The outcome of each rank -----------------*- C++ -*-===//
//
// A run that starts its own ranks shares some memory with them. It tells the
// parent which rank was lost and with which code a rank failed, independent of
// the process in between that starts the ranks.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_STATUSBOARD_H
#define PCC_RUNTIME_LAUNCH_STATUSBOARD_H

#include <string>
#include <vector>

namespace pcc {

/// Creates the board for `ranks` ranks in the job's memory.
void createStatusBoard(int ranks);

/// Called by a rank at its start. Without a job's memory, this and the
/// functions below do nothing.
void joinStatusBoard(int rank);
/// This rank and all others are connected.
void statusJoined();
/// This rank fails with an exit code and has printed the error; the first code
/// of all ranks decides the run's.
void statusFailed(int code);
/// This rank has completed its work.
void statusDone();
/// Safe in a signal handler: this rank was told to end and is not the cause.
void statusTerminated();
/// For the process that starts the ranks: it ends this rank, which is not the
/// cause.
void statusEnded(int rank);
/// The signal by which the user requested an end from the parent, or 0.
int statusAskedToStop();

/// For the parent: the code of the first rank that failed, or 0.
int firstFailure();
/// A rank that has started, has neither finished nor failed, and was not told
/// to end.
struct LostRank {
  /// Its number, and its process id on this host.
  int rank, pid;
};
/// For the parent: the lost ranks, in ascending order.
std::vector<LostRank> lostRanks();
/// For the parent: the number of ranks that have started.
int startedRanks();
/// The number of ranks that have joined, are done or have failed.
int joinedRanks();
/// Whether all ranks are done or one has failed; ranks that are done may not
/// have exited yet.
bool isJobOver();
/// For the parent: requests an end from all ranks, including those that start
/// later.
void askToStop(int signal);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_STATUSBOARD_H
