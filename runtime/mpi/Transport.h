//===- Transport.h - Communication by MPI -----------------------*- C++ -*-===//
//
// For ranks that mpirun or srun started. Only the communication thread calls
// MPI.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_MPI_TRANSPORT_H
#define PCC_RUNTIME_MPI_TRANSPORT_H

#include "runtime/cpu/Transport.h"
#include "runtime/exchange/Rendezvous.h"
#include "runtime/mpi/Library.h"

#include <set>

namespace pcc {
namespace mpi {

/// The MPI communicator of a Communicator.
struct Link : Communicator::Link {
  MPI_Comm comm = nullptr;
  bool oneHost = true; ///< all its ranks share a host
  uint64_t tags = 0;   ///< the number of message tags that were used
};

/// See Transport.
class MPITransport : public Transport {
public:
  Bell &bell() override { return ownBell; }
  bool isPolled() const override { return true; }
  void begin() override;
  void finish() override;
  void poll() override;
  bool areComplete(std::vector<void *> &messages, const char *name) override;
  [[noreturn]] void abort(int code) override;
  void connect(Communicator &communicator) override;
  void allReduce(Request &request, const Collective &collective) override;
  void reduceScatter(Request &request, const Collective &collective) override;
  void exchangeBlocks(Request &request, const Collective &collective,
                      int64_t stride) override;
  void transfer(Request &request,
                const std::vector<Message> &messages) override;
  char *allocateArena(int64_t bytes, char *at) override;

private:
  Bell ownBell;
  std::set<int> threads;        ///< that MPI started
  MPI_Comm transfers = nullptr; ///< of transfers between stages
};

/// How the ranks find rank 0, determined by MPI: rank 0 listens, and tells the
/// others where. Rank 0 listens on the loopback if all ranks are on its host,
/// otherwise on the interfaces through which the others can be reached. All
/// ranks call it, on the communication thread. Exits with ExitWorld if MPI
/// numbers the ranks differently than the launcher.
Rendezvous findRendezvous(const Launch &launch);

/// The maximum count of one MPI call: counts are ints. Tests lower it to cover
/// large transfers.
extern int64_t greatestCount;
/// The maximum size in bytes of an all_reduce by MPI's own function. Larger
/// ones, and all of bf16 and f16, are composed of point-to-point messages.
/// Tests lower it.
extern int64_t greatestWhole;

} // namespace mpi
} // namespace pcc

#endif // PCC_RUNTIME_MPI_TRANSPORT_H
