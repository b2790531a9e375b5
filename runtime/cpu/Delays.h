//===- Delays.h - Artificial delays of communication ------------*- C++ -*-===//
//
// PCC_DELAY, for tests of overlap, delays collectives and transfers by some
// milliseconds; "any" also delays kernels and fills that are requests of a
// stream. The delays of one stream follow each other. A delay uses no core, so
// one machine can show the behavior of a slower network.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_DELAYS_H
#define PCC_RUNTIME_CPU_DELAYS_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// An item of PCC_DELAY.
struct Delay {
  std::string name;           ///< an operation, or "any": all but receives
  std::string over;           ///< its axes, "dp" or "pp tp"; empty: any
  double least = 0, most = 0; ///< seconds
  bool isPerMiB = false;      ///< seconds per MiB instead
};

/// Parses "all_gather=20,reduce_scatter/dp=5..10,send=3/MiB"; exits with
/// ExitUsage if it is invalid.
std::vector<Delay> parseDelays(const std::string &text);

/// The delay in seconds of a rank's `index`-th operation, from the first item
/// that matches it; 0 if none does. `detail` is " over pp tp", `bytes` is the
/// size in the report. A value between `least` and `most` depends only on rank
/// and index.
double findDelay(const std::vector<Delay> &delays, const std::string &name,
                 const std::string &detail, int64_t bytes, int rank,
                 uint64_t index);

/// The delays of PCC_DELAY.
const std::vector<Delay> &givenDelays();

/// The delay of an operation by PCC_DELAY. The main thread calls it once for
/// each operation.
double delayOf(const char *name, const char *detail, int64_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_DELAYS_H
