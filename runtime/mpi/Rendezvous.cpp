//===- Rendezvous.cpp - How ranks find rank 0 by MPI ----------------------===//

#include "runtime/launch/Interfaces.h"
#include "runtime/launch/Listener.h"
#include "runtime/mpi/Transport.h"
#include "runtime/support/Error.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

using namespace pcc;

namespace {
/// The addresses where rank 0 listens, and a secret for the ranks of this run.
struct Invitation {
  Secret secret;
  int32_t count;
  int32_t error; ///< if there are none: errno
  uint16_t port; ///< at all of them
  in_addr_t hosts[HostAddresses::greatestCount];
};
} // namespace

/// Listens at a free port of each address. Returns false if another process
/// uses that port at one of them.
static bool listenAtOnePort(const std::vector<in_addr_t> &hosts,
                            std::vector<int> &listeners,
                            Invitation &invitation) {
  uint16_t port = 0;
  for (in_addr_t host : hosts) {
    int listener = listenOn(host, port);
    if (listener >= 0) {
      listeners.push_back(listener);
      invitation.hosts[invitation.count++] = host;
      continue;
    }
    invitation.error = errno;
    if (errno != EADDRINUSE)
      continue;
    for (int open : listeners)
      close(open);
    listeners.clear();
    invitation.count = 0;
    return false;
  }
  invitation.port = ntohs(port);
  return true;
}

static Invitation invite(const std::vector<HostAddresses> &processes,
                         std::vector<int> &listeners) {
  Invitation invitation = {};
  invitation.secret = newSecret();
  invitation.error = EADDRNOTAVAIL;
  std::vector<in_addr_t> hosts = chooseListeningAddresses(processes);
  const int tries = 16;
  for (int i = 0; i < tries; ++i)
    if (listenAtOnePort(hosts, listeners, invitation))
      break;
  return invitation;
}

Rendezvous mpi::findRendezvous(const Launch &launch) {
  const Library &mpi = library();
  int rank = 0, size = 1;
  mpi.Comm_rank(mpi.world, &rank);
  mpi.Comm_size(mpi.world, &size);
  if (rank != launch.rank || size != launch.size)
    fail(ExitWorld,
         format("MPI numbers this process as rank %d of %d, but %s is %d", rank,
                size, launch.rankVariable, launch.rank));
  HostAddresses own = ownHostAddresses();
  std::vector<HostAddresses> all(rank == 0 ? size : 0);
  check(mpi.Gather(&own, sizeof(own), mpi.byte, all.data(), sizeof(own),
                   mpi.byte, 0, mpi.world),
        "finding rank 0");
  Rendezvous rendezvous;
  Invitation invitation = {};
  if (rank == 0)
    invitation = invite(all, rendezvous.listeners);
  check(mpi.Bcast(&invitation, sizeof(invitation), mpi.byte, 0, mpi.world),
        "finding rank 0");
  if (invitation.count == 0)
    fail(ExitCommunication,
         format("rank 0 cannot listen for the other ranks: %s",
                strerror(invitation.error)));
  rendezvous.secret = invitation.secret;
  rendezvous.hosts.assign(invitation.hosts,
                          invitation.hosts + invitation.count);
  rendezvous.ports = {invitation.port};
  rendezvous.source = "MPI";
  rendezvous.patience = 60;
  return rendezvous;
}
