//===- Rendezvous.h - How ranks find rank 0 ---------------------*- C++ -*-===//
//
// A launcher tells each rank its number, but not where rank 0 is. The address
// is derived from environment variables that are the same on all ranks:
//
//   self-started  the parent listens before it starts ranks; rank 0 inherits
//                 the socket, all ranks its port and a secret
//   torchrun      MASTER_ADDR and MASTER_PORT; the ports next to it if
//                 torchrun's agent listens there itself
//   srun          the first host of the step
//   mpirun        the host that mpirun runs on
//   launchers     PCC_EXCHANGE=HOST or HOST:PORT overrides theirs
//
// Ranks that communicate by MPI find each other by MPI instead
// (mpi/Transport.h).
//
// If all ranks are on one host, they use its loopback. If no port is given,
// several are derived from the job's identifiers. Rank 0 listens at the first
// free one, and the others try all of them until one is answered.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EXCHANGE_RENDEZVOUS_H
#define PCC_RUNTIME_EXCHANGE_RENDEZVOUS_H

#include "runtime/launch/Launch.h"
#include "runtime/launch/Listener.h"

#include <limits>
#include <string>
#include <vector>

namespace pcc {

/// The address of rank 0.
struct Rendezvous {
  /// A secret of the ranks, or at least a value that nobody sends by accident.
  Secret secret = {};
  /// On rank 0 the sockets that are listening already, if there are any.
  std::vector<int> listeners;
  /// The addresses of rank 0, in network byte order, and its possible ports, in
  /// host byte order.
  std::vector<in_addr_t> hosts;
  std::vector<uint16_t> ports;
  /// Seconds in which rank 0 must answer. It may not listen yet, for as long as
  /// the launcher takes to start it.
  double patience = std::numeric_limits<double>::infinity();
  /// The origin of the addresses, for messages: "MASTER_ADDR 'node1'".
  std::string source;
  /// Whether the host is a guess: rank 0 may run on another one.
  bool isGuess = false;
};

/// Reads the environment. Exits with ExitWorld if it does not name rank 0's
/// address, with a note on which variable to set.
Rendezvous findRendezvous(const Launch &launch);

/// The addresses at which rank 0 listens: those of `rendezvous` that are this
/// host's. If there are none, all of this host's addresses; or, if the host was
/// a guess, exits with ExitWorld, since the other ranks would look on another
/// host.
std::vector<in_addr_t> listeningAddresses(const Rendezvous &rendezvous);

/// The first host of Slurm's list: "gpu03" of "gpu[03-05,9],cpu1".
std::string firstHost(const std::string &list);

/// The IPv4 addresses in a URI such as Open MPI's
/// "1.0;tcp://10.0.0.1,10.1.0.1:4000;tcp6://[::1]:4000".
std::vector<in_addr_t> addressesOfUri(const std::string &uri);

} // namespace pcc

#endif // PCC_RUNTIME_EXCHANGE_RENDEZVOUS_H
