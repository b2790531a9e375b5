//===- Meeting.cpp - Connections of all ranks with rank 0 -----------------===//
//
// Each rank sends its endpoint (processes, host and addresses) to rank 0 by a
// control message. Rank 0 chooses where to listen and broadcasts the addresses
// with a secret. Each rank connects, sends the secret and its number, and
// receives an answer.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Meeting.h"

#include "runtime/Backend.h"
#include "runtime/launch/Door.h"
#include "runtime/launch/Interfaces.h"
#include "runtime/launch/Machine.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Hash.h"

#include <arpa/inet.h>
#include <cstring>
#include <optional>
#include <unistd.h>

using namespace pcc;

namespace {
const int greatestAddresses = 16;

/// The process and the addresses of a rank.
struct Card {
  uint64_t network, processes; ///< hashes of namespaces
  int32_t pid, count;
  char host[64];
  Address addresses[greatestAddresses];
};

/// The addresses where rank 0 listens, and a secret for the ranks of this run.
struct Invitation {
  Secret secret;
  int32_t count;
  uint16_t ports[greatestAddresses];
  in_addr_t hosts[greatestAddresses];
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

static Card ownCard() {
  Card card = {};
  card.network = hashOf(namespaceId("net"));
  card.processes = hashOf(namespaceId("pid"));
  card.pid = getpid();
  strncpy(card.host, hostName().c_str(), sizeof(card.host) - 1);
  for (const Address &address : interfaceAddresses())
    if (card.count < greatestAddresses)
      card.addresses[card.count++] = address;
  return card;
}

/// The addresses where rank 0 listens.
static std::vector<Address> chooseAddresses(const std::vector<Card> &cards) {
  auto addressesOf = [](const Card &card) {
    return std::vector<Address>(card.addresses, card.addresses + card.count);
  };
  std::vector<std::vector<Address>> others;
  for (const Card &card : cards)
    if (card.network != cards[0].network)
      others.push_back(addressesOf(card));
  if (others.empty())
    return {{htonl(INADDR_LOOPBACK), 0}};
  return sharedAddresses(addressesOf(cards[0]), others);
}

/// Makes rank 0 listen.
static void invite(const std::vector<Card> &cards, Door &door,
                   Invitation &invitation) {
  for (const Address &host : chooseAddresses(cards)) {
    uint16_t port = door.listenAt(host.host, 0);
    if (!port)
      continue;
    invitation.ports[invitation.count] = port;
    invitation.hosts[invitation.count++] = host.host;
  }
}

static std::vector<Peer> peersOf(const std::vector<Card> &cards) {
  std::vector<Peer> peers;
  for (const Card &card : cards)
    peers.push_back({-1, card.pid, card.host, card.processes});
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
static bool acceptRanks(Door &door, std::vector<Peer> &peers) {
  for (size_t missing = peers.size() - 1; missing > 0;) {
    Arrival arrival = door.next(steadyNow() + greatPatience);
    if (arrival.rank < 0)
      return false;
    Answer answer = answerTo(arrival.rank, peers);
    if (arrival.rank == 0 || peers[arrival.rank].socket >= 0 ||
        !sendWhole(arrival.socket, &answer, sizeof(answer))) {
      close(arrival.socket);
      continue;
    }
    peers[arrival.rank].socket = arrival.socket;
    --missing;
  }
  return true;
}

static bool connectRankZero(const Invitation &invitation, Meeting &meeting) {
  Hello hello = {invitation.secret, backend::rank()};
  double deadline = steadyNow() + greatPatience;
  while (invitation.count > 0 && steadyNow() < deadline) {
    for (int i = 0; i < invitation.count; ++i) {
      Answer answer = {};
      int socket = knock(invitation.hosts[i], invitation.ports[i], hello,
                         &answer, sizeof(answer), deadline);
      if (socket < 0)
        continue;
      answer.host[sizeof(answer.host) - 1] = 0;
      meeting.peers = {{socket, answer.pid, answer.host, answer.processes}};
      meeting.order = answer.order;
      return true;
    }
    usleep(50000);
  }
  return false;
}

Meeting pcc::meet() {
  Meeting meeting;
  Invitation invitation = {};
  bool first = backend::rank() == 0;
  std::optional<Door> door;
  Card card = ownCard();
  meeting.processes = card.processes;
  if (first) {
    std::vector<Card> cards = {card};
    for (int rank = 1; rank < backend::size(); ++rank) {
      cards.emplace_back();
      backend::receive(&cards.back(), sizeof(Card), rank);
    }
    invitation.secret = newSecret();
    door.emplace(invitation.secret, backend::size());
    invite(cards, *door, invitation);
    meeting.peers = peersOf(cards);
  } else {
    backend::send(&card, sizeof(card), 0);
  }
  backend::broadcast(&invitation, sizeof(invitation), 0);
  bool met = first ? acceptRanks(*door, meeting.peers)
                   : connectRankZero(invitation, meeting);
  door.reset();
  if (backend::maxOverRanks(!met)) {
    for (const Peer &peer : meeting.peers)
      if (peer.socket >= 0)
        close(peer.socket);
    meeting.peers.clear();
  }
  return meeting;
}
