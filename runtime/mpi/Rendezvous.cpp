//===- Rendezvous.cpp - How ranks find rank 0 by MPI ----------------------===//

#include "runtime/launch/Interfaces.h"
#include "runtime/launch/Listener.h"
#include "runtime/mpi/Transport.h"
#include "runtime/support/Error.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <vector>

using namespace pcc;

namespace {
/// The addresses where rank 0 listens, and a secret for the ranks of this run.
struct Invitation {
  Secret secret;
  int32_t count;
  int32_t error; ///< if there are none: errno
  uint16_t ports[HostAddresses::greatestCount];
  in_addr_t hosts[HostAddresses::greatestCount];
};
} // namespace

static Invitation invite(const std::vector<HostAddresses> &processes,
                         std::vector<int> &listeners) {
  Invitation invitation = {};
  invitation.secret = newSecret();
  invitation.error = EADDRNOTAVAIL;
  for (in_addr_t host : chooseListeningAddresses(processes)) {
    uint16_t port = 0;
    int listener = listenOn(host, port);
    if (listener < 0) {
      invitation.error = errno;
      continue;
    }
    listeners.push_back(listener);
    invitation.ports[invitation.count] = ntohs(port);
    invitation.hosts[invitation.count++] = host;
  }
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
  for (int i = 0; i < invitation.count; ++i) {
    rendezvous.hosts.push_back(invitation.hosts[i]);
    rendezvous.ports.push_back(invitation.ports[i]);
  }
  rendezvous.source = "MPI";
  return rendezvous;
}
