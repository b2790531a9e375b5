//===- Sectors.h - Counting the memory sectors of a warp --------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_SECTORS_H
#define PCC_RUNTIME_EMULATED_SECTORS_H

#include <cstdint>
#include <utility>
#include <vector>

namespace pcc {

/// The set of sectors that a block's accesses touch. The lanes of a warp run
/// one after the other, so a set of all earlier accesses tells which sectors a
/// warp's execution shares. It is an open-addressing hash table.
class Sectors {
public:
  /// Bytes of a sector.
  static constexpr int64_t kBytes = 32;

  /// Notes execution number `execution` of an access site by a thread.
  void note(uint32_t warp, uint32_t site, uint32_t execution, uint64_t address,
            int64_t bytes) {
    for (uint64_t sector = address / kBytes;
         sector <= (address + bytes - 1) / kBytes; ++sector)
      insert({sector, warp, site, execution, round});
  }
  /// Returns the sum of all executions' numbers of distinct sectors, and clears
  /// the set.
  int64_t take() {
    // Entries of earlier rounds are treated as empty.
    if (++round == 0)
      table.assign(table.size(), Touched()), round = 1;
    return std::exchange(count, 0);
  }

private:
  struct Touched {
    uint64_t sector = 0;
    uint32_t warp = 0, site = 0, execution = 0;
    uint32_t round = 0; ///< 0: never used

    bool operator==(const Touched &other) const {
      return sector == other.sector && warp == other.warp &&
             site == other.site && execution == other.execution;
    }
    uint64_t hash() const {
      uint64_t mixed = (uint64_t(warp) << 32 | site) * 0x9e3779b97f4a7c15;
      mixed = (mixed ^ mixed >> 32 ^ execution) * 0xbf58476d1ce4e5b9;
      mixed = (mixed ^ mixed >> 32 ^ sector) * 0x94d049bb133111eb;
      return mixed ^ mixed >> 32;
    }
  };

  void insert(const Touched &one) {
    size_t mask = table.size() - 1, at = one.hash() & mask;
    for (; table[at].round == round; at = (at + 1) & mask)
      if (table[at] == one)
        return;
    table[at] = one;
    if (2 * ++count > static_cast<int64_t>(table.size()))
      grow();
  }
  void grow() {
    std::vector<Touched> old(2 * table.size());
    old.swap(table);
    count = 0;
    for (const Touched &one : old)
      if (one.round == round)
        insert(one);
  }

  std::vector<Touched> table = std::vector<Touched>(1 << 8);
  uint32_t round = 1;
  int64_t count = 0;
};

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_SECTORS_H
