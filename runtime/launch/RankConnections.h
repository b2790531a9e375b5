//===- RankConnections.h - Connections of all ranks with rank 0 -*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_RANKCONNECTIONS_H
#define PCC_RUNTIME_LAUNCH_RANKCONNECTIONS_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// Another rank that this one is connected with.
struct Peer {
  int socket = -1; ///< nonblocking
  int pid = 0;
  std::string host;
  uint64_t processes = 0; ///< hash of its pid namespace
};

/// The connections of this rank.
struct RankConnections {
  /// On rank 0 one per rank (without a socket for itself), elsewhere only rank
  /// 0; empty if the ranks could not connect.
  std::vector<Peer> peers;
  /// This rank's number among the ranks that report a silent rank 0, from 0;
  /// ranks that can kill rank 0 come first.
  int order = 0;
  uint64_t processes = 0; ///< this rank's, as in Peer
};

/// Connects by TCP; all ranks call it. Rank 0 listens until all have connected,
/// or none has for connectTimeout: on the loopback if all are on its host,
/// otherwise on the interfaces through which the others can be reached.
/// Unauthenticated connections are closed without delaying the ranks.
RankConnections connectRanks();

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_RANKCONNECTIONS_H
