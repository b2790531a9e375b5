//===- Transport.h - Communication in shared memory -------------*- C++ -*-===//
//
// For ranks that the program started itself. The arenas of all ranks are parts
// of the job's memory (launch/JobMemory.h). So a rank reads the operands of a
// collective in the arenas of the other ranks, and writes results there:
//
//   all_reduce of 4 ranks, rank 1:
//     arrives: publishes where its buffer is, waits for the others
//     adds the second quarter of the four buffers, in rank order, and writes
//     the sums to all four
//     finishes: waits until the others have
//
// Each communicator has 16 slots; collective i uses slot i mod 16. A slot has
// two counters, of ranks that arrived and of ranks that finished. They count up
// over the uses of the slot and are never reset. The last rank rings the bells
// of the others.
//
// A channel to another rank has 8 slots in the same way: the sender publishes
// its buffer, the receiver copies it.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SHARED_TRANSPORT_H
#define PCC_RUNTIME_SHARED_TRANSPORT_H

#include "runtime/cpu/Transport.h"

#include <map>
#include <mutex>

namespace pcc {
namespace shared {

struct RankEntry;
struct Channel;

/// See Transport.
class SharedTransport : public Transport {
public:
  /// Joins the job's memory as rank `own` of `ranks`. Exits with ExitMemory if
  /// it cannot be mapped.
  SharedTransport(int own, int ranks, double spinSeconds);

  Bell &bell() override;
  bool isPolled() const override { return false; }
  double spinSeconds() const override { return spins; }
  [[noreturn]] void abort(int code) override;
  void connect(Communicator &communicator) override;
  void allReduce(Request &request, const Collective &collective) override;
  void reduceScatter(Request &request, const Collective &collective) override;
  void exchangeBlocks(Request &request, const Collective &collective,
                      int64_t stride) override;
  void transfer(Request &request,
                const std::vector<Message> &messages) override;
  char *allocateArena(int64_t bytes, char *at) override;

  /// Rings the bell of a rank.
  void ring(int rank);
  /// The offset in this rank's arena of memory that a request accesses. Exits
  /// with ExitInternal if it is not in the arena.
  int64_t offsetOf(const char *memory, int64_t bytes) const;
  /// The address here of a place in a rank's arena, which exists. For the
  /// driver.
  char *addressOf(int rank, int64_t offset);

private:
  Channel &channel(int from, int to, int32_t number);

  int own, ranks;
  double spins;
  RankEntry *entries;
  char *arena = nullptr;
  int64_t arenaBytes = 0;
  std::vector<char *> arenas; ///< by rank, null: not mapped yet
  std::mutex mutex;           ///< for `channels`
  /// By sender and receiver.
  std::map<std::pair<int, int>, Channel *> channels;
};

} // namespace shared
} // namespace pcc

#endif // PCC_RUNTIME_SHARED_TRANSPORT_H
