//===- Trace.h - What a rank does when --------------------------*- C++ -*-===//
//
// Spans of chosen steps, written as a Chrome trace, which Perfetto and
// chrome://tracing show: a process for each rank, a track for the host, one for
// the compute stream and one for each of the others.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_TELEMETRY_TRACE_H
#define PCC_RUNTIME_TELEMETRY_TRACE_H

#include "runtime/support/Mesh.h"
#include "runtime/support/Progress.h"

#include <atomic>
#include <string>

namespace pcc {

/// On which line of a rank's process a span is drawn. What the compute stream
/// waits for at once is on Communication; stream n is n tracks below.
enum class Track { Host, Compute, Communication };

/// The track of a stream of compiled code.
inline Track trackOf(int32_t stream) {
  return static_cast<Track>(static_cast<int32_t>(Track::Communication) +
                            stream);
}

/// Whether spans are kept at present.
extern std::atomic<bool> tracing;

/// A piece of work, from the construction to the destruction: an operation that
/// a trace shows. Costs a test of `tracing` and a few stores when off.
class TraceSpan {
public:
  /// `name` lives as long as the program; `detail`: as of an operation.
  TraceSpan(Track track, const char *name, const char *detail = "")
      : operation(name,
                  track == Track::Communication ? Doing::Waits : Doing::Works,
                  detail),
        on(tracing) {
    if (on)
      open(track, name);
  }
  ~TraceSpan() {
    if (on)
      close();
  }
  TraceSpan(const TraceSpan &) = delete;
  TraceSpan &operator=(const TraceSpan &) = delete;

  /// Adds a whole number to what the trace shows of the span.
  void note(const char *key, int64_t value) {
    if (on)
      addNote(key, value);
  }

private:
  void open(Track track, const char *name);
  void addNote(const char *key, int64_t value);
  void close();

  Operation operation;
  bool on;
  size_t index = 0;
};

/// What a track is called. For the main thread.
void nameTrack(Track track, const std::string &name);

/// Microseconds as a trace has them.
double traceNow();

/// Keeps a span that has ended, of any thread; `name` lives as long as the
/// program. Leaves out what began before the trace did.
void addSpan(Track track, const char *name, double begin, double end,
             int64_t bytes);

/// Starts keeping spans; all ranks call it, and agree on the time.
void startTrace();

/// Stops, gathers all ranks' spans and writes them on rank 0. All ranks call
/// it. Exits with ExitOutput if the file cannot be written.
void writeTrace(const pcc_program &program, const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_TRACE_H
