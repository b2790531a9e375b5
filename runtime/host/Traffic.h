//===- Traffic.h - Traffic counters -----------------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_HOST_TRAFFIC_H
#define PCC_RUNTIME_HOST_TRAFFIC_H

#include <cstdint>
#include <map>
#include <tuple>

namespace pcc {

/// The counts of one kind of operation, as in backend::Traffic.
struct TrafficSums {
  /// The number of operations, their bytes, and the bytes that this rank sends.
  int64_t messages = 0, bytes = 0, sent = 0;
};
/// By stream, kind and communicator.
using TrafficCounts =
    std::map<std::tuple<int32_t, const char *, const char *>, TrafficSums>;

/// Counts an operation of compiled code for backend::traffic(). `name` and
/// `over` ("all_reduce", " over dp") live as long as the program. For the main
/// thread.
void countTraffic(int32_t stream, const char *name, const char *over,
                  int64_t bytes, int64_t sent);

/// The counts so far.
const TrafficCounts &trafficCounts();
/// The difference between the current counts and `before`.
TrafficCounts countedSince(const TrafficCounts &before);
/// Adds counts, as for repeated operations.
void countTraffic(const TrafficCounts &more);

} // namespace pcc

#endif // PCC_RUNTIME_HOST_TRAFFIC_H
