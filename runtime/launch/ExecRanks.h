//===- ExecRanks.h - Starts local ranks -------------------------*- C++ -*-===//
//
// A child process of the manually started program starts the ranks, waits for
// them, and ends the others when one fails. Each rank is a new exec of this
// executable, since the state of a device's driver does not survive a fork.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_EXECRANKS_H
#define PCC_RUNTIME_LAUNCH_EXECRANKS_H

#include "runtime/launch/Listener.h"

#include <cstdint>
#include <string>

namespace pcc {

/// The rendezvous of such ranks: rank 0's address on the loopback.
struct ExecRendezvous {
  Secret secret = {}; ///< of its listener
  /// On rank 0 the socket that has been listening since before any rank
  /// started; else -1.
  int listener = -1;
  uint16_t port = 0; ///< in host byte order
};

/// Reads the address from the environment, in a rank that was started this way.
/// Exits with ExitInternal if it is not there.
ExecRendezvous takeExecRendezvous(bool isFirst);

/// Executes `self` again as the process that starts so many ranks. Called in a
/// child of the manually started program. The processes of a job are recognized
/// by their environment, and only an exec gives this process the new one.
[[noreturn]] void becomeStarter(int64_t ranks, char **argv,
                                const std::string &self);

/// Whether this process is that one.
bool isStarter();
/// Starts the ranks and waits for them. Exits with the code of the first rank
/// that fails, 128 + n if signal n killed it.
[[noreturn]] void runStarter(char **argv);

/// Whether ranks of a host may share a device, for tests: the environment
/// variable PCC_SHARE_DEVICES.
bool sharesDevices();

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_EXECRANKS_H
