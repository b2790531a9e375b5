//===- Listener.h - Authenticated connections of ranks ----------*- C++ -*-===//
//
// Ranks connect by TCP, on networks that other hosts share. One rank listens. A
// rank that connects sends a secret and its number and is accepted. Connections
// that send something else, or nothing for some seconds, are closed. They do
// not delay ranks, because the listener reads from all pending connections at
// once.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_LISTENER_H
#define PCC_RUNTIME_LAUNCH_LISTENER_H

#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <poll.h>
#include <vector>

namespace pcc {

/// A secret that only the ranks of a run have.
struct Secret {
  unsigned char bytes[16];
};
/// A random secret.
Secret newSecret();

/// The first message on a connection.
struct Hello {
  Secret secret; ///< the listener's
  int32_t rank;  ///< the sender's
};

/// An accepted connection. Its socket is nonblocking, and has keepalive probes:
/// the system detects within a minute that an idle host has vanished.
struct AcceptedRank {
  int rank = -1; ///< -1: none before the deadline
  int socket = -1;
};

/// Time limits in seconds: of one step of a connection's setup, and of ranks
/// that were told where to connect.
const double stepTimeout = 3, connectTimeout = 10;

/// Returns a new nonblocking socket that listens at an address of this host, in
/// network byte order, and at this port (0: any); -1 with errno set on failure.
/// `port` becomes the port in network byte order.
int listenOn(in_addr_t host, uint16_t &port);

/// Accepts connections of ranks. Its destructor closes the listening sockets
/// and the pending connections; accepted connections stay open.
class Listener {
public:
  /// Accepts ranks below `ranks`.
  Listener(const Secret &secret, int ranks) : secret(secret), ranks(ranks) {}
  ~Listener();
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

  /// Sets the secret for the connections that are read from now on.
  void setSecret(const Secret &other) { secret = other; }

  /// Listens at an address of this host, in network byte order, and at this
  /// port (0: any). Returns the port in network byte order, or 0 with errno set
  /// on failure.
  uint16_t listenAt(in_addr_t host, uint16_t port);
  /// Takes over a socket that is listening already.
  void listenAt(int listener);
  /// Whether it has a listening socket.
  bool isOpen() const { return !listeners.empty(); }

  /// Waits for the next rank until `deadline` by the steady clock. The caller
  /// closes the sockets of ranks that it does not expect.
  AcceptedRank next(double deadline);

private:
  /// A connection whose hello has not arrived completely.
  struct PendingConnection {
    int socket;
    double deadline;
    size_t bytes = 0;
    char hello[sizeof(Hello)] = {};
  };

  /// Reads from a pending connection. Returns the rank; -1 if more must come,
  /// -2 if the connection must be closed.
  int readHello(PendingConnection &connection) const;
  void acceptPending(int listener);

  Secret secret;
  int ranks;
  std::vector<int> listeners;
  std::vector<PendingConnection> pending;
};

/// Connects to a listener and sends `hello`; then waits until the deadline for
/// an answer of `bytes` bytes. Returns the socket, which is as an accepted one,
/// or -1.
int connectTo(in_addr_t host, uint16_t port, const Hello &hello, void *answer,
              size_t bytes, double deadline);

/// poll() until `deadline` by the steady clock; signals do not interrupt it.
void pollUntil(std::vector<pollfd> &entries, double deadline);

/// Sends a few bytes, which must fit into the buffer of a new connection.
bool sendWhole(int socket, const void *bytes, size_t count);

/// Ends a connection when the other host has acknowledged nothing for a minute,
/// which finds a busy host that vanished. A receiver that does not read for so
/// long, with a full buffer, ends it, too.
void limitUnacknowledged(int socket);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_LISTENER_H
