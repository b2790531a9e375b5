//===- StatusBoard.h - What became of each rank -----------------*- C++ -*-===//
//
// A run that starts its own ranks shares a small file with them, so that the
// parent can tell which rank was lost and with which code a rank gave up,
// whatever the launcher in between makes of it.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_STATUSBOARD_H
#define PCC_RUNTIME_LAUNCH_STATUSBOARD_H

#include <string>
#include <vector>

namespace pcc {

/// Makes the board for `ranks` ranks in the job's folder and names it in the
/// environment of the processes started from here on, by the entry
/// "NAME=value" that it returns.
std::string createStatusBoard(const std::string &folder, int ranks);

/// The folder of the job that started this process; "" for none.
std::string jobFolder();

/// Called by a rank at its start; without a board in the environment, this
/// and the functions below do nothing.
void joinStatusBoard(int rank);
/// This rank and all others have found each other.
void statusJoined();
/// This rank gives up with an exit code, which it has explained; the first of
/// all ranks to do so decides the run's.
void statusFailed(int code);
/// This rank is done.
void statusDone();
/// Safe in a signal handler: this rank was told to end, it is not the cause.
void statusTerminated();
/// For whoever starts the ranks: it ends this one, which is not the cause.
void statusEnded(int rank);
/// The signal by which the user asked the parent for an end, or 0.
int statusAskedToStop();

/// For the parent: the code of the first rank that failed, or 0.
int firstFailure();
/// For the parent: ranks that started and neither ended, failed nor were told
/// to end.
struct LostRank {
  /// Its number, and its process on this host.
  int rank, pid;
};
/// The lost ranks, in their order.
std::vector<LostRank> lostRanks();
/// For the parent: how many ranks ever started, how many have joined, and
/// whether nothing is left to do, for all are done or one has failed.
int startedRanks();
/// Those that called statusJoined().
int joinedRanks();
/// True also where ranks that are done have not exited yet.
bool isJobOver();
/// For the parent: asks all ranks for an end, also those that start later.
void askToStop(int signal);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_STATUSBOARD_H
