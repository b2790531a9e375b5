//===- Delays.h - Messages that take their time -----------------*- C++ -*-===//
//
// PCC_DELAY, for tests of what overlaps: messages of a kind are held back for
// so many milliseconds, those of one stream one after the other. Nothing is
// computed meanwhile, so that one machine shows what a slower network would do.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_RUNTIME_CPU_DELAYS_H
#define PCC_RUNTIME_CPU_DELAYS_H

#include <cstdint>
#include <string>
#include <vector>

namespace pcc {

/// What an item of PCC_DELAY says.
struct Delay {
  std::string name;           ///< of an operation; "any"
  std::string over;           ///< its axes, "dp" or "pp tp"; empty: any
  double least = 0, most = 0; ///< seconds
  bool isPerMiB = false;      ///< seconds for each MiB of a message, instead
};

/// Reads "all_gather=20,reduce_scatter/dp=5..10,send=3/MiB"; exits with
/// ExitUsage where it is nothing of the kind.
std::vector<Delay> parseDelays(const std::string &text);

/// Seconds for the `index`-th operation of a rank by the first item that names
/// it: `detail` is " over pp tp", `bytes` what the report counts for it.
/// Between `least` and `most` they depend on rank and index alone. 0: no item
/// does.
double findDelay(const std::vector<Delay> &delays, const std::string &name,
                 const std::string &detail, int64_t bytes, int rank,
                 uint64_t index);

/// Those of PCC_DELAY.
const std::vector<Delay> &givenDelays();

/// The one of an operation by PCC_DELAY; called once for each, by the main
/// thread.
double delayOf(const char *name, const char *detail, int64_t bytes);

} // namespace pcc

#endif // PCC_RUNTIME_CPU_DELAYS_H
