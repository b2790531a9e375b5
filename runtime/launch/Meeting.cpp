//===- Meeting.cpp - Connections of all ranks to rank 0 -------------------===//
//
// Each rank sends rank 0 its card by MPI: who it is, its addresses. Rank 0
// chooses where to listen, and broadcasts an invitation with a secret. A rank
// connects, shows the secret and its number, and is answered. Whoever connects
// without doing so is a stranger: rank 0 reads from all that have connected at
// once, and each has little time.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/Meeting.h"

#include "runtime/Backend.h"
#include "runtime/launch/Interfaces.h"
#include "runtime/launch/Machine.h"
#include "runtime/launch/Stall.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Hash.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace pcc;

namespace {
const int greatestAddresses = 16;

/// Who a rank is, and where.
struct Card {
  uint64_t network, processes; ///< hashes of namespaces
  int32_t pid, count;
  char host[64];
  Address addresses[greatestAddresses];
};

/// Where rank 0 listens, and a secret that only ranks of this run know.
struct Invitation {
  unsigned char token[16];
  int32_t count;
  uint16_t ports[greatestAddresses];
  in_addr_t hosts[greatestAddresses];
};

struct Hello {
  unsigned char token[16];
  int32_t rank;
};

struct Answer {
  int32_t order, pid;
  uint64_t processes;
  char host[64];
};

/// Somebody who has connected and not said yet who it is.
struct Guest {
  int socket;
  double deadline;
  size_t bytes = 0;
  char hello[sizeof(Hello)] = {};
};
} // namespace

/// Seconds for one step of a conversation, and until rank 0 and the ranks give
/// up when nobody comes or answers.
static const double patience = 3, greatPatience = 10;
/// Guests at once, beside the ranks.
static const size_t greatestGuests = 64;

/// poll() until `deadline`; signals do not end it.
static void pollUntil(std::vector<pollfd> &entries, double deadline) {
  while (true) {
    int left =
        static_cast<int>(std::max(0.0, deadline - steadyNow()) * 1000) + 1;
    if (poll(entries.data(), entries.size(), left) >= 0 || errno != EINTR)
      return;
  }
}

static bool waitFor(int socket, short events, double deadline) {
  std::vector<pollfd> entries = {{socket, events, 0}};
  pollUntil(entries, deadline);
  return entries[0].revents != 0;
}

