//===- Rendezvous.h - Where ranks without MPI find rank 0 -------*- C++ -*-===//
//
// A launcher tells each rank its number, but not where rank 0 is. That is put
// together from what all ranks see alike in their environment:
//
//   started here  the parent listens ahead of its ranks; rank 0 inherits the
//                 socket, the others its port and a secret
//   torchrun      MASTER_ADDR, and behind MASTER_PORT, where its agent listens
//   srun          the first host of the step
//   mpirun        the host that mpirun runs on
//   all           PCC_EXCHANGE=HOST or HOST:PORT, where the user knows better
//
// Ranks of one host meet on its loopback. Where no port is given, some are
// drawn by the job's own names: rank 0 listens at the first that is free, and
// the others knock at each until one of them is answered.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_EXCHANGE_RENDEZVOUS_H
#define PCC_RUNTIME_EXCHANGE_RENDEZVOUS_H

#include "runtime/launch/Door.h"
#include "runtime/launch/Launch.h"

#include <string>
#include <vector>

namespace pcc {

/// How a rank finds rank 0, or how rank 0 is found.
struct Rendezvous {
  /// What only the ranks know, or at least nobody says by accident.
  Secret secret = {};
  /// On rank 0, a socket that listens already; else -1.
  int listener = -1;
  /// The addresses of rank 0, in network byte order, and the ports in question,
  /// in host byte order.
  std::vector<in_addr_t> hosts;
  std::vector<uint16_t> ports;
  /// What they came from, for messages: "MASTER_ADDR 'node1'".
  std::string source;
  /// Rank 0 may be elsewhere: a host was taken for its own.
  bool isGuess = false;
};

/// Reads the environment; exits with ExitWorld, and says what to set, where it
/// does not tell.
Rendezvous findRendezvous(const Launch &launch);

/// The addresses that rank 0 listens at: its own of those at which the others
/// look for it. Where it has none of them, all of its own; or it exits with
/// ExitWorld, for they look on another host.
std::vector<in_addr_t> listeningAddresses(const Rendezvous &rendezvous);

/// The first host of Slurm's list: "gpu03" of "gpu[03-05,9],cpu1".
std::string firstHost(const std::string &list);

/// The IPv4 addresses of a text such as Open MPI's
/// "1.0;tcp://10.0.0.1,10.1.0.1:4000;tcp6://[::1]:4000".
std::vector<in_addr_t> addressesOfUri(const std::string &uri);

} // namespace pcc

#endif // PCC_RUNTIME_EXCHANGE_RENDEZVOUS_H
