//===- Trace.h - Timeline of a rank -----------------------------*- C++ -*-===//
//
// Records spans of the selected steps and writes them as a Chrome trace for
// Perfetto or chrome://tracing. The trace has a process for each rank, with
// tracks for the host, the compute stream, blocking communication and each
// other stream.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_TELEMETRY_TRACE_H
#define PCC_RUNTIME_TELEMETRY_TRACE_H

#include "runtime/support/Mesh.h"
#include "runtime/support/Progress.h"

#include <atomic>
#include <string>

namespace pcc {

/// The track of a span in its rank's process. Communication has the operations
/// that the compute stream waits for immediately; stream n is n tracks below
/// it.
enum class Track { Host, Compute, Communication };

/// Returns the track of a stream of compiled code.
inline Track trackOf(int32_t stream) {
  return static_cast<Track>(static_cast<int32_t>(Track::Communication) +
                            stream);
}

/// Whether spans are currently recorded.
extern std::atomic<bool> tracing;

/// Records an operation from construction to destruction, in the trace and as
/// Operation (Progress.h). While tracing is off it costs a test and a few
/// stores.
class TraceSpan {
public:
  /// `name` must live as long as the program; `detail`: as of Operation.
  TraceSpan(Track track, const char *name, const char *detail = "")
      : operation(name,
                  track == Track::Communication ? Activity::Waits
                                                : Activity::Works,
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

  /// Adds an integer to the span's arguments in the trace.
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

/// Sets the name of a track. For the main thread.
void nameTrack(Track track, const std::string &name);

/// Returns the microseconds since the start of the trace.
double traceNow();

/// Records a finished span; callable from any thread. `name` must live as long
/// as the program. Spans that began before the trace are left out.
void addSpan(Track track, const char *name, double begin, double end,
             int64_t bytes);

/// Starts recording spans. All ranks call it and use rank 0's time as the
/// origin.
void startTrace();

/// Stops recording, gathers the spans of all ranks and writes them on rank 0.
/// All ranks call it. Exits with ExitOutput if the file cannot be written.
void writeTrace(const pcc_program &program, const std::string &path);

} // namespace pcc

#endif // PCC_RUNTIME_TELEMETRY_TRACE_H
