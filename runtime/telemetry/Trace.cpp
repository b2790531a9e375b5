//===- Trace.cpp - Timeline of a rank -------------------------------------===//

#include "runtime/telemetry/Trace.h"

#include "runtime/Backend.h"
#include "runtime/support/Error.h"
#include "runtime/telemetry/Gather.h"

#include <chrono>
#include <map>
#include <mutex>
#include <vector>

using namespace pcc;

std::atomic<bool> pcc::tracing{false};

namespace {
struct Span {
  Track track;
  const char *name;
  double begin, end; ///< microseconds from the origin; end is -1 while open
  std::string notes; ///< members of a JSON object
};
} // namespace

static std::vector<Span> spans;
/// Spans of other threads, guarded by othersMutex. Never freed.
static std::vector<Span> &others = *new std::vector<Span>;
static std::mutex othersMutex;
static std::map<Track, std::string> trackNames = {
    {Track::Host, "host"},
    {Track::Compute, "compute"},
    {Track::Communication, "communication"}};
/// Rank 0's start of the trace in microseconds of the system clock, which all
/// hosts share.
static std::atomic<double> origin{0};

/// Returns microseconds of the system clock. They never step back: after the
/// first call the steady clock is used.
static double now() {
  using namespace std::chrono;
  static const auto steady = steady_clock::now();
  static const double base =
      duration<double, std::micro>(system_clock::now().time_since_epoch())
          .count();
  return base +
         duration<double, std::micro>(steady_clock::now() - steady).count();
}

void TraceSpan::open(Track track, const char *name) {
  index = spans.size();
  spans.push_back({track, name, traceNow(), -1, ""});
}

void TraceSpan::addNote(const char *key, int64_t value) {
  Span &span = spans[index];
  span.notes += format("%s\"%s\":%lld", span.notes.empty() ? "" : ",", key,
                       static_cast<long long>(value));
}

void TraceSpan::close() {
  // The trace may have been written and cleared since open().
  if (index < spans.size())
    spans[index].end = traceNow();
}

double pcc::traceNow() { return now() - origin; }

void pcc::nameTrack(Track track, const std::string &name) {
  trackNames[track] = name;
}

void pcc::addSpan(Track track, const char *name, double begin, double end,
                  int64_t bytes) {
  std::lock_guard<std::mutex> lock(othersMutex);
  if (begin >= 0)
    others.push_back({track, name, begin, end,
                      format("\"bytes\":%lld", static_cast<long long>(bytes))});
}

void pcc::startTrace() {
  double start = now();
  backend::broadcast(&start, sizeof(start), 0);
  origin = start;
  tracing = true;
}

static std::string metadata(int rank, int track, const char *what,
                            const std::string &name) {
  return format("{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\","
                "\"args\":{\"name\":\"%s\"}},\n",
                rank, track, what, name.c_str());
}

/// Returns this rank's events, each followed by a comma.
static std::string ownEvents(const pcc_program &program) {
  int rank = backend::rank();
  std::string place;
  Coordinates at = coordinatesOf(program, rank);
  for (int axis = 0; axis < program.n_axes; ++axis)
    place += format("%s%s %lld", axis ? ", " : " (", program.axes[axis].name,
                    static_cast<long long>(at[axis]));
  if (!place.empty())
    place += ")";
  std::string text =
      metadata(rank, 0, "process_name", format("rank %d", rank) + place);
  for (const auto &[track, name] : trackNames)
    text += metadata(rank, static_cast<int>(track), "thread_name", name);
  {
    std::lock_guard<std::mutex> lock(othersMutex);
    spans.insert(spans.end(), others.begin(), others.end());
    others.clear();
  }
  for (const Span &span : spans) {
    if (span.end < 0)
      continue;
    text += format("{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,"
                   "\"dur\":%.3f,\"name\":\"%s\",\"args\":{%s}},\n",
                   rank, static_cast<int>(span.track), span.begin,
                   span.end - span.begin, span.name, span.notes.c_str());
  }
  return text;
}

void pcc::writeTrace(const pcc_program &program, const std::string &path) {
  tracing = false;
  std::string events = ownEvents(program);
  spans.clear();
  events.erase(events.find_last_of(','));
  writeGathered(path, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", events,
                "\n]}\n");
}
