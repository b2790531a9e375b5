//===- Door.h - Connections of ranks that know a secret ---------*- C++ -*-===//
//
// Ranks find each other by TCP, on networks where others are, too. Whoever
// listens has a door; whoever connects shows a secret and says which rank it
// is, and is let in. All others are strangers: who says something else, or
// nothing for a while, is sent away, and holds nobody up, for a door reads from
// all that have connected at once.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_LAUNCH_DOOR_H
#define PCC_RUNTIME_LAUNCH_DOOR_H

#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <poll.h>
#include <vector>

namespace pcc {

/// What only the ranks of a run know.
struct Secret {
  /// Its bytes.
  unsigned char bytes[16];
};
/// One that nobody can guess.
Secret newSecret();

/// What a rank that connects says first.
struct Hello {
  Secret secret; ///< that of the door
  int32_t rank;  ///< who it is
};

/// A rank that was let in; its socket does not block.
struct Arrival {
  int rank = -1; ///< -1: nobody came
  int socket = -1;
};

/// Seconds for one step of a conversation, and in which ranks that have been
/// told where to connect do so.
const double patience = 3, greatPatience = 10;

/// A place where ranks connect. It is closed with its last guests when it is
/// destroyed; those that were let in stay.
class Door {
public:
  /// For ranks with numbers below `ranks`.
  Door(const Secret &secret, int ranks) : secret(secret), ranks(ranks) {}
  ~Door();
  Door(const Door &) = delete;
  Door &operator=(const Door &) = delete;

  /// Guests are judged by this from here on.
  void setSecret(const Secret &other) { secret = other; }

  /// Listens at an address of this host in network byte order, and at this port
  /// (0: any). Returns the port, in network byte order; 0 with errno set if
  /// that cannot be.
  uint16_t listenAt(in_addr_t host, uint16_t port);
  /// The same at a socket that listens already, and becomes the door's.
  void listenAt(int listener);
  /// Whether it listens anywhere.
  bool isOpen() const { return !listeners.empty(); }

  /// The next rank that comes; gives up at `deadline` by the steady clock. The
  /// caller closes the socket of one that it does not expect.
  Arrival next(double deadline);

private:
  /// Somebody who has connected and not said yet who it is.
  struct Guest {
    int socket;
    double deadline;
    size_t bytes = 0;
    char hello[sizeof(Hello)] = {};
  };

  /// What a guest has said: its number; -1 if there is more to come, -2 for a
  /// stranger.
  int listenTo(Guest &guest) const;
  void admit(int listener);

  Secret secret;
  int ranks;
  std::vector<int> listeners;
  std::vector<Guest> guests;
};

/// Connects to a door and says hello; then whoever let this rank in answers
/// with `bytes` bytes, which it waits for until the deadline. Returns the
/// socket, which does not block, or -1.
int knock(in_addr_t host, uint16_t port, const Hello &hello, void *answer,
          size_t bytes, double deadline);

/// poll() until `deadline` by the steady clock; signals do not end it.
void pollUntil(std::vector<pollfd> &entries, double deadline);

/// Sends a few bytes, which fit the buffer of a new connection.
bool sendWhole(int socket, const void *bytes, size_t count);

/// Has the system find out within a minute that a host has vanished, which
/// closes nothing.
void probe(int socket);

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_DOOR_H
