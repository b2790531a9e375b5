//===- Context.h - A rank of a CPU program ----------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CPU_CONTEXT_H
#define PCC_RUNTIME_CPU_CONTEXT_H

#include "runtime/cpu/Communication.h"
#include "runtime/support/Mesh.h"

#include <map>
#include <optional>
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

/// A stream of compiled code as its issuing thread sees it.
struct StreamState {
  Stream stream; ///< what it was given, and how much of it is done
  /// Waits that the next request of the stream begins with.
  std::vector<Event> waits;
  /// Of the host's stream: how many fills all of them are that were issued.
  uint64_t fills = 0;
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
  /// A constant, where a buffer may begin.
  struct alignas(PCC_ALIGNMENT) Constant {
    int64_t value; ///< all of it
  };
  /// Those of pcc_program.
  std::vector<Constant> constants;
  /// By number; that of the compute stream has what it waits for at once.
  std::vector<std::unique_ptr<pcc::StreamState>> streams;
  /// What all streams of an entry begin behind; none on a CPU.
  pcc::Event begun;
  /// By number, what the last record stands for.
  std::vector<std::optional<pcc::Event>> events;
  MPI_Comm transfers = MPI_COMM_NULL; ///< for send, receive and exchange
  std::vector<int> peers; ///< [stage] the rank with this one's coordinates
  /// [stage] " to stage 1", " from stage 1"
  std::vector<std::string> toStage, fromStage;
  std::string overStages; ///< " over pp"
  const char *node = "";  ///< see pcc_set_node()
  std::map<pcc::Channel, pcc::PostOrder> channels;
  pcc::PostOrder
      launches; ///< of collectives and transfers; see keepLaunchOrder
};

namespace pcc {

/// Exits with ExitMemory where the ranks of this host cannot have what each of
/// them needs, `bytes` of them this one. Memory is handed out when it is
/// touched, so that too much of it is otherwise noticed by the kernel's killing
/// a rank. All ranks call it.
void requireMemory(int64_t bytes);

/// Hands a request of `bytes` bytes to a stream of compiled code; on the
/// compute stream returns when it is done.
void issueOn(pcc_context *ctx, int32_t stream, std::unique_ptr<Request> request,
             int64_t bytes);

/// Where collectives and transfers start in the order of their issue, on
/// whatever streams they are, gives a request its turn.
void keepLaunchOrder(pcc_context *ctx, Request &request);

/// Where the threads of this rank find a place of the arena; compiled code and
/// the host may name it by another address.
char *reach(const void *place);

/// The greatest count one MPI call is given: counts are ints. Tests lower it
/// to reach the paths of large transfers.
extern int64_t greatestCount;
/// An all_reduce of more bytes is made of messages between pairs; as above.
extern int64_t greatestWhole;

} // namespace pcc

#endif // PCC_RUNTIME_CPU_CONTEXT_H
