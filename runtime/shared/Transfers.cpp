//===- Transfers.cpp - Transfers in shared memory -------------------------===//

#include "runtime/shared/Layout.h"
#include "runtime/shared/Transport.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstring>

using namespace pcc;
using namespace pcc::shared;

Channel &SharedTransport::channel(int from, int to, int32_t number) {
  if (number < 0 || number >= kChannels)
    fail(ExitInternal, format("the program has a channel %d", number));
  std::lock_guard<std::mutex> lock(mutex);
  Channel *&mapped = channels[{from, to}];
  if (!mapped) {
    Layout layout = {ranks};
    mapped = reinterpret_cast<Channel *>(
        mapOrFail(layout.channelOffset(from, to), Layout::channelBytes()));
  }
  return mapped[number];
}

namespace {
/// An end of a transfer.
struct End {
  Message message;
  Parcel *parcel;
  /// The number of earlier uses of the parcel.
  uint64_t uses;
  int64_t offset = 0; ///< of a sender's buffer, in its arena
};
} // namespace

/// Runs a phase of a sender.
static bool send(SharedTransport &transport, const End &end, int phase,
                 Posted &posted) {
  Parcel &parcel = *end.parcel;
  switch (phase) {
  case 0: // the parcel is free
    posted.await(parcel.received, end.uses);
    return true;
  case 1:
    parcel.offset = end.offset;
    parcel.bytes = end.message.bytes;
    parcel.sent.store(end.uses + 1, std::memory_order_release);
    transport.ring(end.message.peer);
    posted.await(parcel.received, end.uses + 1);
    return true;
  default:
    return false;
  }
}

/// Runs a phase of a receiver.
static bool receive(SharedTransport &transport, const End &end, int phase,
                    Posted &posted) {
  Parcel &parcel = *end.parcel;
  const Message &message = end.message;
  if (phase == 0) {
    posted.await(parcel.sent, end.uses + 1);
    return true;
  }
  if (parcel.bytes != message.bytes)
    fail(ExitInternal,
         format("rank %d sent %lld bytes, but this rank expects %lld",
                message.peer, static_cast<long long>(parcel.bytes),
                static_cast<long long>(message.bytes)));
  int64_t at = (phase - 1) * kPhaseBytes;
  if (at < message.bytes) {
    memcpy(message.buffer + at,
           transport.addressOf(message.peer, parcel.offset) + at,
           std::min(kPhaseBytes, message.bytes - at));
    return true;
  }
  parcel.received.store(end.uses + 1, std::memory_order_release);
  transport.ring(message.peer);
  return false;
}

void SharedTransport::transfer(Request &request,
                               const std::vector<Message> &messages) {
  std::vector<End> ends;
  for (const Message &message : messages) {
    Channel &used = message.sends ? channel(own, message.peer, message.channel)
                                  : channel(message.peer, own, message.channel);
    ends.push_back({message, &used.parcels[message.index % kParcels],
                    message.index / kParcels});
    if (message.sends)
      ends.back().offset = offsetOf(message.buffer, message.bytes);
  }
  request.pieces = static_cast<int64_t>(ends.size());
  request.window = static_cast<int>(ends.size());
  request.post = [this, ends](int64_t piece, int phase, int, Posted &posted) {
    const End &end = ends[piece];
    return end.message.sends ? send(*this, end, phase, posted)
                             : receive(*this, end, phase, posted);
  };
}
