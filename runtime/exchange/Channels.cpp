//===- Channels.cpp - The connections of a rank ---------------------------===//
//
// Rank 0 listens as described in Rendezvous.h. Each connected rank sends its
// endpoint, where it listens itself. When all have connected, rank 0 sends all
// endpoints to all ranks, with a new secret for later connections.
//
//===----------------------------------------------------------------------===//

#include "runtime/exchange/Channels.h"

#include "runtime/exchange/Rendezvous.h"
#include "runtime/launch/Interfaces.h"
#include "runtime/support/Clock.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <limits>
#include <sys/socket.h>
#include <unistd.h>

using namespace pcc;

/// The endpoint of a rank.
struct Channels::Endpoint {
  uint64_t network = 0; ///< a hash of its network namespace
  in_addr_t host = 0;   ///< network byte order, as the port
  uint16_t port = 0;
  cpu_set_t cores = {}; ///< on which it may run
};

namespace {
/// Precedes each message.
struct Header {
  MessageKind kind;
  uint32_t reserved;
  int64_t bytes;
};

enum class Direction { Sends, Receives };
} // namespace

int64_t exchange::greatestPiece = int64_t{1} << 30;

static const double forever = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Ends this rank because a connection broke. The heartbeat connection, the
/// parent or the launcher knows more about the cause and usually ends this
/// process first.
[[noreturn]] static void lose(int rank, const char *why) {
  const useconds_t moment = 5000000;
  usleep(moment);
  fail(ExitCommunication,
       format("the connection with rank %d was lost: %s", rank, why));
}

