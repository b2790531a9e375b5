//===- ExecRanks.h - Ranks that are started without mpirun ------*- C++ -*-===//
//
// A child of the program that was started by hand is to its ranks what mpirun
// is to those that join by MPI: it starts them, waits for them, and when one
// fails ends the others. A rank is this executable anew (exec), since what a
// device's driver began does not survive a fork.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_EXECRANKS_H
#define PCC_RUNTIME_LAUNCH_EXECRANKS_H

#include "runtime/launch/Door.h"

#include <cstdint>
#include <string>

namespace pcc {

/// Where ranks that were started so find rank 0: on the loopback.
struct ExecMeeting {
  Secret secret = {}; ///< as of a Door
  /// On rank 0 the socket that has been listening since before any rank; else
  /// -1.
  int listener = -1;
  uint16_t port = 0; ///< in host byte order
};

/// For a rank that was started so; exits with ExitInternal where the
/// environment does not say it.
ExecMeeting takeExecMeeting(bool isFirst);

/// For a child of the program that was started by hand: becomes `self` anew, so
/// that the environment by which the processes of a job are known is its own,
/// as what starts so many ranks.
[[noreturn]] void becomeStarter(int64_t ranks, char **argv,
                                const std::string &self);

/// Whether this process became that.
bool isStarter();
/// Starts the ranks and waits for them. Ends with the code of the first that
/// fails, 128 + n for one killed by signal n.
[[noreturn]] void runStarter(char **argv);

/// Whether ranks of a host may have one device together: for tests, by the
/// environment variable PCC_SHARE_DEVICES.
bool sharesDevices();

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_EXECRANKS_H
