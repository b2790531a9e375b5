//===- Traffic.h - Counts of what a rank sends ------------------*- C++ -*-===//

#ifndef PCC_RUNTIME_HOST_TRAFFIC_H
#define PCC_RUNTIME_HOST_TRAFFIC_H

#include <cstdint>

namespace pcc {

/// Counts an operation of compiled code for backend::traffic(): `name` and
/// `over` ("all_reduce", " over dp") live as long as the program. For the main
/// thread.
void countTraffic(int32_t stream, const char *name, const char *over,
                  int64_t bytes, int64_t sent);

} // namespace pcc

#endif // PCC_RUNTIME_HOST_TRAFFIC_H