static int openSocket() {
  return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// A host that vanishes closes nothing; probes, and answers that do not come,
/// tell within a minute. A network may fail for less.
static void probe(int socket) {
  int on = 1, idle = 20, interval = 10, count = 4, unanswered = 60000;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered,
             sizeof(unanswered));
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

template <typename T>
static bool sendWhole(int socket, const T &value) {
  // A few bytes, which fit the buffer of a new connection.
  return send(socket, &value, sizeof(value), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(sizeof(value));
}

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

/// Where rank 0 listens.
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

/// Listens on rank 0.
static std::vector<int> invite(const std::vector<Card> &cards,
                               Invitation &invitation) {
  std::vector<int> listeners;
  fillRandom(invitation.token, sizeof(invitation.token));
  for (const Address &host : chooseAddresses(cards)) {
    int listener = openSocket();
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = host.host;
    socklen_t length = sizeof(address);
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    if (listener < 0 || bind(listener, generic, length) ||
        listen(listener, SOMAXCONN) ||
        getsockname(listener, generic, &length)) {
      close(listener);
      continue;
    }
    listeners.push_back(listener);
    invitation.ports[invitation.count] = address.sin_port;
    invitation.hosts[invitation.count++] = host.host;
  }
  return listeners;
}

static std::vector<Peer> peersOf(const std::vector<Card> &cards) {
  std::vector<Peer> peers;
  for (const Card &card : cards)
    peers.push_back({-1, card.pid, card.host, card.processes});
  return peers;
}

/// What `rank` is told of rank 0.
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

/// What a guest has said: the number of its rank; 0 if there is more to come,
/// -1 for a stranger.
static int listenTo(Guest &guest, const Invitation &invitation) {
  ssize_t n = recv(guest.socket, guest.hello + guest.bytes,
                   sizeof(guest.hello) - guest.bytes, 0);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return steadyNow() < guest.deadline ? 0 : -1;
  if (n <= 0)
    return -1;
  guest.bytes += n;
  if (guest.bytes < sizeof(Hello))
    return steadyNow() < guest.deadline ? 0 : -1;
  Hello hello;
  memcpy(&hello, guest.hello, sizeof(hello));
  bool known = !memcmp(hello.token, invitation.token, sizeof(hello.token)) &&
               hello.rank > 0 && hello.rank < backend::size();
  return known ? hello.rank : -1;
}

/// Accepts all other ranks; false if some do not come.
static bool acceptRanks(const std::vector<int> &listeners,
                        const Invitation &invitation,
                        std::vector<Peer> &peers) {
  std::vector<Guest> guests;
  size_t missing = peers.size() - 1;
  double deadline = steadyNow() + greatPatience;
  while (missing > 0 && !listeners.empty() && steadyNow() < deadline) {
    std::vector<pollfd> entries;
    double wake = deadline;
    for (int listener : listeners)
      entries.push_back({listener, POLLIN, 0});
    for (const Guest &guest : guests) {
      entries.push_back({guest.socket, POLLIN, 0});
      wake = std::min(wake, guest.deadline);
    }
    pollUntil(entries, wake);

    std::vector<Guest> staying;
    for (Guest &guest : guests) {
      int rank = listenTo(guest, invitation);
      if (rank > 0 && peers[rank].socket < 0 &&
          sendWhole(guest.socket, answerTo(rank, peers))) {
        probe(guest.socket);
        peers[rank].socket = guest.socket;
        --missing;
        deadline = steadyNow() + greatPatience;
      } else if (rank == 0) {
        staying.push_back(guest);
      } else {
        close(guest.socket);
      }
    }
    guests = staying;
    for (int listener : listeners)
      while (true) {
        int socket =
            accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (socket < 0)
          break;
        // In a crowd the one that has been silent longest leaves; a rank that
        // this befalls comes again.
        if (guests.size() >= peers.size() + greatestGuests) {
          close(guests.front().socket);
          guests.erase(guests.begin());
        }
        guests.push_back({socket, steadyNow() + patience});
      }
  }
  for (const Guest &guest : guests)
    close(guest.socket);
  return missing == 0;
}

/// Connects to one of rank 0's addresses and is answered; else -1.
static int connectTo(in_addr_t host, uint16_t port, const Hello &hello,
                     double deadline, Answer &answer) {
  int socket = openSocket();
  if (socket < 0)
    return -1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = port;
  address.sin_addr.s_addr = host;
  connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof(address));
  // Only rank 0 of this run answers; the address may be another host's here.
  if (waitFor(socket, POLLOUT, std::min(deadline, steadyNow() + patience)) &&
      sendWhole(socket, hello)) {
    size_t bytes = 0;
    while (waitFor(socket, POLLIN, deadline)) {
      ssize_t n = recv(socket, reinterpret_cast<char *>(&answer) + bytes,
                       sizeof(answer) - bytes, 0);
      if (n <= 0)
        break;
      bytes += n;
      if (bytes < sizeof(answer))
        continue;
      probe(socket);
      return socket;
    }
  }
  close(socket);
  return -1;
}

static bool connectRankZero(const Invitation &invitation, Meeting &meeting) {
  Hello hello = {};
  memcpy(hello.token, invitation.token, sizeof(hello.token));
  hello.rank = backend::rank();
  double deadline = steadyNow() + greatPatience;
  while (invitation.count > 0 && steadyNow() < deadline) {
    for (int i = 0; i < invitation.count; ++i) {
      Answer answer = {};
      int socket = connectTo(invitation.hosts[i], invitation.ports[i], hello,
                             deadline, answer);
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
  std::vector<int> listeners;
  bool first = backend::rank() == 0;
  Card card = ownCard();
  meeting.processes = card.processes;
  if (first) {
    std::vector<Card> cards = {card};
    for (int rank = 1; rank < backend::size(); ++rank) {
      cards.emplace_back();
      backend::receive(&cards.back(), sizeof(Card), rank);
    }
    listeners = invite(cards, invitation);
    meeting.peers = peersOf(cards);
  } else {
    backend::send(&card, sizeof(card), 0);
  }
  backend::broadcast(&invitation, sizeof(invitation), 0);
  bool met = first ? acceptRanks(listeners, invitation, meeting.peers)
                   : connectRankZero(invitation, meeting);
  for (int listener : listeners)
    close(listener);
  if (backend::maxOverRanks(!met)) {
    for (const Peer &peer : meeting.peers)
      if (peer.socket >= 0)
        close(peer.socket);
    meeting.peers.clear();
  }
  return meeting;
}
