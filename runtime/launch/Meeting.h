//===- Meeting.h - Connections of all ranks to rank 0 -----------*- C++ -*-===//

#ifndef PCC_RUNTIME_LAUNCH_MEETING_H
#define PCC_RUNTIME_LAUNCH_MEETING_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// Another rank, as this one is connected with it.
struct Peer {
  int socket = -1; ///< does not block
  int pid = 0;
  std::string host;
  uint64_t processes = 0; ///< hash of the namespace that its id is of
};

/// How the ranks are connected with each other.
struct Meeting {
  /// On rank 0 each rank (of itself there is no socket), elsewhere rank 0 only;
  /// empty where the ranks could not connect.
  std::vector<Peer> peers;
  /// Of those that may have to speak for a rank 0 that does not, this one's
  /// number from 0: who can end it comes first.
  int order = 0;
  uint64_t processes = 0; ///< as a peer's, of this rank
};

/// Connects by TCP; all ranks call it. Rank 0 listens until all have come, on
/// the loopback if all are on its host, otherwise on the interfaces through
/// which the others are reached. Who does not know what rank 0 told the ranks
/// is sent away, and holds nobody up.
Meeting meet();

} // namespace pcc

#endif // PCC_RUNTIME_LAUNCH_MEETING_H
