//===- Listener.cpp - Authenticated connections of ranks ------------------===//

#include "runtime/launch/Listener.h"

#include "runtime/launch/Machine.h"
#include "runtime/support/Clock.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace pcc;

/// The maximum number of pending connections in addition to one per rank.
static const size_t maxPending = 64;

Secret pcc::newSecret() {
  Secret made;
  fillRandom(made.bytes, sizeof(made.bytes));
  return made;
}

void pcc::pollUntil(std::vector<pollfd> &entries, double deadline) {
  const double mostAtOnce = 3600;
  while (true) {
    double left = std::clamp(deadline - steadyNow(), 0.0, mostAtOnce);
    if (poll(entries.data(), entries.size(),
             static_cast<int>(left * 1000) + 1) >= 0 ||
        errno != EINTR)
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

static sockaddr_in addressOf(in_addr_t host, uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = port;
  address.sin_addr.s_addr = host;
  return address;
}

/// Enables keepalive probes, which find an idle host that vanished. Shorter
/// interruptions of the network are tolerated. Also sets TCP_NODELAY.
static void probeIdle(int socket) {
  int on = 1, idle = 20, interval = 10, count = 4;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void pcc::limitUnacknowledged(int socket) {
  int milliseconds = 60000;
  setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds,
             sizeof(milliseconds));
}

bool pcc::sendWhole(int socket, const void *bytes, size_t count) {
  return send(socket, bytes, count, MSG_NOSIGNAL) ==
         static_cast<ssize_t>(count);
}

Listener::~Listener() {
  for (int listener : listeners)
    close(listener);
  for (const PendingConnection &connection : pending)
    close(connection.socket);
}

int pcc::listenOn(in_addr_t host, uint16_t &port) {
  int listener = openSocket(), on = 1;
  sockaddr_in address = addressOf(host, port);
  socklen_t length = sizeof(address);
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  // Allows a port that another run has just released.
  if (port)
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (listener < 0 || bind(listener, generic, length) ||
      listen(listener, SOMAXCONN) || getsockname(listener, generic, &length)) {
    int error = errno;
    if (listener >= 0)
      close(listener);
    errno = error;
    return -1;
  }
  port = address.sin_port;
  return listener;
}

uint16_t Listener::listenAt(in_addr_t host, uint16_t port) {
  int listener = listenOn(host, port);
  if (listener < 0)
    return 0;
  listeners.push_back(listener);
  return port;
}

void Listener::listenAt(int listener) { listeners.push_back(listener); }

int Listener::readHello(PendingConnection &connection) const {
  const int more = -1, unauthenticated = -2;
  ssize_t n = recv(connection.socket, connection.hello + connection.bytes,
                   sizeof(connection.hello) - connection.bytes, 0);
  bool isLate = steadyNow() >= connection.deadline;
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return isLate ? unauthenticated : more;
  if (n <= 0)
    return unauthenticated;
  connection.bytes += n;
  if (connection.bytes < sizeof(Hello))
    return isLate ? unauthenticated : more;
  Hello hello;
  memcpy(&hello, connection.hello, sizeof(hello));
  // A comparison in constant time does not reveal how many bytes were right.
  unsigned char differs = 0;
  for (size_t i = 0; i < sizeof(secret.bytes); ++i)
    differs |= hello.secret.bytes[i] ^ secret.bytes[i];
  return !differs && hello.rank >= 0 && hello.rank < ranks ? hello.rank
                                                           : unauthenticated;
}

void Listener::acceptPending(int listener) {
  while (true) {
    int socket =
        accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0)
      return;
    // If there are too many, the oldest pending connection is closed; if it was
    // a rank's, the rank connects again.
    if (pending.size() >= ranks + maxPending) {
      close(pending.front().socket);
      pending.erase(pending.begin());
    }
    pending.push_back({socket, steadyNow() + stepTimeout});
  }
}

AcceptedRank Listener::next(double deadline) {
  while (isOpen()) {
    for (int listener : listeners)
      acceptPending(listener);
    AcceptedRank accepted;
    double wake = deadline;
    for (size_t i = 0; i < pending.size() && accepted.rank < 0;) {
      int said = readHello(pending[i]);
      if (said == -1) {
        wake = std::min(wake, pending[i++].deadline);
        continue;
      }
      if (said >= 0) {
        accepted = {said, pending[i].socket};
        probeIdle(accepted.socket);
      } else {
        close(pending[i].socket);
      }
      pending.erase(pending.begin() + static_cast<ptrdiff_t>(i));
    }
    if (accepted.rank >= 0 || steadyNow() >= deadline)
      return accepted;
    std::vector<pollfd> entries;
    for (int listener : listeners)
      entries.push_back({listener, POLLIN, 0});
    for (const PendingConnection &connection : pending)
      entries.push_back({connection.socket, POLLIN, 0});
    pollUntil(entries, wake);
  }
  return {};
}

/// Whether a socket is connected to itself. That can happen if nothing listens
/// at a local port in the system's range of ephemeral ports: the system may
/// choose that port for the connecting side.
static bool isItsOwnPeer(int socket) {
  sockaddr_in own = {}, peer = {};
  socklen_t length = sizeof(own);
  if (getsockname(socket, reinterpret_cast<sockaddr *>(&own), &length))
    return false;
  length = sizeof(peer);
  if (getpeername(socket, reinterpret_cast<sockaddr *>(&peer), &length))
    return false;
  return own.sin_addr.s_addr == peer.sin_addr.s_addr &&
         own.sin_port == peer.sin_port;
}

int pcc::connectTo(in_addr_t host, uint16_t port, const Hello &hello,
                   void *answer, size_t bytes, double deadline) {
  int socket = openSocket();
  if (socket < 0)
    return -1;
  sockaddr_in address = addressOf(host, port);
  connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof(address));
  // Only the listener of this run answers: the address may belong to another
  // host.
  if (waitFor(socket, POLLOUT, std::min(deadline, steadyNow() + stepTimeout)) &&
      !isItsOwnPeer(socket) && sendWhole(socket, &hello, sizeof(hello))) {
    size_t got = 0;
    while (got < bytes && waitFor(socket, POLLIN, deadline)) {
      ssize_t n =
          recv(socket, static_cast<char *>(answer) + got, bytes - got, 0);
      if (n <= 0)
        break;
      got += n;
    }
    if (got == bytes) {
      probeIdle(socket);
      return socket;
    }
  }
  close(socket);
  return -1;
}
