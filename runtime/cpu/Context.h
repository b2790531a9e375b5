//===- Context.h - A rank of a CPU program ----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CPU_CONTEXT_H
#define PCC_RUNTIME_CPU_CONTEXT_H

#include "runtime/cpu/Communication.h"
#include "runtime/support/Mesh.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace pcc {

/// A communicator of pcc_program.comms as this rank sees it.
struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL; ///< null where size is 1
  int size = 1, index = 0;
  bool oneHost = true; ///< all its ranks share a host
  std::string over;    ///< " over tp"
  PostOrder order;     ///< of what is posted on it
  /// Marks of the messages of a collective, so many were given out.
  uint64_t tags = 0;
};

/// Sends to, or receives from, a rank on a channel.
struct Channel {
  int peer;        ///< its rank
  int32_t channel; ///< as in pcc_send
  bool sends;      ///< else it receives
  /// Some order.
  bool operator<(const Channel &other) const {
    return std::tie(peer, channel, sends) <
           std::tie(other.peer, other.channel, other.sends);
  }
};

} // namespace pcc

/// What the CPU back end keeps for a rank; compiled code hands it back in every
/// call.
struct pcc_context {
  /// How many threads kernels and BLAS calls of this rank use.
  int threads = 1;
  /// This rank's communicators, by their index in pcc_program.comms.
  std::vector<pcc::Communicator> comms;
  /// What compiled code waits for at once.
  pcc::Stream waited;
  MPI_Comm transfers = MPI_COMM_NULL; ///< for send, receive and exchange
  std::vector<int> peers; ///< [stage] the rank with this one's coordinates
  /// [stage] " to stage 1", " from stage 1"
  std::vector<std::string> toStage, fromStage;
  std::map<pcc::Channel, pcc::PostOrder> channels;
};

namespace pcc {

/// The greatest count one MPI call is given: counts are ints. Tests lower it
/// to reach the paths of large transfers.
extern int64_t greatestCount;
/// An all_reduce of more bytes is made of messages between pairs; as above.
extern int64_t greatestWhole;

} // namespace pcc

#endif // PCC_RUNTIME_CPU_CONTEXT_H
