//===- Context.h - The state of a rank of a CPU program ---------*- C++ -*-===//

#ifndef PCC_RUNTIME_CPU_CONTEXT_H
#define PCC_RUNTIME_CPU_CONTEXT_H

#include "runtime/cpu/Communication.h"
#include "runtime/cpu/Transport.h"
#include "runtime/support/Mesh.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace pcc {

/// A stream of compiled code, in its issuing thread.
struct StreamState {
  Stream stream; ///< the requests issued, and how many are complete
  /// Events that the next request of the stream waits for.
  std::vector<Event> waits;
  /// On the stream of fills: the number of fills issued so far, on all streams.
  uint64_t fills = 0;
};

/// One direction of a point-to-point channel with a rank.
struct Channel {
  int peer;        ///< its rank
  int32_t channel; ///< as in pcc_send
  bool sends;      ///< else it receives
  /// An arbitrary order.
  bool operator<(const Channel &other) const {
    return std::tie(peer, channel, sends) <
           std::tie(other.peer, other.channel, other.sends);
  }
};

} // namespace pcc

/// The state that the CPU back end keeps for a rank; compiled code passes it to
/// every call.
struct pcc_context {
  /// The number of threads of this rank's kernels and BLAS calls.
  int threads = 1;
  /// This rank's communicators, by their index in pcc_program.comms.
  std::vector<pcc::Communicator> comms;
  /// A constant, aligned like a buffer.
  struct alignas(PCC_ALIGNMENT) Constant {
    int64_t value;
  };
  /// The constants of pcc_program.
  std::vector<Constant> constants;
  /// By number; the compute stream's entry holds the requests that it waits for
  /// at once.
  std::vector<std::unique_ptr<pcc::StreamState>> streams;
  /// The event that all streams of an entry wait for; none on a CPU.
  pcc::Event begun;
  /// By number, the last record of each event.
  std::vector<std::optional<pcc::Event>> events;
  std::vector<int> peers; ///< [stage] the rank with the same other coordinates
  /// [stage] " to stage 1", " from stage 1"
  std::vector<std::string> toStage, fromStage;
  std::string overStages; ///< " over pp"
  const char *node = "";  ///< see pcc_set_node()
  std::map<pcc::Channel, pcc::PostOrder> channels;
  pcc::PostOrder
      launches; ///< of collectives and transfers; see keepLaunchOrder
};

namespace pcc {

/// Exits with ExitMemory if this host does not have the memory that all its
/// ranks need, `bytes` of it for this one. Memory is allocated when it is
/// touched, so without this check the kernel would kill a rank. All ranks must
/// call it.
void requireMemory(int64_t bytes);

/// Exits with ExitMemory if OpenBLAS cannot map its buffers, one for each
/// thread. OpenBLAS maps them in the first GEMM, and retries forever if it
/// cannot. Call it once the arena is mapped.
void requireBlasBuffers();

/// Issues a request of `bytes` bytes on a stream of compiled code. On the
/// compute stream of a CPU it returns when the request is complete.
void issueOn(pcc_context *ctx, int32_t stream, std::unique_ptr<Request> request,
             int64_t bytes);

/// Makes collectives and transfers start in the order of their issue, across
/// all streams: always on the emulated GPU, on CPUs with PCC_LAUNCH_ORDER=1.
void keepLaunchOrder(pcc_context *ctx, Request &request);

/// The address at which this rank's threads access arena memory; compiled code
/// and the host may use another address.
char *reach(const void *place);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_CONTEXT_H
