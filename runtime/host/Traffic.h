//===- Traffic.h - Counts of what a rank sends ------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_HOST_TRAFFIC_H
#define PCC_RUNTIME_HOST_TRAFFIC_H

#include <cstdint>
#include <map>
#include <tuple>

namespace pcc {

/// What operations of one kind come to; backend::Traffic says how it is
/// counted.
struct TrafficSums {
  /// How many, their bytes, and those that this rank sends.
  int64_t messages = 0, bytes = 0, sent = 0;
};
/// By stream, kind and communicator.
using TrafficCounts =
    std::map<std::tuple<int32_t, const char *, const char *>, TrafficSums>;

/// Counts an operation of compiled code for backend::traffic(): `name` and
/// `over` ("all_reduce", " over dp") live as long as the program. For the main
/// thread.
void countTraffic(int32_t stream, const char *name, const char *over,
                  int64_t bytes, int64_t sent);

/// What was counted so far.
const TrafficCounts &trafficCounts();
/// What was counted since there were so many.
TrafficCounts countedSince(const TrafficCounts &before);
/// Counts so many more, as for operations that are repeated.
void countTraffic(const TrafficCounts &more);

} // namespace pcc

#endif // PCC_RUNTIME_HOST_TRAFFIC_H
