//===- Layout.h - What ranks keep in shared memory --------------*- C++ -*-===//
//
// The part of the job's memory between the status board and the arenas. All
// structs are valid when they are zero, as the memory is at first.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_SHARED_LAYOUT_H
#define PCC_RUNTIME_SHARED_LAYOUT_H

#include "runtime/launch/JobMemory.h"
#include "runtime/support/Bell.h"

#include <atomic>
#include <cstdint>

namespace pcc {
namespace shared {

/// Avoids that two ranks write the same cache line.
constexpr int64_t kCacheLine = 64;
/// The largest page of the systems that programs run on, as of arm64.
constexpr int64_t kPage = 65536;

/// A rank.
struct alignas(2 * kCacheLine) RankEntry {
  Bell bell;
  std::atomic<int64_t> arenaBytes; ///< 0: it has no arena yet
};

/// The operands of a rank in a collective.
struct Operands {
  int64_t in, out; ///< offsets in the rank's arena
  /// What all ranks must agree on.
  int64_t count;
  char name[16];
};

/// A collective of a communicator. The operands of its ranks follow.
struct Slot {
  alignas(kCacheLine) std::atomic<uint64_t> arrived;
  alignas(kCacheLine) std::atomic<uint64_t> finished;
};

/// The bytes that one phase of a request processes, so that the driver attends
/// to other streams in between.
constexpr int64_t kPhaseBytes = 1 << 20;

/// mapJobMemory(); exits with ExitMemory on failure. Not in core dumps.
char *mapOrFail(int64_t offset, int64_t bytes);

/// The collectives of a communicator that may be in flight.
constexpr uint64_t kSlots = 16;

/// A transfer.
struct alignas(kCacheLine) Parcel {
  std::atomic<uint64_t> sent, received;
  int64_t offset, bytes; ///< in the sender's arena
};

/// The transfers of a channel that may be in flight.
constexpr uint64_t kParcels = 8;
/// The channels from one rank to another one.
constexpr int64_t kChannels = 64;

/// A channel from one rank to another.
struct Channel {
  Parcel parcels[kParcels];
};

/// Returns the bytes rounded up to whole pages.
inline int64_t roundToPage(int64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

/// The places of these structs in the job's memory, for so many ranks.
struct Layout {
  int64_t ranks;

  int64_t entryOffset() const { return kBoardBytes; }
  int64_t entryBytes() const {
    return roundToPage(ranks * static_cast<int64_t>(sizeof(RankEntry)));
  }
  /// Channels from one rank to another one.
  int64_t channelOffset(int64_t from, int64_t to) const {
    return entryOffset() + entryBytes() + (from * ranks + to) * channelBytes();
  }
  static int64_t channelBytes() {
    return roundToPage(kChannels * static_cast<int64_t>(sizeof(Channel)));
  }
  static int64_t slotBytes(int64_t members) {
    return static_cast<int64_t>(sizeof(Slot)) +
           (members * static_cast<int64_t>(sizeof(Operands)) + kCacheLine - 1) /
               kCacheLine * kCacheLine;
  }
  /// The slots of a communicator, by its number and its lowest rank.
  int64_t groupOffset(int64_t number, int64_t lowest) const {
    return channelOffset(ranks, 0) + (number * ranks + lowest) * groupBytes();
  }
  int64_t groupBytes() const {
    return roundToPage(static_cast<int64_t>(kSlots) * slotBytes(ranks));
  }
};

} // namespace shared
} // namespace pcc

#endif // PCC_RUNTIME_SHARED_LAYOUT_H
