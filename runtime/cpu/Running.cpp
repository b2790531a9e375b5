//===- Running.cpp - A request in flight ----------------------------------===//

#include "runtime/cpu/Running.h"

#include "runtime/cpu/Transport.h"
#include "runtime/support/Progress.h"

using namespace pcc;

Stream::Stream() = default;
Stream::~Stream() = default;

bool Stream::Running::start(Stream &stream, double now) {
  if (due < 0) {
    for (const Event &event : request->waits)
      if (!event.stream->hasDone(event.count))
        return false;
    PostOrder *launches = request->launches;
    if (launches &&
        (launches->posted != request->launchIndex || now < stream.linkFree))
      return false;
    // Without waits it starts at its issue, whenever this thread notices it.
    bool isLate = launches || !request->waits.empty();
    double came = isLate ? now : request->issuedAt;
    if (launches)
      ++launches->posted;
    due = std::max(came, stream.linkFree) + request->delay;
    if (request->delay > 0)
      stream.linkFree = due;
    if (tracing && request->stream >= 0)
      begin = traceNow();
  }
  if (now < due || (request->isHeld && request->isHeld()))
    return false;
  for (auto [order, turn] : request->turns)
    if (order->posted != turn)
      return false;
  isStarted = true;
  return true;
}

bool Stream::Running::conflictsWith(const Running &other) const {
  auto conflict = [](const Access &a, const Access &b) {
    auto from = [](const Access &x) {
      return reinterpret_cast<uintptr_t>(x.at);
    };
    return (a.writes || b.writes) && from(a) < from(b) + b.bytes &&
           from(b) < from(a) + a.bytes;
  };
  const std::vector<Access> &ours = request->accesses,
                            &theirs = other.request->accesses;
  if (ours.empty() || theirs.empty())
    return true;
  for (const Access &a : ours)
    for (const Access &b : theirs)
      if (conflict(a, b))
        return true;
  return false;
}

bool Stream::Running::isOver(Posted &posted) const {
  if (posted.counter &&
      posted.counter->load(std::memory_order_acquire) < posted.value)
    return false;
  return posted.messages.empty() || communication::transport()->areComplete(
                                        posted.messages, request->name);
}

bool Stream::Running::move() {
  bool moved = false;
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    Piece &piece = slots[slot];
    if (piece.index < 0) {
      if (next == request->pieces)
        continue;
      piece.index = next++;
      piece.phase = 0;
      ++underWay;
    } else {
      if (!isOver(piece.posted))
        continue;
      ++piece.phase;
    }
    moved = true;
    piece.posted.messages.clear();
    piece.posted.counter = nullptr;
    advanceCommunication();
    if (!request->post(piece.index, piece.phase, static_cast<int>(slot),
                       piece.posted)) {
      piece.index = -1;
      --underWay;
    }
  }
  if (!isPosted && next == request->pieces) {
    isPosted = true;
    for (auto [order, turn] : request->turns)
      order->posted = turn + 1;
  }
  return moved;
}
