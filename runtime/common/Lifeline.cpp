//===- Lifeline.cpp - Ranks that notice each other's death ----------------===//

#include "runtime/common/Lifeline.h"

#include "runtime/common/Backend.h"
#include "runtime/common/Error.h"
#include "runtime/common/Hash.h"
#include "runtime/common/Signals.h"

#include <arpa/inet.h>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pcc;

namespace {
/// Where rank 0 listens, and a number that only ranks of this run know.
struct Invitation {
  uint64_t token = 0;
  uint16_t port = 0;
  int32_t count = 0;
  in_addr_t addresses[16];
};

struct Hello {
  uint64_t token;
  int32_t rank;
};
} // namespace

static const int patienceMs = 3000;

/// On rank 0 the connection to each rank, elsewhere only that to rank 0; -1
/// for none.
static std::vector<int> connections;

static bool readable(int socket, int milliseconds) {
  pollfd entry = {socket, POLLIN, 0};
  return poll(&entry, 1, milliseconds) == 1;
}

static bool readAll(int socket, void *data, size_t bytes) {
  auto *at = static_cast<char *>(data);
  while (bytes > 0) {
    ssize_t n = readable(socket, patienceMs) ? recv(socket, at, bytes, 0) : 0;
    if (n <= 0)
      return false;
    at += n;
    bytes -= n;
  }
  return true;
}

static bool writeAll(int socket, const void *data, size_t bytes) {
  // Never more than a few bytes, which fit the socket's buffer.
  return send(socket, data, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
}

/// A host that vanishes closes nothing; probes find out within 10 s.
static void probe(int socket) {
  int on = 1, idle = 4, interval = 2, count = 3;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

static int openSocket() {
  return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/// Listens on rank 0. Returns the socket, or -1.
static int invite(Invitation &invitation) {
  int listener = openSocket();
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t length = sizeof(address);
  auto *generic = reinterpret_cast<sockaddr *>(&address);
  if (listener < 0 || bind(listener, generic, length) ||
      listen(listener, backend::size()) ||
      getsockname(listener, generic, &length)) {
    close(listener);
    return -1;
  }
  invitation.port = address.sin_port;
  auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  invitation.token = mix(now ^ static_cast<uint64_t>(getpid()) << 32);

  // Other hosts use the addresses of the network, listed first.
  ifaddrs *interfaces = nullptr;
  if (getifaddrs(&interfaces))
    return listener;
  for (unsigned loopback : {0u, unsigned(IFF_LOOPBACK)})
    for (ifaddrs *i = interfaces; i; i = i->ifa_next) {
      bool usable = i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
                    (i->ifa_flags & IFF_UP) &&
                    (i->ifa_flags & IFF_LOOPBACK) == loopback;
      if (usable && invitation.count < 16)
        invitation.addresses[invitation.count++] =
            reinterpret_cast<sockaddr_in *>(i->ifa_addr)->sin_addr.s_addr;
    }
  freeifaddrs(interfaces);
  return listener;
}

/// Accepts all other ranks; false if some do not come.
static bool acceptRanks(int listener, uint64_t token) {
  connections.assign(backend::size(), -1);
  int missing = backend::size() - 1;
  while (missing > 0 && readable(listener, 3 * patienceMs)) {
    int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    Hello hello;
    if (socket < 0)
      continue;
    if (!readAll(socket, &hello, sizeof(hello)) || hello.token != token ||
        hello.rank <= 0 || hello.rank >= backend::size() ||
        connections[hello.rank] >= 0 || !writeAll(socket, &token, 1)) {
      close(socket);
      continue;
    }
    probe(socket);
    connections[hello.rank] = socket;
    --missing;
  }
  return missing == 0;
}

static int connectTo(in_addr_t host, const Invitation &invitation) {
  int socket = openSocket();
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = invitation.port;
  address.sin_addr.s_addr = host;
  fcntl(socket, F_SETFL, O_NONBLOCK);
  connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof(address));
  pollfd entry = {socket, POLLOUT, 0};
  Hello hello = {};
  hello.token = invitation.token;
  hello.rank = backend::rank();
  char answer;
  // Only rank 0 of this run answers; the address may be another host's here.
  if (poll(&entry, 1, patienceMs) == 1 &&
      writeAll(socket, &hello, sizeof(hello)) && readAll(socket, &answer, 1)) {
    probe(socket);
    return socket;
  }
  close(socket);
  return -1;
}

static bool connectRankZero(const Invitation &invitation) {
  for (int i = 0; i < invitation.count; ++i) {
    int socket = connectTo(invitation.addresses[i], invitation);
    if (socket >= 0) {
      connections = {socket};
      return true;
    }
  }
  return false;
}

static void tellAll(int code) {
  char byte = static_cast<char>(code);
  for (int socket : connections)
    if (socket >= 0)
      writeAll(socket, &byte, 1);
}

/// The end of this process after another's death; code: what the dead one said,
/// or 0 if it said nothing.
[[noreturn]] static void endWith(int lost, int code) {
  if (code == 0) {
    // One of those that see it speaks.
    if (backend::rank() == (lost == 0 ? 1 : 0)) {
      fflush(stdout);
      fprintf(stderr,
              "[rank %d] error: rank %d was lost; all other ranks end\n",
              backend::rank(), lost);
    }
    code = ExitCommunication;
  }
  tellAll(code);
  _exit(code);
}

static void watch() {
  std::vector<pollfd> entries;
  for (int socket : connections)
    entries.push_back({socket, POLLIN, 0}); // poll skips -1
  size_t left = backend::rank() == 0 ? entries.size() - 1 : 1;
  while (left > 0) {
    if (poll(entries.data(), entries.size(), -1) < 0)
      continue;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].fd < 0 || !entries[i].revents)
        continue;
      char code;
      if (recv(entries[i].fd, &code, 1, 0) != 1)
        endWith(static_cast<int>(i), 0);
      if (code != 0)
        endWith(static_cast<int>(i), code);
      entries[i].fd = -1; // done, as intended
      --left;
    }
  }
}

void pcc::holdLifeline() {
  if (backend::size() == 1)
    return;
  Invitation invitation;
  int listener = -1;
  bool first = backend::rank() == 0;
  if (first)
    listener = invite(invitation);
  backend::broadcast(&invitation, sizeof(invitation), 0);
  bool held = first ? listener >= 0 && acceptRanks(listener, invitation.token)
                    : connectRankZero(invitation);
  close(listener);
  if (backend::maxOverRanks(!held)) {
    for (int socket : connections)
      close(socket);
    connections.clear();
    if (first)
      warn("the ranks cannot connect by TCP: if one dies, only the launcher "
           "can end the others");
    return;
  }
  startThread(watch).detach();
}

void pcc::releaseLifeline(int code) { tellAll(code); }
