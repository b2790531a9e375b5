//===- BufferMap.h - Lookup of a buffer by address --------------*- C++ -*-===//

#ifndef PCC_RUNTIME_EMULATED_BUFFERMAP_H
#define PCC_RUNTIME_EMULATED_BUFFERMAP_H

#include "runtime/emulated/Emulator.h"
#include <cstdint>
#include <vector>

namespace pcc {

/// The address ranges of a launch's buffers.
class BufferMap {
public:
  /// `buffers` are the arguments of `kernel`.
  BufferMap(const pcc_emu_kernel &kernel, void *const *buffers)
      : last(kernel.sites, -1) {
    for (int64_t i = 0; i < kernel.buffer_count; ++i) {
      const char *begin = static_cast<const char *>(buffers[i]);
      all.push_back({begin, begin + kernel.buffers[i].bytes,
                     kernel.buffers[i].is_written != 0, true});
    }
    for (Place &one : all)
      for (const Place &other : all)
        one.isWhole &= other.end <= one.begin || one.end <= other.begin ||
                       (one.begin == other.begin && one.end == other.end);
  }

  /// The buffer that contains an access, or -1. If several do, one that may be
  /// written is preferred.
  int64_t find(const char *address, int64_t bytes, int32_t site) {
    // An access site mostly stays in one buffer.
    int64_t found = last[site];
    if (found >= 0 && all[found].isWhole && all[found].has(address, bytes))
      return found;
    found = -1;
    for (int64_t i = 0, count = all.size(); i < count; ++i)
      if (all[i].has(address, bytes) && (found < 0 || all[i].isWritten))
        found = i;
    return last[site] = found;
  }

private:
  struct Place {
    const char *begin, *end;
    bool isWritten;
    /// Whether all overlapping buffers have the same range: the buffer found
    /// for one address then holds for all.
    bool isWhole;

    bool has(const char *address, int64_t bytes) const {
      return address >= begin && address + bytes <= end;
    }
  };
  std::vector<Place> all;
  std::vector<int64_t> last; ///< by site, the last result
};

} // namespace pcc

#endif // PCC_RUNTIME_EMULATED_BUFFERMAP_H
