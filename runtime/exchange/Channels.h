//===- Channels.h - The connections of a rank -------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_EXCHANGE_CHANNELS_H
#define PCC_RUNTIME_EXCHANGE_CHANNELS_H

#include "runtime/exchange/Exchange.h"
#include "runtime/exchange/Rendezvous.h"
#include "runtime/launch/Launch.h"
#include "runtime/launch/Listener.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pcc {

/// The type of a message, on which both sides must agree.
enum class MessageKind : uint32_t {
  Endpoint,
  Table,
  Message,
  Broadcast,
  Barrier
};

/// This rank's connections with the other ranks. Each connection preserves the
/// order of messages.
class Channels {
public:
  /// Connects rank 0 with the other ranks of a launch. They connect with each
  /// other when one first sends.
  Channels(const Launch &launch, const Rendezvous &rendezvous);
  ~Channels();
  Channels(const Channels &) = delete;
  Channels &operator=(const Channels &) = delete;

  /// Sends `bytes` bytes; may return before they have arrived.
  void send(int to, MessageKind kind, const void *data, int64_t bytes);
  /// Receives a message of this size; exits with ExitInternal if the other side
  /// sends a different kind or size.
  void receive(int from, MessageKind kind, void *data, int64_t bytes);

  /// As backend::rank() and backend::size().
  int rank() const { return own; }
  int size() const { return static_cast<int>(in.size()); }
  /// See exchange::neighbors().
  const exchange::Neighbors &neighbors() const { return near; }

private:
  struct Endpoint;

  void acceptRanks(const Rendezvous &rendezvous);
  void findRankZero(const Rendezvous &rendezvous);
  void takeTable(const std::vector<Endpoint> &endpoints);
  int socketTo(int rank);
  int socketFrom(int rank);

  int own;
  exchange::Neighbors near;
  std::vector<int> in, out; ///< sockets by rank, -1: not connected
  /// On ranks above 0, the listener for other ranks; and the addresses of
  /// theirs.
  std::unique_ptr<Listener> listener;
  Secret secret = {};
  std::vector<in_addr_t> hosts;
  std::vector<uint16_t> ports;
};

} // namespace pcc

#endif // PCC_RUNTIME_EXCHANGE_CHANNELS_H
