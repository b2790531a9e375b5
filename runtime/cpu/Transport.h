//===- Transport.h - How ranks exchange data --------------------*- C++ -*-===//
//
// The collectives and transfers of compiled code between the ranks of a CPU
// program. There are two transports:
//
//   runtime/mpi     MPI, under mpirun and srun
//   runtime/shared  shared memory, for ranks that the program started itself
//
// Both reduce in rank order, so that sums have the same bits on all ranks.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_TRANSPORT_H
#define PCC_RUNTIME_CPU_TRANSPORT_H

#include "runtime/Runtime.h"
#include "runtime/cpu/Communication.h"
#include "runtime/support/Bell.h"

#include <memory>
#include <string>
#include <vector>

namespace pcc {

/// A communicator of pcc_program.comms as this rank sees it.
struct Communicator {
  /// A transport's state of a communicator.
  struct Link {
    virtual ~Link() = default;
  };

  int32_t number = 0; ///< its index in pcc_program.comms
  /// Its ranks, in order, and this rank's index among them.
  std::vector<int> ranks;
  int index = 0;
  std::string over;           ///< " over tp"
  PostOrder order;            ///< of the requests posted on it
  std::unique_ptr<Link> link; ///< null if it has one rank

  /// The number of ranks.
  int size() const { return static_cast<int>(ranks.size()); }
};

/// A collective on a communicator of several ranks, of blocks of `count`
/// elements.
struct Collective {
  Communicator &c;
  const char *name;
  int64_t count, size; ///< size: of an element, in bytes
  int32_t dtype;       ///< of the elements
  int32_t reduction = PCC_SUM;
  /// The operands, as reach() returns them; null: there is none.
  const char *in = nullptr;
  char *out = nullptr;
  bool adds = false;  ///< the sum is added to the contents of out
  uint64_t index = 0; ///< its number on the communicator
};

/// A transfer to or from another rank.
struct Message {
  int32_t peer;    ///< the rank
  int32_t channel; ///< as in pcc_send
  char *buffer;    ///< as reach() returns it
  int64_t bytes;
  bool sends;         ///< else it receives
  uint64_t index = 0; ///< its number on its channel and in its direction
};

/// A way to exchange data. Each of the functions that take a request defines
/// its pieces and phases.
class Transport {
public:
  virtual ~Transport() = default;

  /// Rings when the driver may have something to do.
  virtual Bell &bell() = 0;
  /// Whether only the communication thread may drive requests, and must test
  /// them, since the bell does not ring for other ranks.
  virtual bool isPolled() const = 0;
  /// Called by the communication thread before the first request and after the
  /// last one.
  virtual void begin() {}
  virtual void finish() {}
  /// Called now and then while no request is in flight.
  virtual void poll() {}
  /// Whether messages that were posted together are complete.
  virtual bool areComplete(std::vector<void *> &, const char *) { return true; }
  /// How long the driver may spin before it sleeps, in seconds.
  virtual double spinSeconds() const { return 0; }
  /// Ends all ranks, or this one if the others notice its end.
  [[noreturn]] virtual void abort(int code) = 0;

  /// Sets the link of a communicator of several ranks. All its ranks call it,
  /// in the order of communicators, by communication::call().
  virtual void connect(Communicator &communicator) = 0;
  /// Reduces `out` of all ranks into `out` of all ranks.
  virtual void allReduce(Request &request, const Collective &collective) = 0;
  /// Reduces this rank's blocks of `in` of all ranks into `out`.
  virtual void reduceScatter(Request &request,
                             const Collective &collective) = 0;
  /// Copies a block of each rank's `in` to `out`, in rank order: the block at
  /// this rank's index times `stride`, in bytes. Elements are bytes.
  virtual void exchangeBlocks(Request &request, const Collective &collective,
                              int64_t stride) = 0;
  /// Transfers some messages at once.
  virtual void transfer(Request &request,
                        const std::vector<Message> &messages) = 0;
  /// Allocates zeroed memory for the arena, which collectives and transfers
  /// access, at `at` unless that is null; null with errno set if there is none.
  virtual char *allocateArena(int64_t bytes, char *at) = 0;
};

} // namespace pcc

#endif // PCC_RUNTIME_CPU_TRANSPORT_H
