//===- RankConnections.cpp - Connections of all ranks with rank 0 ---------===//
//
// Each rank sends its endpoint (processes, host and addresses) to rank 0 by a
// control message. Rank 0 chooses where to listen and broadcasts the addresses
// with a secret. Each rank connects, sends the secret and its number, and
// receives an answer.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/RankConnections.h"

#include "runtime/Backend.h"
#include "runtime/launch/Interfaces.h"
#include "runtime/launch/Listener.h"
#include "runtime/launch/Machine.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Hash.h"

#include <cstring>
#include <optional>
#include <unistd.h>

using namespace pcc;

namespace {
/// The process and the addresses of a rank.
struct Endpoint {
  uint64_t processes; ///< hash of its pid namespace
  int32_t pid;
  char host[64];
  HostAddresses addresses;
};

/// The addresses where rank 0 listens, and a secret for the ranks of this run.
struct Invitation {
  Secret secret;
  int32_t count;
  uint16_t ports[HostAddresses::greatestCount];
  in_addr_t hosts[HostAddresses::greatestCount];
};

struct Answer {
  int32_t order, pid;
  uint64_t processes;
  char host[64];
};
} // namespace

static uint64_t hashOf(const std::string &text) {
  return fnv1a(text.data(), text.size());
}

static Endpoint ownEndpoint() {
  Endpoint endpoint = {};
  endpoint.processes = hashOf(namespaceId("pid"));
  endpoint.pid = getpid();
  strncpy(endpoint.host, hostName().c_str(), sizeof(endpoint.host) - 1);
  endpoint.addresses = ownHostAddresses();
  return endpoint;
}

/// Makes rank 0 listen.
static void startListening(const std::vector<Endpoint> &endpoints,
                           Listener &listener, Invitation &invitation) {
  std::vector<HostAddresses> addresses;
  for (const Endpoint &endpoint : endpoints)
    addresses.push_back(endpoint.addresses);
  for (in_addr_t host : chooseListeningAddresses(addresses)) {
    uint16_t port = listener.listenAt(host, 0);
    if (!port)
      continue;
    invitation.ports[invitation.count] = port;
    invitation.hosts[invitation.count++] = host;
  }
}

static std::vector<Peer> peersOf(const std::vector<Endpoint> &endpoints) {
  std::vector<Peer> peers;
  for (const Endpoint &endpoint : endpoints)
    peers.push_back({-1, endpoint.pid, endpoint.host, endpoint.processes});
  return peers;
}

/// The description of rank 0 for `rank`.
static Answer answerTo(int rank, const std::vector<Peer> &peers) {
  Answer answer = {};
  answer.pid = peers[0].pid;
  answer.processes = peers[0].processes;
  strncpy(answer.host, peers[0].host.c_str(), sizeof(answer.host) - 1);
  auto isNear = [&](int other) {
    return peers[other].processes == peers[0].processes;
  };
  for (int other = 1; other < static_cast<int>(peers.size()); ++other)
    answer.order +=
        isNear(other) == isNear(rank) ? other < rank : isNear(other);
  return answer;
}

/// Accepts the connections of all other ranks; false if some do not connect.
static bool acceptRanks(Listener &listener, std::vector<Peer> &peers) {
  for (size_t missing = peers.size() - 1; missing > 0;) {
    AcceptedRank accepted = listener.next(steadyNow() + connectTimeout);
    if (accepted.rank < 0)
      return false;
    Answer answer = answerTo(accepted.rank, peers);
    if (accepted.rank == 0 || peers[accepted.rank].socket >= 0 ||
        !sendWhole(accepted.socket, &answer, sizeof(answer))) {
      close(accepted.socket);
      continue;
    }
    limitUnacknowledged(accepted.socket);
    peers[accepted.rank].socket = accepted.socket;
    --missing;
  }
  return true;
}

static bool connectRankZero(const Invitation &invitation,
                            RankConnections &connections) {
  Hello hello = {invitation.secret, backend::rank()};
  double deadline = steadyNow() + connectTimeout;
  while (invitation.count > 0 && steadyNow() < deadline) {
    for (int i = 0; i < invitation.count; ++i) {
      Answer answer = {};
      int socket = connectTo(invitation.hosts[i], invitation.ports[i], hello,
                             &answer, sizeof(answer), deadline);
      if (socket < 0)
        continue;
      limitUnacknowledged(socket);
      answer.host[sizeof(answer.host) - 1] = 0;
      connections.peers = {{socket, answer.pid, answer.host, answer.processes}};
      connections.order = answer.order;
      return true;
    }
    usleep(50000);
  }
  return false;
}

RankConnections pcc::connectRanks() {
  RankConnections connections;
  Invitation invitation = {};
  bool first = backend::rank() == 0;
  std::optional<Listener> listener;
  Endpoint endpoint = ownEndpoint();
  connections.processes = endpoint.processes;
  if (first) {
    std::vector<Endpoint> endpoints = {endpoint};
    for (int rank = 1; rank < backend::size(); ++rank) {
      endpoints.emplace_back();
      backend::receive(&endpoints.back(), sizeof(Endpoint), rank);
    }
    invitation.secret = newSecret();
    listener.emplace(invitation.secret, backend::size());
    startListening(endpoints, *listener, invitation);
    connections.peers = peersOf(endpoints);
  } else {
    backend::send(&endpoint, sizeof(endpoint), 0);
  }
  backend::broadcast(&invitation, sizeof(invitation), 0);
  bool isConnected = first ? acceptRanks(*listener, connections.peers)
                           : connectRankZero(invitation, connections);
  listener.reset();
  if (backend::maxOverRanks(!isConnected)) {
    for (const Peer &peer : connections.peers)
      if (peer.socket >= 0)
        close(peer.socket);
    connections.peers.clear();
  }
  return connections;
}
