//===- Running.h - A request in flight --------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_CPU_RUNNING_H
#define PCC_RUNTIME_CPU_RUNNING_H

#include "runtime/cpu/Communication.h"
#include "runtime/telemetry/Trace.h"

#include <algorithm>

namespace pcc {

/// A request of the driver.
struct Stream::Running {
  explicit Running(std::unique_ptr<Request> request)
      : request(std::move(request)), slots(this->request->window) {}

  /// Starts the request if it may, after the earlier ones of its stream; `now`
  /// is by the steady clock.
  bool start(Stream &stream, double now);
  /// Whether one of the two writes memory that the other one accesses.
  bool conflictsWith(const Running &other) const;
  /// Runs the next phase of each piece whose previous phase is over. Returns
  /// true if there was any.
  bool move();
  bool isDone() const { return isPosted && underWay == 0; }
  /// Adds a span to the trace: from the start or the end of the stream's
  /// previous span, whichever is later, until now.
  void trace(Stream &stream) const {
    if (begin < 0 || !tracing)
      return;
    double end = traceNow();
    addSpan(trackOf(request->stream), request->name,
            std::max(begin, stream.traced), end, request->bytes);
    stream.traced = end;
  }

  /// Whether the conditions for the end of a phase hold.
  bool isOver(Posted &posted) const;

  struct Piece {
    int64_t index = -1; ///< -1: the slot is free
    int phase = 0;
    Posted posted;
  };
  std::unique_ptr<Request> request;
  std::vector<Piece> slots;
  int64_t next = 0; ///< the next piece without a slot
  int underWay = 0; ///< pieces in slots
  bool isPosted = false;
  bool isStarted = false;
  double due = -1;   ///< when its delay ends; -1: that has not begun
  double begin = -1; ///< for a trace; -1: not traced
};

} // namespace pcc

#endif // PCC_RUNTIME_CPU_RUNNING_H
