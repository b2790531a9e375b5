//===- Sectors.h - Counts of what a warp reads and writes -------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_SECTORS_H
#define PCC_RUNTIME_EMULATED_SECTORS_H

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace pcc {

/// The sectors of a block's accesses. The lanes of a warp come one after the
/// other, so that what they touch together is put together at the end.
class Sectors {
public:
  /// Of a sector's bytes.
  static constexpr int64_t kBytes = 32;

  /// Notes a thread's execution number `execution` of an access.
  void note(uint32_t warp, uint32_t site, uint32_t execution, uint64_t address,
            int64_t bytes) {
    for (uint64_t sector = address / kBytes;
         sector <= (address + bytes - 1) / kBytes; ++sector)
      touched.push_back({warp, site, execution, sector});
  }
  /// The sectors of all executions together; forgets them.
  int64_t take() {
    std::sort(touched.begin(), touched.end());
    auto end = std::unique(touched.begin(), touched.end());
    int64_t count = end - touched.begin();
    touched.clear();
    return count;
  }

private:
  struct Touched {
    uint32_t warp, site, execution;
    uint64_t sector;
    auto key() const { return std::tie(warp, site, execution, sector); }
    bool operator<(const Touched &other) const { return key() < other.key(); }
    bool operator==(const Touched &other) const { return key() == other.key(); }
  };
  std::vector<Touched> touched;
};

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_SECTORS_H