/// Transfers all bytes through a nonblocking socket. Returns false if the
/// connection is lost, with errno set or, if the other side closed it, 0.
static bool move(Direction direction, int socket, char *data, int64_t bytes) {
  while (bytes > 0) {
    auto most = static_cast<size_t>(std::min(bytes, exchange::greatestPiece));
    bool sends = direction == Direction::Sends;
    ssize_t n = sends ? ::send(socket, data, most, MSG_NOSIGNAL)
                      : recv(socket, data, most, 0);
    if (n > 0) {
      data += n;
      bytes -= n;
      advanceCommunication();
    } else if (n == 0) {
      errno = 0;
      return false;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      std::vector<pollfd> entries = {
          {socket, static_cast<short>(sends ? POLLOUT : POLLIN), 0}};
      pollUntil(entries, forever);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

static void moveAll(Direction direction, int rank, int socket, void *data,
                    int64_t bytes) {
  if (!move(direction, socket, static_cast<char *>(data), bytes))
    lose(rank, errno ? strerror(errno) : "it was closed");
}

void Channels::send(int to, MessageKind kind, const void *data, int64_t bytes) {
  int socket = socketTo(to);
  Header header = {kind, 0, bytes};
  moveAll(Direction::Sends, to, socket, &header, sizeof(header));
  moveAll(Direction::Sends, to, socket, const_cast<void *>(data), bytes);
}

void Channels::receive(int from, MessageKind kind, void *data, int64_t bytes) {
  int socket = socketFrom(from);
  Header header;
  moveAll(Direction::Receives, from, socket, &header, sizeof(header));
  if (header.kind != kind || header.bytes != bytes)
    fail(ExitInternal,
         format(
             "rank %d sent message kind %d of %lld bytes, but rank %d expects "
             "kind %d of %lld",
             from, static_cast<int>(header.kind),
             static_cast<long long>(header.bytes), own, static_cast<int>(kind),
             static_cast<long long>(bytes)));
  moveAll(Direction::Receives, from, socket, data, bytes);
}

//===----------------------------------------------------------------------===//
// Connections
//===----------------------------------------------------------------------===//

int Channels::socketTo(int rank) {
  if (out[rank] < 0) {
    // The other side's system queues the connection and its data until that
    // rank accepts it.
    Hello hello = {secret, own};
    out[rank] = connectTo(hosts[rank], ports[rank], hello, nullptr, 0,
                          steadyNow() + connectTimeout);
    if (out[rank] < 0)
      lose(rank, "it does not accept a connection from this rank");
  }
  return out[rank];
}

int Channels::socketFrom(int rank) {
  while (in[rank] < 0) {
    AcceptedRank accepted = listener->next(forever);
    if (accepted.rank < 0)
      fail(ExitInternal, format("rank %d has no listener", own));
    if (accepted.rank == own || in[accepted.rank] >= 0)
      close(accepted.socket);
    else
      in[accepted.rank] = accepted.socket;
  }
  return in[rank];
}

/// Returns " for ranks 1, 2, 5", with at most eight numbers and a count of the
/// others.
static const char *missingText(const std::vector<int> &sockets) {
  std::string text;
  int count = 0;
  for (size_t rank = 1; rank < sockets.size(); ++rank)
    if (sockets[rank] < 0 && ++count <= 8)
      text += (count > 1 ? ", " : " ") + std::to_string(rank);
  if (count > 8)
    text += format(" and %d others", count - 8);
  // Never freed: other threads read it as this rank's progress.
  return strdup(((count == 1 ? " for rank" : " for ranks") + text).c_str());
}

static sockaddr_in addressOf(int socket,
                             int (*read)(int, sockaddr *, socklen_t *)) {
  sockaddr_in address = {};
  socklen_t length = sizeof(address);
  read(socket, reinterpret_cast<sockaddr *>(&address), &length);
  return address;
}

static std::string textOf(in_addr_t host) {
  char text[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, &host, text, sizeof(text));
  return text;
}

static std::string textOf(const std::vector<in_addr_t> &hosts) {
  std::string text;
  for (in_addr_t host : hosts)
    text += (text.empty() ? "" : ", ") + textOf(host);
  return text;
}

/// Makes rank 0 listen.
static void startListening(const Rendezvous &rendezvous, Listener &listener) {
  for (int socket : rendezvous.listeners)
    listener.listenAt(socket);
  if (listener.isOpen())
    return;
  int error = 0;
  std::vector<in_addr_t> hosts = listeningAddresses(rendezvous);
  for (in_addr_t host : hosts) {
    uint16_t port = 0;
    for (size_t i = 0; i < rendezvous.ports.size() && !port; ++i)
      port = listener.listenAt(host, htons(rendezvous.ports[i]));
    error = port ? error : errno;
  }
  if (!listener.isOpen())
    fail(ExitWorld,
         format("rank 0 cannot listen for the others at %s, port %d: %s",
                textOf(hosts).c_str(), rendezvous.ports.front(),
                strerror(error)),
         "PCC_EXCHANGE=HOST:PORT names another one");
}

void Channels::acceptRanks(const Rendezvous &rendezvous) {
  Listener first(rendezvous.secret, size());
  startListening(rendezvous, first);
  std::vector<Endpoint> endpoints(size());
  endpoints[0].network = ownNetwork();
  endpoints[0].cores = exchange::ownCores();
  for (int missing = size() - 1; missing > 0;) {
    Operation operation("wait", Activity::Waits, missingText(in));
    AcceptedRank accepted = first.next(forever);
    char yes = 1;
    Header header;
    Endpoint endpoint;
    // A rank whose connection broke connects again and then sends its endpoint.
    bool isGood = accepted.rank > 0 && in[accepted.rank] < 0 &&
                  sendWhole(accepted.socket, &yes, 1) &&
                  move(Direction::Receives, accepted.socket,
                       reinterpret_cast<char *>(&header), sizeof(header)) &&
                  header.kind == MessageKind::Endpoint &&
                  header.bytes == sizeof(endpoint) &&
                  move(Direction::Receives, accepted.socket,
                       reinterpret_cast<char *>(&endpoint), sizeof(endpoint));
    if (!isGood) {
      close(accepted.socket);
      continue;
    }
    endpoint.host = addressOf(accepted.socket, getpeername).sin_addr.s_addr;
    endpoints[accepted.rank] = endpoint;
    in[accepted.rank] = out[accepted.rank] = accepted.socket;
    --missing;
  }
  secret = newSecret();
  for (int rank = 1; rank < size(); ++rank) {
    send(rank, MessageKind::Table, &secret, sizeof(secret));
    send(rank, MessageKind::Table, endpoints.data(),
         static_cast<int64_t>(endpoints.size() * sizeof(Endpoint)));
  }
  takeTable(endpoints);
}

[[noreturn]] static void failUnreachable(const Rendezvous &rendezvous) {
  fail(ExitCommunication,
       format("rank 0 did not answer within %g s at %s, port %d",
              rendezvous.patience, textOf(rendezvous.hosts).c_str(),
              rendezvous.ports.front()),
       "the hosts need TCP over IPv4 between any ports, for control messages");
}

/// Rank 0 may not listen yet, and another program may use one of the ports.
static int connectUntilAccepted(const Rendezvous &rendezvous,
                                const Hello &hello) {
  const useconds_t pause = 50000;
  double deadline = steadyNow() + rendezvous.patience;
  while (true) {
    for (in_addr_t host : rendezvous.hosts)
      for (uint16_t port : rendezvous.ports) {
        char yes = 0;
        int socket = connectTo(host, htons(port), hello, &yes, 1,
                               steadyNow() + connectTimeout);
        if (socket >= 0)
          return socket;
      }
    if (steadyNow() > deadline)
      failUnreachable(rendezvous);
    usleep(pause);
  }
}

void Channels::findRankZero(const Rendezvous &rendezvous) {
  Operation operation("wait", Activity::Waits, " for rank 0");
  in[0] = out[0] = connectUntilAccepted(rendezvous, {rendezvous.secret, own});
  Endpoint endpoint;
  endpoint.network = ownNetwork();
  endpoint.cores = exchange::ownCores();
  endpoint.host = addressOf(in[0], getsockname).sin_addr.s_addr;
  // The secret of later connections is not known yet, to the connecting ranks
  // either.
  listener = std::make_unique<Listener>(Secret(), size());
  endpoint.port = listener->listenAt(endpoint.host, 0);
  if (!endpoint.port)
    fail(ExitCommunication,
         format("this rank cannot listen at %s: %s",
                textOf(endpoint.host).c_str(), strerror(errno)));
  send(0, MessageKind::Endpoint, &endpoint, sizeof(endpoint));
  std::vector<Endpoint> endpoints(size());
  receive(0, MessageKind::Table, &secret, sizeof(secret));
  receive(0, MessageKind::Table, endpoints.data(),
          static_cast<int64_t>(endpoints.size() * sizeof(Endpoint)));
  listener->setSecret(secret);
  takeTable(endpoints);
}

void Channels::takeTable(const std::vector<Endpoint> &endpoints) {
  near = {0, {}, {}};
  for (int rank = 0; rank < size(); ++rank) {
    hosts.push_back(endpoints[rank].host);
    ports.push_back(endpoints[rank].port);
    bool isNear = endpoints[rank].network == endpoints[own].network;
    near.index += isNear && rank < own;
    if (!isNear)
      continue;
    near.ranks.push_back(rank);
    near.cores.push_back(endpoints[rank].cores);
  }
}

Channels::Channels(const Launch &launch, const Rendezvous &rendezvous)
    : own(launch.rank), in(launch.size, -1), out(launch.size, -1) {
  if (own == 0)
    acceptRanks(rendezvous);
  else
    findRankZero(rendezvous);
}

Channels::~Channels() {
  for (int rank = 0; rank < size(); ++rank) {
    if (in[rank] >= 0)
      close(in[rank]);
    if (out[rank] >= 0 && out[rank] != in[rank])
      close(out[rank]);
  }
}
